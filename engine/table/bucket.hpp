// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One slot of the hash: the waiters whose keys collide here, and the lock that guards them.
//
// Flow       Table::bucket_of(key) -> Bucket::lock() -> Locked -> WaitQueue
// Locks      This bucket's.
// Invariant  [I4] announced_ counts every waiter from before it reads its word for the last time
//            until it is taken or leaves, so announced_ == 0 means nobody can be asleep here.

#include <cstdint>
#include <utility>

#include "engine/base/edges.hpp"
#include "engine/table/bucket_lock.hpp"
#include "engine/wait/wait_queue.hpp"

namespace phutex {

template <IsPlatform Platform>
class alignas(64) Bucket {
 public:
  class Locked;

  /// Takes the lock and returns the proof. Spins, then sleeps; never fails.
  [[nodiscard]] Locked lock() noexcept {
    lock_.acquire();
    return Locked{this};
  }

  /// The same without waiting: no proof if somebody holds the lock.
  [[nodiscard]] Locked try_lock() noexcept { return Locked{lock_.try_acquire() ? this : nullptr}; }

  /// Could a waiter be asleep here? After a fence of edge::EnqueueOrValue, `false` is a promise
  /// [I4]; `true` is only a hint.
  [[nodiscard]] bool maybe_waiting() const noexcept {
    return announced_.load(relaxed<why::Fenced>) != 0;
  }

 private:
  BucketLock<Platform> lock_;
  typename Platform::template Atomic<std::uint32_t> announced_{0};  // [I4]; written under lock_
  WaitQueue<Platform> queue_;                                       // reached only through Locked
};

/// Proof that this thread holds one bucket's lock, or of nothing after a try_lock that failed.
template <IsPlatform Platform>
class Bucket<Platform>::Locked {
 public:
  Locked() noexcept = default;
  Locked(Locked&& other) noexcept : bucket_(std::exchange(other.bucket_, nullptr)) {}
  Locked& operator=(Locked&&) = delete;
  ~Locked() { unlock(); }

  explicit operator bool() const noexcept { return bucket_ != nullptr; }

  /// Ends the proof early.
  void unlock() noexcept {
    if (bucket_ != nullptr) std::exchange(bucket_, nullptr)->lock_.release();
  }

  /// Counts the caller as a waiter; what it reads of its word from now on decides [I4].
  void announce() noexcept {
    add_announced(1);
    Platform::fence(seq_cst<edge::EnqueueOrValue>);
  }

  /// Takes announce() back, for a caller that found another value.
  void withdraw() noexcept { add_announced(-1); }

  /// Queues an announced waiter behind those already here.
  void enqueue(Waiter<Platform>& waiter) noexcept { bucket_->queue_.append(waiter); }

  /// Removes a waiter that gives up; false if a waker has already taken it.
  [[nodiscard]] bool leave(Waiter<Platform>& waiter) noexcept {
    if (!bucket_->queue_.remove(waiter)) return false;
    withdraw();
    return true;
  }

  /// Moves up to `limit` (at least 1) matching waiters to `list`, longest-waiting first.
  void take(Key key, Bitset bitset, int limit, WakeList<Platform>& list) noexcept {
    const int taken = bucket_->queue_.take(key, bitset, limit, list);
    if (taken != 0) add_announced(-taken);
  }

  /// Takes some key's queue out, with its announced counts; null if nobody waits here.
  [[nodiscard]] Waiter<Platform>* detach_any() noexcept {
    Waiter<Platform>* const first = bucket_->queue_.detach_any();
    if (first != nullptr) add_announced(-length_of(*first));
    return first;
  }

  /// Puts such a queue in, with its announced counts.
  void attach(Waiter<Platform>& first) noexcept {
    add_announced(length_of(first));
    bucket_->queue_.attach(first);
  }

  const WaitQueue<Platform>& queue() const noexcept { return bucket_->queue_; }

 private:
  friend class Bucket;
  explicit Locked(Bucket* bucket) noexcept : bucket_(bucket) {}

  static int length_of(const Waiter<Platform>& first) noexcept {
    return static_cast<int>(WaitQueue<Platform>::length_of(first));
  }

  void add_announced(int change) noexcept {
    const std::uint32_t now = bucket_->announced_.load(relaxed<why::LockHeld>);
    bucket_->announced_.store(now + static_cast<std::uint32_t>(change), relaxed<why::LockHeld>);
  }

  Bucket* bucket_ = nullptr;
};

}  // namespace phutex
