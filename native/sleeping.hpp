// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Sleeping on the native machine: a private kernel futex.
//
// The kernel's rules for signals are the ones a futex wait must follow anyway: a handler with
// SA_RESTART restarts a sleep without a deadline and ends one with a deadline, as does any handler
// without it.

#include <cstdint>

#include "engine/base/deadline.hpp"
#include "engine/platform/sleeping.hpp"
#include "native/memory.hpp"

namespace phutex::native {

struct Sleeping {
  /// A few microseconds: a holder that runs is gone by then, one that was preempted is not.
  static constexpr unsigned kSpins = 8;

  static Awoken sleep_on(Atomic<std::uint32_t>& word, std::uint32_t expected,
                         const Deadline& deadline) noexcept;
  static void rouse(Atomic<std::uint32_t>& word) noexcept;

  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield");
#endif
  }

  /// Spins, then yields, then sleeps: yielding alone would never let a thread of lower real-time
  /// priority run.
  static void back_off(unsigned round) noexcept;

  static std::uint64_t now_ns() noexcept;
};

}  // namespace phutex::native
