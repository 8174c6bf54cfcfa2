// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Memory without a model: all virtual threads share one real thread, so plain variables will do.
//
// A thread runs until it must wait, so one program has one order of events: for tests of logic.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "engine/base/order.hpp"
#include "engine/platform/platform.hpp"
#include "fibers/event.hpp"
#include "fibers/platform.hpp"

namespace phutex::fibers {

template <class T>
class DirectAtomic {
 public:
  DirectAtomic() noexcept = default;
  explicit DirectAtomic(T value) noexcept : value_(value) {}
  DirectAtomic(const DirectAtomic&) = delete;

  T load(IsLoadOrder auto) const noexcept { return value_; }
  void store(T value, IsStoreOrder auto) noexcept { value_ = value; }
  T exchange(T value, IsOrder auto) noexcept { return std::exchange(value_, value); }
  T fetch_add(T value, IsOrder auto) noexcept {
    return std::exchange(value_, static_cast<T>(value_ + value));
  }
  bool compare_exchange(T& expected, T value, IsOrder auto, IsLoadOrder auto) noexcept {
    const T found = value_;
    if (found == expected) value_ = value;
    return std::exchange(expected, found) == found;
  }

  T peek(Where) const noexcept { return value_; }

 private:
  T value_{};
};

template <class T>
class DirectPlain {
 public:
  DirectPlain() noexcept = default;
  explicit DirectPlain(T value) noexcept : value_(value) {}
  DirectPlain(const DirectPlain&) = delete;

  T read() const noexcept { return value_; }
  void write(T value) noexcept { value_ = value; }

 private:
  T value_{};
};

class DirectCounts {
 public:
  bool prepare() noexcept { return true; }
  std::uintptr_t add_unless(const DirectAtomic<std::uintptr_t>& word, std::uintptr_t refuse,
                            IsLoadOrder auto order) noexcept {
    const std::uintptr_t found = word.load(order);
    if ((found & refuse) == 0) ++count_;
    return found;
  }
  void subtract(IsStoreOrder auto) noexcept { --count_; }
  void settle(IsAsymmetric auto) noexcept {}
  std::int64_t sum(IsLoadOrder auto) const noexcept { return count_; }

 private:
  std::int64_t count_ = 0;
};

/// The number of pieces of storage that are out, and how many more there will be.
struct DirectStorage {
  std::size_t in_use = 0;
  std::size_t left = SIZE_MAX;
};

struct DirectMemory {
  template <class T>
  using Atomic = DirectAtomic<T>;
  template <class T>
  using Plain = DirectPlain<T>;
  using LocalCounts = DirectCounts;

  static void fence(IsFenceOrder auto) noexcept {}
  static void light_fence(IsAsymmetric auto) noexcept {}
  static void heavy_fence(IsAsymmetric auto) noexcept {}

  static void* allocate(std::size_t size) noexcept {
    if (storage.left == 0) return nullptr;
    constexpr std::size_t kAlignment = 64;
    const std::size_t whole = (size + kAlignment - 1) / kAlignment * kAlignment;
    void* const piece = std::aligned_alloc(kAlignment, whole);
    if (piece == nullptr) return nullptr;
    --storage.left;
    ++storage.in_use;
    return std::memset(piece, 0, whole);
  }
  static void deallocate(void* piece, std::size_t) noexcept {
    --storage.in_use;
    std::free(piece);
  }

  static void* allocate_for_run(std::size_t size) noexcept {
    return has_memory_for_run() ? Runtime::current()->arena().allocate(size) : nullptr;
  }
  static bool has_memory_for_run() noexcept { return storage.left != 0; }
  static void settle_before_sleep() noexcept {}

  static inline DirectStorage storage;
};

using DirectPlatform = Platform<DirectMemory>;
static_assert(IsPlatform<DirectPlatform>);

}  // namespace phutex::fibers
