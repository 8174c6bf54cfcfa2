// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Memory orders that remember what they are for.
//
// An Atomic takes no std::memory_order: it takes acquire<edge::TablePublished> or
// relaxed<why::Hint>, so each access names the promise it keeps or the excuse for keeping none.
//
// See  engine/base/edges.hpp for the promises; checker/ weakens one of them at a time

#include <atomic>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace phutex {

/// A string literal as a template argument.
template <std::size_t Size>
struct Sentence {
  char text[Size]{};
  consteval Sentence(const char (&literal)[Size]) {  // implicit: that is its use
    for (std::size_t index = 0; index < Size; ++index) text[index] = literal[index];
  }
};

/// What becomes true when both sides of an edge have run.
template <Sentence Text>
struct Promise {
  static constexpr std::string_view promise{Text.text, sizeof(Text.text) - 1};
};

/// Why an access needs no order.
template <Sentence Text>
struct Excuse {
  static constexpr std::string_view excuse{Text.text, sizeof(Text.text) - 1};
};

template <class E>
concept IsEdge = requires {
  { E::promise } -> std::convertible_to<std::string_view>;
};

template <class W>
concept IsExcuse = requires {
  { W::excuse } -> std::convertible_to<std::string_view>;
};

/// A std::memory_order with its reason; `Named` is an edge or an excuse.
template <std::memory_order Order, class NamedReason>
struct Ordered {
  static constexpr std::memory_order order = Order;
  using Named = NamedReason;
};

/// The order of the two sides of an asymmetric fence: one side is nearly free, the other pays.
template <IsEdge E>
struct Asymmetric {
  using Named = E;
};

template <IsEdge E>
inline constexpr Ordered<std::memory_order_acquire, E> acquire{};
template <IsEdge E>
inline constexpr Ordered<std::memory_order_release, E> release{};
template <IsEdge E>
inline constexpr Ordered<std::memory_order_acq_rel, E> acq_rel{};
template <IsEdge E>
inline constexpr Ordered<std::memory_order_seq_cst, E> seq_cst{};
template <IsExcuse W>
inline constexpr Ordered<std::memory_order_relaxed, W> relaxed{};
template <IsEdge E>
inline constexpr Asymmetric<E> asymmetric{};

template <class O>
concept IsOrder = requires {
  typename O::Named;
  { O::order } -> std::convertible_to<std::memory_order>;
};

template <class O>
concept IsLoadOrder = IsOrder<O> && (O::order == std::memory_order_acquire ||
                                     O::order == std::memory_order_relaxed);

template <class O>
concept IsStoreOrder = IsOrder<O> && (O::order == std::memory_order_release ||
                                      O::order == std::memory_order_relaxed);

template <class O>
concept IsFenceOrder = IsOrder<O> && O::order == std::memory_order_seq_cst;

template <class A>
concept IsAsymmetric = std::same_as<A, Asymmetric<typename A::Named>>;

}  // namespace phutex
