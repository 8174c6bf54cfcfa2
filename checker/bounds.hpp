// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How often an exploration lets each kind of choice go another way than the first.

#include <array>
#include <limits>

#include "fibers/chooser.hpp"

namespace phutex::checker {

struct Bounds {
  static constexpr unsigned kUnlimited = std::numeric_limits<unsigned>::max();

  unsigned preemptions = 2;
  unsigned delayed_stores = 2;  // and, in Mode::history, loads and stores of the past
  unsigned migrations = 1;
  unsigned allocation_failures = 0;

  constexpr unsigned of(fibers::Choice kind) const noexcept {
    switch (kind) {
      case fibers::Choice::preempt:
        return preemptions;
      case fibers::Choice::delay:
        return delayed_stores;
      case fibers::Choice::cpu:
        return migrations;
      case fibers::Choice::allocation:
        return allocation_failures;
      case fibers::Choice::next:
        return kUnlimited;
      case fibers::Choice::rouse:
        return kUnlimited;
      case fibers::Choice::stale:
        return kUnlimited;  // each store by itself: World
    }
    return 0;
  }
};

/// For scenarios that replace no table: where a thread counts itself in then makes no difference.
inline constexpr Bounds kInPlace{.migrations = 0};

/// For scenarios of two threads: few enough runs to go one deeper.
inline constexpr Bounds kDeep{.preemptions = 3};
inline constexpr Bounds kDeepInPlace{.preemptions = 3, .migrations = 0};

}  // namespace phutex::checker
