// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One slot of the hash: the waiters whose keys collide here, and the lock that guards them.
//
// Flow       Table::bucket_of(key) -> Bucket::lock() -> Locked -> WaitQueue
// Locks      This bucket's.
// Invariant  [I4] Every waiter is counted in state_ from before it reads its word for the last
//            time until it is taken or leaves, so state_ == 0 means that nobody can be asleep here
//            and that nobody has been moved away from here either.

#include <cstdint>
#include <utility>

#include "engine/base/edges.hpp"
#include "engine/table/bucket_lock.hpp"
#include "engine/wait/wait_queue.hpp"

namespace phutex {

template <IsPlatform Platform>
class Table;

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

  /// Could a waiter be asleep here, or where those of this bucket have been moved to? After a fence
  /// of edge::EnqueueOrValue, `false` is a promise [I4]; `true` is only a hint.
  [[nodiscard]] bool maybe_waiting() const noexcept {
    return state_.load(relaxed<why::Fenced>) != 0;
  }

  /// For a scheme that counts the users of each bucket: how many there are. Nothing else here
  /// looks at it.
  typename Platform::template Atomic<std::uint32_t>& users() noexcept { return users_; }

 private:
  friend class Table<Platform>;

  // state_ is the number of waiters, doubled, and whether they have been moved to another table.
  static constexpr std::uint32_t kMoved = 1;
  static constexpr std::uint32_t kWaiter = 2;

  BucketLock<Platform> lock_;
  typename Platform::template Atomic<std::uint32_t> state_{0};  // [I4]; written under lock_
  typename Platform::template Atomic<std::uint32_t> users_{0};  // see users()
  WaitQueue<Platform> queue_;                                   // reached only through Locked

  typename Platform::template Plain<std::uint32_t> sleeps_{0};  // ever, modulo 2^32; under lock_

  // The table's list of used buckets: Table::note.
  typename Platform::template Plain<bool> is_noted_{false};
  typename Platform::template Plain<Bucket*> next_noted_{nullptr};
};

enum class Look : std::uint8_t { not_yet, now };

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

  /// The proof as a pointer and back, for a call whose arguments are to stay in registers.
  [[nodiscard]] Bucket* hand_over() noexcept { return std::exchange(bucket_, nullptr); }
  void take_over(Bucket* locked) noexcept {
    unlock();
    bucket_ = locked;
  }

  /// Counts the caller as a waiter; what it reads of its word from now on decides [I4].
  void announce() noexcept {
    add_waiters(1);
    Platform::fence(seq_cst<edge::EnqueueOrValue>);
  }

  /// Takes announce() back, for a caller that found another value.
  void withdraw() noexcept { add_waiters(-1); }

  /// Queues an announced waiter behind those already here. Is it time that somebody looks whether
  /// the table has the right size? Now and then, and more often where many keys collide.
  Look enqueue(Waiter<Platform>& waiter) noexcept {
    bucket_->queue_.append(waiter);
    const std::uint32_t sleeps = bucket_->sleeps_.read() + 1;
    bucket_->sleeps_.write(sleeps);
    const bool is_crowded = bucket_->queue_.key_count() >= kCrowd;
    return sleeps % (is_crowded ? kSleepsIfCrowded : kSleeps) == 0 ? Look::now : Look::not_yet;
  }

  /// Removes a waiter that gives up; false if a waker has already taken it.
  [[nodiscard]] bool leave(Waiter<Platform>& waiter) noexcept {
    if (!bucket_->queue_.remove(waiter)) return false;
    withdraw();
    return true;
  }

  /// Moves up to `limit` (at least 1) matching waiters to `list`, longest-waiting first.
  void take(Key key, Bitset bitset, int limit, WakeList<Platform>& list) noexcept {
    const int taken = bucket_->queue_.take(key, bitset, limit, list);
    if (taken != 0) add_waiters(-taken);
  }

  /// Takes some key's queue out, with its announced counts; null if nobody waits here.
  [[nodiscard]] Waiter<Platform>* detach_any() noexcept {
    Waiter<Platform>* const first = bucket_->queue_.detach_any();
    if (first != nullptr) add_waiters(-length_of(*first));
    return first;
  }

  /// Puts such a queue in, with its announced counts.
  void attach(Waiter<Platform>& first) noexcept {
    add_waiters(length_of(first));
    bucket_->queue_.attach(first);
  }

  const WaitQueue<Platform>& queue() const noexcept { return bucket_->queue_; }

  /// Do the keys of this bucket live in another table?
  bool is_moved() const noexcept { return (state() & kMoved) != 0; }

  /// Says that they do, from when the lock is dropped on.
  void mark_moved() noexcept {
    bucket_->state_.store(state() | kMoved, relaxed<why::LockHeld>);
  }

 private:
  friend class Bucket;
  friend class Table<Platform>;
  explicit Locked(Bucket* bucket) noexcept : bucket_(bucket) {}

  static int length_of(const Waiter<Platform>& first) noexcept {
    return static_cast<int>(WaitQueue<Platform>::length_of(first));
  }

  // A look costs a pass over the table. Chains of eight hardly come about by chance in a table with
  // as many buckets as addresses.
  static constexpr std::uint32_t kCrowd = 8;
  static constexpr std::uint32_t kSleepsIfCrowded = 8;
  static constexpr std::uint32_t kSleeps = 1024;

  std::uint32_t state() const noexcept { return bucket_->state_.load(relaxed<why::LockHeld>); }

  void add_waiters(int change) noexcept {
    const std::uint32_t difference = static_cast<std::uint32_t>(change) * kWaiter;
    bucket_->state_.store(state() + difference, relaxed<why::LockHeld>);
  }

  Bucket* bucket_ = nullptr;
};

}  // namespace phutex
