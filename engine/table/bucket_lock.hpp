// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Mutual exclusion for a few dozen instructions: spins briefly, then sleeps.
//
// Sleeping matters: a holder that was preempted must not cost everyone else a time slice. Taking
// it is one compare-exchange and releasing it is one store; whoever sleeps pays for the rest.
//
// Progress   Unfair: a newcomer may overtake a sleeper.
// See        edge::SleeperOrFree; checker/scenarios/bucket_lock.cpp

#include <cstdint>

#include "engine/base/deadline.hpp"
#include "engine/base/edges.hpp"
#include "engine/platform/platform.hpp"

namespace phutex {

template <IsPlatform Platform>
class BucketLock {
 public:
  void acquire() noexcept {
    if (!try_acquire()) [[unlikely]] acquire_slow();
  }

  /// False if somebody holds it.
  bool try_acquire() noexcept {
    std::uint32_t expected = kFree;
    return word_.compare_exchange(expected, kHeld, phutex::acquire<edge::BucketHandover>,
                                  relaxed<why::LostRace>);
  }

  void release() noexcept {
    word_.store(kFree, phutex::release<edge::BucketHandover>);
    Platform::light_fence(asymmetric<edge::SleeperOrFree>);
    if (sleepers_.load(relaxed<why::Fenced>) != 0) [[unlikely]] Platform::rouse(word_);
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;

  [[gnu::cold, gnu::noinline]] void acquire_slow() noexcept {
    for (unsigned turn = 0; turn < Platform::kSpins; ++turn) {
      pause_for(turn);
      if (word_.load(relaxed<why::Hint>) == kFree && try_acquire()) return;
    }
    sleepers_.fetch_add(1, relaxed<why::Fenced>);
    Platform::heavy_fence(asymmetric<edge::SleeperOrFree>);
    while (!try_acquire()) Platform::sleep_on(word_, kHeld, Deadline::never());
    sleepers_.fetch_add(~std::uint32_t{0}, relaxed<why::Hint>);
  }

  // A look takes the line away from the holder, who needs it to unlock; and two threads that walk
  // through the same buckets one step apart stay one step apart if the second waits too little.
  static void pause_for(unsigned turn) noexcept {
    for (unsigned pauses = 8U << (turn < 3 ? turn : 3); pauses != 0; --pauses) Platform::pause();
  }

  typename Platform::template Atomic<std::uint32_t> word_{kFree};
  typename Platform::template Atomic<std::uint32_t> sleepers_{0};  // who is, or will be, in
                                                                   // sleep_on; see SleeperOrFree
};

/// Holds a lock for a scope.
template <IsPlatform Platform>
class BucketLockGuard {
 public:
  explicit BucketLockGuard(BucketLock<Platform>& lock) noexcept : lock_(lock) { lock_.acquire(); }
  BucketLockGuard(const BucketLockGuard&) = delete;
  BucketLockGuard& operator=(const BucketLockGuard&) = delete;
  ~BucketLockGuard() { lock_.release(); }

 private:
  BucketLock<Platform>& lock_;
};

}  // namespace phutex
