// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a machine offers to a thread that has nothing to do: sleep on a word, spin, step back.

#include <concepts>
#include <cstdint>

#include "engine/base/deadline.hpp"

namespace phutex {

/// Why sleep_on returned. `roused` also stands for "the word held another value" and for a
/// rousing meant for an earlier sleeper: the caller looks at its word again in any case.
enum class Awoken : std::uint8_t { roused, timed_out, interrupted };

/// sleep_on: sleeps while the word holds `expected`, at the latest until the deadline. Value and
///   sleep are one step: a rouse that follows a change of the word is not missed. Returns
///   interrupted when a signal handler ran and Linux' rules for futex waits do not restart.
/// rouse: wakes one thread that sleeps on the word. The word need not be in use any more, but its
///   storage must still be there.
/// pause: one turn of a short spin. kSpins: how many turns are worth it before sleeping; 0 on a
///   machine where spinning only makes runs longer.
/// back_off: waits a little for other threads, longer as `round` grows; rounds count from 0.
/// now_ns: nanoseconds from any moment on, of a clock that is never set; for reports only.
template <class P>
concept IsSleeping = requires(typename P::template Atomic<std::uint32_t>& word, std::uint32_t value,
                              const Deadline& deadline, unsigned round) {
  { P::sleep_on(word, value, deadline) } -> std::same_as<Awoken>;
  { P::rouse(word) } -> std::same_as<void>;
  { P::pause() } -> std::same_as<void>;
  { P::kSpins } -> std::convertible_to<unsigned>;
  { P::back_off(round) } -> std::same_as<void>;
  { P::now_ns() } -> std::same_as<std::uint64_t>;
};

}  // namespace phutex
