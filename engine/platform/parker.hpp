// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Where one thread sleeps through one wait, and where it reads that it was woken.
//
// Flow       take_parker -> prepare -> (queued) -> park | unpark -> return_parker
// Invariant  [I1] Between prepare and return_parker at most one thread calls unpark, once: the one
//            that took the waiter from its queue. So a word that reads `woken` is this wait's.

#include <cstdint>

#include "engine/base/deadline.hpp"
#include "engine/base/edges.hpp"
#include "engine/platform/sleeping.hpp"

namespace phutex {

//  state     meaning                                    left by
//  prepared  the owner is awake, or on its way to bed   owner: to asleep; waker: to woken
//  asleep    the owner sleeps on the word               waker: to woken, and rouses it
//  woken     the verdict: this wait is over             owner: to prepared, for its next wait
template <class Platform>
class Parker {
 public:
  /// By the owner, before its waiter can be found.
  void prepare() noexcept { state_.store(kPrepared, relaxed<why::NotShared>); }

  /// By the owner: sleeps until woken, or as long as `deadline` and signal handlers let it. A
  /// result other than roused does not say that nobody woke it meanwhile: ask is_woken().
  Awoken park(const Deadline& deadline) noexcept {
    std::uint32_t expected = kPrepared;
    state_.compare_exchange(expected, kAsleep, relaxed<why::CountedLater>, relaxed<why::Hint>);
    while (!is_woken()) {
      const Awoken awoken = Platform::sleep_on(state_, kAsleep, deadline);
      if (awoken != Awoken::roused) return awoken;
    }
    return Awoken::roused;
  }

  bool is_woken() const noexcept { return state_.load(acquire<edge::Woken>) == kWoken; }

  /// By the waker. From the exchange on, the waiter that used this parker may be gone.
  void unpark() noexcept {
    if (state_.exchange(kWoken, release<edge::Woken>) == kAsleep) Platform::rouse(state_);
  }

 private:
  static constexpr std::uint32_t kPrepared = 0;
  static constexpr std::uint32_t kWoken = 1;
  static constexpr std::uint32_t kAsleep = 2;

  typename Platform::template Atomic<std::uint32_t> state_{kPrepared};  // table above
};

}  // namespace phutex
