// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The native machine's memory: std::atomic, plain fields, fences, anonymous mappings.
//
// ThreadSanitizer knows neither fences nor membarrier, so under it a fence is a read-modify-write
// on one common word; the checker, not TSan, is the authority on orders.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/base/edges.hpp"
#include "engine/base/order.hpp"
#include "native/abilities.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PHUTEX_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define PHUTEX_TSAN 1
#endif

namespace phutex::native {

template <class T>
class Atomic {
 public:
  Atomic() noexcept = default;
  explicit constexpr Atomic(T value) noexcept : value_(value) {}
  Atomic(const Atomic&) = delete;

  T load(IsLoadOrder auto order) const noexcept { return value_.load(order.order); }
  void store(T value, IsStoreOrder auto order) noexcept { value_.store(value, order.order); }
  T exchange(T value, IsOrder auto order) noexcept { return value_.exchange(value, order.order); }
  T fetch_add(T value, IsOrder auto order) noexcept { return value_.fetch_add(value, order.order); }
  bool compare_exchange(T& expected, T value, IsOrder auto success,
                        IsLoadOrder auto failure) noexcept {
    return value_.compare_exchange_strong(expected, value, success.order, failure.order);
  }

  /// For the kernel and for restartable sequences, which know no std::atomic.
  T* address() noexcept { return reinterpret_cast<T*>(&value_); }
  const T* address() const noexcept { return reinterpret_cast<const T*>(&value_); }

 private:
  static_assert(std::atomic<T>::is_always_lock_free && sizeof(std::atomic<T>) == sizeof(T));
  std::atomic<T> value_{};
};

template <class T>
class Plain {
 public:
  constexpr Plain() noexcept = default;
  explicit constexpr Plain(T value) noexcept : value_(value) {}
  Plain(const Plain&) = delete;

  T read() const noexcept { return value_; }
  void write(T value) noexcept { value_ = value; }

 private:
  T value_{};
};

inline void full_fence() noexcept {
#if defined(PHUTEX_TSAN)
  static constinit std::atomic<int> common{0};
  common.fetch_add(1, std::memory_order_acq_rel);
#elif defined(__x86_64__)
  // Half the time of mfence, and as strong for ordinary memory.
  asm volatile("lock; addl $0, -8(%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// The expensive side of an asymmetric fence: every thread of the process passes a full fence.
void membarrier() noexcept;

struct Memory {
  template <class T>
  using Atomic = native::Atomic<T>;
  template <class T>
  using Plain = native::Plain<T>;

  static void fence(IsFenceOrder auto) noexcept { full_fence(); }

  static void light_fence(IsAsymmetric auto) noexcept {
    if (abilities().has_membarrier) [[likely]] {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      full_fence();
    }
  }
  static void heavy_fence(IsAsymmetric auto) noexcept { membarrier(); }

  /// Whole pages, zero-filled, of an anonymous mapping. Null beyond what the kernel's own hash may
  /// have, INT_MAX bytes.
  static void* allocate(std::size_t size) noexcept;
  static void deallocate(void* storage, std::size_t size) noexcept;
};

}  // namespace phutex::native
