// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/timeout.hpp"

#include <limits>

#include "native/user_word.hpp"

namespace phutex::native {

namespace {

constexpr long kSecond = 1'000'000'000;

bool is_valid(const timespec& time) noexcept {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < kSecond;
}

}  // namespace

Result<Deadline> absolute_deadline(const timespec& time, Clock clock) noexcept {
  if (!is_valid(time)) return Errno::invalid;
  return Deadline::at(clock, time.tv_sec, time.tv_nsec);
}

Result<Deadline> relative_deadline(const timespec& time) noexcept {
  if (!is_valid(time)) return Errno::invalid;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::int64_t nanoseconds = now.tv_nsec + time.tv_nsec;
  std::int64_t seconds = now.tv_sec + (nanoseconds >= kSecond ? 1 : 0);
  if (nanoseconds >= kSecond) nanoseconds -= kSecond;
  if (__builtin_add_overflow(seconds, time.tv_sec, &seconds)) {
    seconds = std::numeric_limits<std::int64_t>::max();
  }
  return Deadline::at(Clock::monotonic, seconds, nanoseconds);
}

Result<timespec> read_timespec(const timespec* time) noexcept {
  static_assert(sizeof(timespec) == 2 * sizeof(std::uint64_t));
  const auto* const words = reinterpret_cast<const std::uint64_t*>(time);
  const Result<std::uint64_t> seconds = Word{words}.load();
  const Result<std::uint64_t> nanoseconds = Word{words + 1}.load();
  if (!seconds || !nanoseconds) return Errno::fault;
  return timespec{static_cast<time_t>(*seconds), static_cast<long>(*nanoseconds)};
}

}  // namespace phutex::native
