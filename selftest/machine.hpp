// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Those whose private hash is checked: the running kernel and the engine, in either dialect.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <time.h>

namespace phutex::selftest {

/// A futex word, on a cache line of its own. Every store is seen by all threads before the next.
struct alignas(128) Word {
  std::atomic<std::uint32_t> value{0};
};

/// The sub-operations of prctl(PR_FUTEX_HASH).
inline constexpr unsigned long kSetSlots = 1;
inline constexpr unsigned long kGetSlots = 2;
inline constexpr unsigned long kGetImmutable = 3;  // of 6.16's release candidates only
inline constexpr unsigned long kImmutable = 1;     // a flag of SET_SLOTS, of the same

/// The arguments behind PR_FUTEX_HASH.
struct HashCall {
  unsigned long operation;
  unsigned long count = 0;
  unsigned long flags = 0;
  unsigned long unused = 0;  // prctl's fifth argument
};

inline constexpr HashCall kGet{kGetSlots};
constexpr HashCall set(unsigned long count) noexcept {
  return {kSetSlots, count};
}

/// Results are 0 or more for success and a negative errno for failure.
struct Machine {
  std::string_view name;

  long (*hash)(const HashCall& call) noexcept;

  /// Private: sleeps while the word holds `expected`, for at most `timeout`; null is for ever.
  long (*wait)(Word& word, std::uint32_t expected, const timespec* timeout) noexcept;

  /// Private: wakes up to `count` that sleep on the word; how many.
  long (*wake)(Word& word, int count) noexcept;

  /// How many sleep on the word. Wakes nobody and changes no order.
  std::size_t (*sleeping)(Word& word) noexcept;

  /// To be called before each thread is made, by the thread that makes it: a kernel sees for
  /// itself that one comes.
  long (*announce_thread)() noexcept;

  long (*online_cpus)() noexcept;  // at least 1

  bool has_unused_argument;      // HashCall::unused reaches it
  std::string_view call_begin;   // of a call, in a diagnostic
  std::string_view error_begin;  // of an error, before its name
};

/// The kernel; the engine as it is; the engine as Linux 6.16's release candidates were.
std::span<const Machine> machines();

/// `name` is that of one of them.
const Machine& machine_named(std::string_view name);

/// As a kernel engineer writes it: prctl(PR_FUTEX_HASH, SET_SLOTS, 15, 0).
std::string call_text(const Machine& machine, const HashCall& call);

/// A number, or -1 EINVAL.
std::string result_text(const Machine& machine, long result);

}  // namespace phutex::selftest
