// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The checker's memory: every access is a step of its thread, and is checked.
//
// See  native/memory.hpp, which has the same names in the same order

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "checker/location.hpp"
#include "engine/base/edges.hpp"
#include "engine/base/order.hpp"

namespace phutex::checker {

/// What an access's order is in this run.
template <class O>
Access access_of(O, fibers::Where where) noexcept {
  using Named = typename O::Named;
  if constexpr (IsEdge<Named>) {
    constexpr std::size_t index = edge::index_of<Named>;
    if (World::current().is_weakened(index)) return {.order = "(weakened)", .where = where};
    constexpr std::memory_order order = O::order;
    constexpr bool is_both =
        order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
    return {.acquires = is_both || order == std::memory_order_acquire,
            .releases = is_both || order == std::memory_order_release,
            .order = edge::kNames[index].data(),
            .where = where};
  } else {
    return {.order = "relaxed", .where = where};
  }
}

/// Does an order say that the access takes a lock or gives it back?
template <class O>
constexpr bool is_of_lock(O) noexcept {
  return std::same_as<typename O::Named, edge::BucketHandover>;
}

template <class T>
class Atomic {
 public:
  using Where = fibers::Where;

  Atomic() noexcept : location_(0) {}
  explicit Atomic(T value) noexcept : location_(value) {}
  Atomic(const Atomic&) = delete;

  T load(IsLoadOrder auto order, Where where = Where::here()) const noexcept {
    return static_cast<T>(location_.load(access_of(order, where)));
  }
  void store(T value, IsStoreOrder auto order, Where where = Where::here()) noexcept {
    location_.store(value, access_of(order, where));
    if constexpr (is_of_lock(order)) locks().give_back(World::current().self(), this);
  }
  T exchange(T value, IsOrder auto order, Where where = Where::here()) noexcept {
    if constexpr (std::same_as<typename decltype(order)::Named, edge::Woken>) {
      World::current().forbid_under_bucket_lock("unparks");
    }
    const Access access = access_of(order, where);
    const T found = static_cast<T>(location_.read_to_modify(access));
    location_.modify(value, access);
    return found;
  }
  T fetch_add(T value, IsOrder auto order, Where where = Where::here()) noexcept {
    const Access access = access_of(order, where);
    const T found = static_cast<T>(location_.read_to_modify(access));
    const bool is_subtraction = value > std::numeric_limits<T>::max() / 2;
    if (is_subtraction && found < static_cast<T>(T{0} - value)) [[unlikely]] {
      World::current().runtime().fail({"a count goes below zero"});
    }
    location_.modify(static_cast<T>(found + value), access);
    return found;
  }
  bool compare_exchange(T& expected, T value, IsOrder auto success, IsLoadOrder auto failure,
                        Where where = Where::here()) noexcept {
    const T found = static_cast<T>(location_.read_to_modify(access_of(success, where)));
    const bool is_equal = found == expected;
    expected = found;
    if (is_equal) location_.modify(value, access_of(success, where));
    if (!is_equal) location_.learn(access_of(failure, where));
    if constexpr (is_of_lock(success)) {
      if (is_equal) locks().take(World::current().self(), this);
    }
    return is_equal;
  }

  /// By who is about to sleep here. Waiting for a lock under another is the lock order's to allow.
  T peek(Where where) const noexcept {
    if (!locks().is_lock(this)) World::current().forbid_under_bucket_lock("parks");
    return static_cast<T>(location_.peek(where));
  }

 private:
  static HeldLocks& locks() noexcept { return World::current().locks(); }

  static_assert(std::numeric_limits<T>::is_integer && !std::numeric_limits<T>::is_signed);
  Location location_;
};

template <class T>
class Plain {
 public:
  using Where = fibers::Where;

  Plain() noexcept = default;
  explicit Plain(T value) noexcept : value_(value) {}
  Plain(const Plain&) = delete;

  T read(Where where = Where::here()) const noexcept {
    history_.read(where);
    return value_;
  }
  void write(T value, Where where = Where::here()) noexcept {
    history_.write(where);
    value_ = value;
  }

 private:
  History history_;
  T value_{};
};

template <IsEdge E>
bool is_kept() noexcept {
  return !World::current().is_weakened(edge::index_of<E>);
}

struct Memory {
  using Where = fibers::Where;
  template <class T>
  using Atomic = checker::Atomic<T>;
  template <class T>
  using Plain = checker::Plain<T>;

  static void fence(IsFenceOrder auto order, Where where = Where::here()) noexcept {
    if (!is_kept<typename decltype(order)::Named>()) return;
    World::current().full_fence();
    World::current().fence_clocks();
    note_fence("fence", order, where);
  }

  // The asymmetric fences keep stores and loads in order and hand nothing over: C++ knows no
  // happens-before that comes from a membarrier, so nothing may rely on one.
  static void light_fence(IsAsymmetric auto order, Where where = Where::here()) noexcept {
    if (!is_kept<typename decltype(order)::Named>()) return;
    note_fence("light fence", order, where);
    World::current().light_fence();
  }
  static void heavy_fence(IsAsymmetric auto order, Where where = Where::here()) noexcept {
    if constexpr (!std::same_as<typename decltype(order)::Named, edge::SleeperOrFree>) {
      World::current().forbid_under_bucket_lock("fences heavily");  // that one is the lock's own
    }
    if (!is_kept<typename decltype(order)::Named>()) return;
    World::current().runtime().step();
    note_fence("heavy fence", order, where);
    World::current().heavy_fence();
  }

  static void* allocate(std::size_t size) noexcept { return World::current().allocate(size); }
  /// What was there stays to be found by who comes too late.
  static void deallocate(void*, std::size_t) noexcept { World::current().deallocate(); }

  static void* allocate_for_run(std::size_t size) noexcept {
    void* const storage = World::current().allocate(size);
    if (storage != nullptr) World::current().deallocate();
    return storage;
  }
  static bool has_memory_for_run() noexcept { return allocate_for_run(1) != nullptr; }
  static void settle_before_sleep() noexcept { World::current().drain(); }

 private:
  template <class O>
  static void note_fence(const char* what, O, Where where) noexcept {
    World::current().runtime().note(
        {.what = what,
         .order = edge::kNames[edge::index_of<typename O::Named>].data(),
         .where = where});
  }
};

}  // namespace phutex::checker
