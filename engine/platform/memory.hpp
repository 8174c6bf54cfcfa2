// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a machine offers as memory: words that are raced on, words that never are, fences, storage.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "engine/base/edges.hpp"
#include "engine/base/order.hpp"
#include "engine/base/result.hpp"

namespace phutex {

/// A word that threads race on. Each access names its edge or its excuse.
///
/// compare_exchange is strong; on failure `expected` becomes the value found.
template <class A, class T>
concept IsAtomic = requires(A atomic, const A constant, T value, T& expected) {
  A{};
  A{value};
  { constant.load(acquire<edge::Woken>) } -> std::same_as<T>;
  { constant.load(relaxed<why::Hint>) } -> std::same_as<T>;
  { atomic.store(value, release<edge::Woken>) } -> std::same_as<void>;
  { atomic.store(value, relaxed<why::Hint>) } -> std::same_as<void>;
  { atomic.exchange(value, release<edge::Woken>) } -> std::same_as<T>;
  { atomic.fetch_add(value, acq_rel<edge::PinReleased>) } -> std::same_as<T>;
  {
    atomic.compare_exchange(expected, value, acquire<edge::Woken>, relaxed<why::Hint>)
    } -> std::same_as<bool>;
};

/// A word that is never raced on: some lock or edge orders every two accesses to it, and a
/// checking machine says so if not.
template <class S, class T>
concept IsPlain = requires(S plain, const S constant, T value) {
  S{};
  { constant.read() } -> std::same_as<T>;
  { plain.write(value) } -> std::same_as<void>;
};

/// The caller's futex word, by reference. load() may fail with Errno::fault where the word cannot
/// be read; it never waits. identity() is equal exactly for the same word.
template <class W>
concept IsWord = requires(const W word) {
  typename W::Value;
  { word.load() } -> std::same_as<Result<typename W::Value>>;
  { word.identity() } -> std::same_as<std::uintptr_t>;
};

/// fence: a full fence.
/// light_fence, heavy_fence: with one on each side, as good as a full fence on both. The heavy one
///   may cost microseconds and interrupt other CPUs; it is called with no bucket lock held.
/// allocate: zero-filled storage, or null; neither malloc nor anything that could call the engine.
///   Called with no lock held.
template <class P>
concept IsMemory = IsAtomic<typename P::template Atomic<std::uint32_t>, std::uint32_t> &&
    IsAtomic<typename P::template Atomic<std::uintptr_t>, std::uintptr_t> &&
    IsPlain<typename P::template Plain<void*>, void*> &&
    requires(void* storage, std::size_t size) {
  { P::fence(seq_cst<edge::EnqueueOrValue>) } -> std::same_as<void>;
  { P::light_fence(asymmetric<edge::SleeperOrFree>) } -> std::same_as<void>;
  { P::heavy_fence(asymmetric<edge::SleeperOrFree>) } -> std::same_as<void>;
  { P::allocate(size) } -> std::same_as<void*>;
  { P::deallocate(storage, size) } -> std::same_as<void>;
};

}  // namespace phutex
