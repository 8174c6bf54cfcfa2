// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Things that threads borrow for their lives and that are never unmapped: a stack of those that
// nobody has, and chunks of fresh ones.
//
// Storage stays what it is (type-stable), so who comes late by a pointer still finds a Node.

#include <cstddef>
#include <cstdint>
#include <new>

#include "native/memory.hpp"

namespace phutex::native {

/// What is in a pool has a line of its own, so 6 low bits of its address are free.
inline constexpr std::size_t kPooledAlignment = 64;

/// `Node` is aligned so, and has `Atomic<Node*> next`, read by a taker that may have lost the race
/// for it. All zero is an empty pool.
template <class Node>
class Pool {
 public:
  void put(Node& node) noexcept { put(node, node); }

  /// Null if the pool is empty.
  Node* take() noexcept {
    std::uintptr_t raw = top_.load(acquire<edge::TablePublished>);
    while (Node* const top = Top{raw}.node()) {
      const Top rest = Top{raw}.next_tag().with(top->next.load(relaxed<why::LostRace>));
      if (top_.compare_exchange(raw, rest.raw(), acquire<edge::TablePublished>,
                                acquire<edge::TablePublished>)) {
        return top;
      }
    }
    return nullptr;
  }

  /// Puts the nodes of a chunk in, all but the first.
  void put_rest_of(Node* nodes, std::size_t count) noexcept {
    for (std::size_t index = 1; index + 1 < count; ++index) {
      nodes[index].next.store(nodes + index + 1, relaxed<why::NotShared>);
    }
    put(nodes[1], nodes[count - 1]);
  }

  void clear() noexcept { top_.store(0, relaxed<why::NotShared>); }

 private:
  // The top of the stack, and a tag that changes whenever one is taken: so a taker notices that the
  // top it read was taken and put back meanwhile (ABA), when what it read as the next one may be in
  // use. The tag fills what an address leaves free: 6 low bits and 16 high ones.
  class Top {
   public:
    explicit Top(std::uintptr_t raw) noexcept : raw_(raw) {}

    std::uintptr_t raw() const noexcept { return raw_; }
    Node* node() const noexcept { return reinterpret_cast<Node*>(raw_ & kAddress); }
    Top with(Node* node) const noexcept {
      return Top{(raw_ & ~kAddress) | reinterpret_cast<std::uintptr_t>(node)};
    }
    Top next_tag() const noexcept {
      const std::uintptr_t low = (raw_ + 1) & kLow;
      const std::uintptr_t high = (raw_ & kHigh) + (low == 0 ? kHighStep : 0);
      return Top{high | (raw_ & kAddress) | low};
    }

   private:
    static constexpr std::uintptr_t kLow = kPooledAlignment - 1;
    static constexpr std::uintptr_t kHighStep = std::uintptr_t{1} << 48;
    static constexpr std::uintptr_t kHigh = ~(kHighStep - 1);
    static constexpr std::uintptr_t kAddress = ~(kLow | kHigh);

    std::uintptr_t raw_;
  };

  // A chain, from `first` to `last`.
  void put(Node& first, Node& last) noexcept {
    std::uintptr_t raw = top_.load(relaxed<why::Hint>);
    do {
      last.next.store(Top{raw}.node(), relaxed<why::CountedLater>);
    } while (!top_.compare_exchange(raw, Top{raw}.with(&first).raw(),
                                    release<edge::TablePublished>, relaxed<why::LostRace>));
  }

  Atomic<std::uintptr_t> top_{0};  // see Top
};

/// Fresh nodes, all but the first in the pool; null if there is no memory.
template <class Node>
Node* make_chunk(Pool<Node>& pool, void* storage, std::size_t size) noexcept {
  const std::size_t count = size / sizeof(Node);
  auto* const nodes = static_cast<Node*>(storage);
  for (std::size_t index = 0; index < count; ++index) new (nodes + index) Node;
  pool.put_rest_of(nodes, count);
  return nodes;
}

}  // namespace phutex::native
