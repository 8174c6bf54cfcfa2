// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One table for each NUMA node, none of which is ever replaced: the kernel's global table.
//
// Who knows the node of a word uses that node's table, on_node(), which is a scheme of its own;
// whoever does not, uses this one, which spreads keys over the nodes. The node is no part of a key:
// a waiter and a waker of one word meet only if they agree on it.
//
// Flow  key -> node_of(key), or the caller's node -> on_node(node) -> its table -> bucket

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "engine/base/nodes.hpp"
#include "engine/scheme/fixed.hpp"

namespace phutex::scheme {

template <IsPlatform Platform>
class Global : public Lookup<Platform, Global<Platform>, FixedPin<Platform>> {
 public:
  using Owner = typename Table<Platform>::Owner;

  /// A machine of one node.
  explicit Global(Owner first) noexcept : Global(std::move(first), Nodes::only_first()) {}

  /// The lowest node's table; prepare() gives every other node one of the same size.
  Global(Owner first, const Nodes& nodes) noexcept
      : nodes_(nodes),
        number_count_(nodes.number_count()),
        buckets_of_each_(first->bucket_count()),
        first_(std::move(first)) {}
  Global(const Global&) = delete;
  Global& operator=(const Global&) = delete;
  ~Global() {
    if (tables_ == nullptr) return;
    for (std::size_t node = 0; node < number_count_; ++node) tables_[node].~Fixed();
    Platform::deallocate(tables_, tables_size());
  }

  /// Allocates. What there is of it after a failure goes with the scheme.
  bool prepare() noexcept {
    void* const storage = Platform::allocate(tables_size());
    if (storage == nullptr) return false;
    tables_ = static_cast<Fixed<Platform>*>(storage);
    bool is_whole = true;
    for (std::size_t node = 0; node < number_count_; ++node) {
      Owner table = nodes_.contains(node) ? next_table() : nullptr;
      is_whole = is_whole && (table != nullptr || !nodes_.contains(node));
      new (tables_ + node) Fixed<Platform>(std::move(table));
    }
    return is_whole;
  }

  const Nodes& nodes() const noexcept { return nodes_; }

  /// The scheme of one of nodes().
  Fixed<Platform>& on_node(std::size_t node) noexcept { return tables_[node]; }

  /// The node of a key that has none of its own, by those bits of its hash that are left when the
  /// bucket has been chosen. A hole's share goes to the node after it.
  std::size_t node_of(Key key) const noexcept {
    const std::uint64_t left = key.hash() << std::countr_zero(buckets_of_each_);
    return nodes_.next_from(static_cast<std::size_t>(left >> kBitsUnused) % number_count_);
  }

  FixedPin<Platform> pin(Key key) noexcept { return on_node(node_of(key)).pin(key); }
  Result<void> resize(std::size_t) noexcept { return Errno::busy; }
  void freeze() noexcept {}

  /// Of all nodes together.
  std::size_t bucket_count() noexcept { return buckets_of_each_ * nodes_.count(); }

  /// One call for each table.
  template <class Use>
  bool with_table(Patience patience, Use&& use) noexcept {
    for (std::size_t node = 0; node < number_count_; ++node) {
      if (nodes_.contains(node)) on_node(node).with_table(patience, use);
    }
    return true;
  }

 private:
  // The good bits of a hash are the high ones: 16 of them are enough to spread evenly over any
  // number of nodes.
  static constexpr unsigned kBitsUnused = 64 - 16;

  std::size_t tables_size() const noexcept { return number_count_ * sizeof(Fixed<Platform>); }

  Owner next_table() noexcept {
    return first_ != nullptr ? std::move(first_) : Table<Platform>::create(buckets_of_each_);
  }

  const Nodes nodes_;
  const std::size_t number_count_;
  const std::size_t buckets_of_each_;
  Owner first_;                        // until prepare()
  Fixed<Platform>* tables_ = nullptr;  // by node, with an empty one for each hole
};

}  // namespace phutex::scheme
