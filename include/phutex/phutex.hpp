// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Waiting on an address, for words of 1, 2, 4 and 8 bytes: the C++ interface.
//
//   std::atomic<bool> is_ready{false};
//   phutex::wait(is_ready, false);                       // one thread
//   is_ready = true; phutex::wake_all(is_ready);         // another
//
// A word is used through phutex by everybody in the process, or by nobody: std::atomic::wait and
// the kernel's futexes do not meet it. Compiled code is in libphutex; see phutex.h for the rules
// that all calls share.

#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <climits>
#include <concepts>
#include <cstdint>
#include <ctime>
#include <limits>
#include <ratio>
#include <type_traits>

#include "phutex/phutex.h"

namespace phutex {

/// What a futex word can hold: 1, 2, 4 or 8 bytes without padding.
template <class T>
concept word_value = std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T> &&
    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) &&
    std::atomic<T>::is_always_lock_free;

/// How a wait ended. Whatever it says, look at the word again.
enum class wait_result : int {
  woken = 0,
  changed = -EAGAIN,       // the word did not hold the expected value
  timed_out = -ETIMEDOUT,
  interrupted = -EINTR,    // a signal handler ran
  no_memory = -ENOMEM,     // at a thread's first wait
};

/// Clocks a deadline can be on.
template <class C>
concept wait_clock =
    std::same_as<C, std::chrono::steady_clock> || std::same_as<C, std::chrono::system_clock>;

namespace word_bits {

template <class T>
std::uint64_t bits_of(const T& value) noexcept {
  if constexpr (sizeof(T) == 1) return std::bit_cast<std::uint8_t>(value);
  if constexpr (sizeof(T) == 2) return std::bit_cast<std::uint16_t>(value);
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(value);
  if constexpr (sizeof(T) == 8) return std::bit_cast<std::uint64_t>(value);
}

/// A time since a clock's epoch as the C interface has it: nothing for one before the epoch, and
/// the last second there is for one beyond it.
template <class Duration>
timespec timespec_of(Duration since_epoch) noexcept {
  using std::chrono::seconds;
  using wide = std::chrono::duration<long double>;
  constexpr auto last = std::numeric_limits<std::time_t>::max();
  if (!(since_epoch > Duration::zero())) return {0, 0};
  constexpr bool fits_seconds = std::is_integral_v<typename Duration::rep> &&
                                std::is_signed_v<typename Duration::rep> &&
                                std::ratio_less_equal_v<typename Duration::period, std::ratio<1>>;
  if constexpr (!fits_seconds) {
    if (wide(since_epoch) >= wide(last)) return {last, 0};
  }
  // Split before converting: not every time fits a 64-bit count of nanoseconds.
  const auto whole = std::chrono::floor<seconds>(since_epoch);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch - whole);
  return {static_cast<std::time_t>(whole.count()), static_cast<long>(rest.count())};
}

}  // namespace word_bits

/// Sleeps until woken, unless `word` does not hold `expected`. Blocks; allocates at a thread's first
/// wait at most. Not to be called in a signal handler that may interrupt the same thread's wait
/// set-up. Results: woken, changed, interrupted, no_memory.
template <word_value T>
wait_result wait(const std::atomic<T>& word, std::type_identity_t<T> expected) noexcept {
  return static_cast<wait_result>(phutex_wait(&word, sizeof(T), word_bits::bits_of(expected),
                                              PHUTEX_ANY, nullptr, CLOCK_MONOTONIC));
}

/// The same with a deadline on std::chrono's steady or system clock, which are CLOCK_MONOTONIC and
/// CLOCK_REALTIME: a system-clock deadline follows that clock when it is set. A deadline in the
/// past, or before the epoch, is timed_out unless the word has changed. Also timed_out.
template <word_value T, wait_clock Clock, class Duration>
wait_result wait_until(const std::atomic<T>& word, std::type_identity_t<T> expected,
                       std::chrono::time_point<Clock, Duration> deadline) noexcept {
  const timespec until = word_bits::timespec_of(deadline.time_since_epoch());
  constexpr bool is_steady = std::same_as<Clock, std::chrono::steady_clock>;
  return static_cast<wait_result>(phutex_wait(&word, sizeof(T), word_bits::bits_of(expected),
                                              PHUTEX_ANY, &until,
                                              is_steady ? CLOCK_MONOTONIC : CLOCK_REALTIME));
}

/// The same for a time from now on, at least. Any duration is right: one that ends beyond what the
/// clock can count waits for ever.
template <word_value T, class Rep, class Period>
wait_result wait_for(const std::atomic<T>& word, std::type_identity_t<T> expected,
                     std::chrono::duration<Rep, Period> duration) noexcept {
  using clock = std::chrono::steady_clock;
  using wide = std::chrono::duration<long double>;
  const clock::time_point now = clock::now();
  if (wide(duration) >= wide(clock::time_point::max() - now)) return wait(word, expected);
  if (!(wide(duration) > wide::zero())) return wait_until(word, expected, now);
  return wait_until(word, expected,
                    now + std::chrono::ceil<clock::duration>(duration));
}

/// Wakes up to `count` waiters, longest-waiting first; `count` below 1 wakes nobody. Returns how
/// many. A full memory barrier; no lock and no system call if nobody waits. Allocates at a
/// thread's first call of phutex at most.
template <word_value T>
int wake(const std::atomic<T>& word, int count) noexcept {
  return count < 1 ? 0 : phutex_wake(&word, count, PHUTEX_ANY);
}

template <word_value T>
int wake_one(const std::atomic<T>& word) noexcept {
  return phutex_wake(&word, 1, PHUTEX_ANY);
}

template <word_value T>
int wake_all(const std::atomic<T>& word) noexcept {
  return phutex_wake(&word, INT_MAX, PHUTEX_ANY);
}

/// The process's hash and its size: phutex_buckets, phutex_set_buckets, phutex_reserve and
/// phutex_thread_coming, with a negative errno for an error.
inline std::size_t buckets() noexcept { return phutex_buckets(); }
inline int set_buckets(std::size_t count) noexcept { return phutex_set_buckets(count); }
inline int reserve(std::size_t addresses) noexcept { return phutex_reserve(addresses); }
inline int thread_coming() noexcept { return phutex_thread_coming(); }

/// phutex_take_snapshot, with patience: the members are described there.
inline phutex_snapshot snapshot() noexcept {
  phutex_snapshot taken;
  phutex_take_snapshot(&taken, sizeof taken, 1);
  return taken;
}

/// Whose PR_FUTEX_HASH is spoken: that of the release candidates of Linux 6.16, where a size may be
/// set for good, or that of 6.17 and later.
enum class prctl_dialect : int { linux_6_16 = PHUTEX_PRCTL_6_16, linux_6_17 = PHUTEX_PRCTL_6_17 };

/// phutex_prctl_hash_as.
inline int prctl_hash(prctl_dialect dialect, unsigned long operation, unsigned long count = 0,
                      unsigned long flags = 0) noexcept {
  return phutex_prctl_hash_as(static_cast<int>(dialect), operation, count, flags);
}

}  // namespace phutex
