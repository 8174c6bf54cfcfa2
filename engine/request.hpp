// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What one futex call asks for: futex(2)'s op word, or the flags of its successors, taken apart.
//
// The numbers are the kernel's ABI; they appear here and in native/ only.

#include <cstdint>

#include "engine/base/deadline.hpp"
#include "engine/base/result.hpp"

namespace phutex::request {

inline constexpr std::uint32_t kPrivateFlag = 128;
inline constexpr std::uint32_t kRealtimeFlag = 256;

enum class Command : std::uint32_t {
  wait = 0,
  wake = 1,
  lock_pi = 6,
  wait_bitset = 9,
  wake_bitset = 10,
  wait_requeue_pi = 11,
  lock_pi2 = 13,
};

/// The op word of futex(2).
class Op {
 public:
  explicit constexpr Op(std::uint32_t raw) noexcept : raw_(raw) {}

  /// Any bit that is no flag belongs to the command, and makes it an unknown one.
  constexpr Command command() const noexcept {
    return static_cast<Command>(raw_ & ~(kPrivateFlag | kRealtimeFlag));
  }
  constexpr Clock clock() const noexcept {
    return (raw_ & kRealtimeFlag) != 0 ? Clock::realtime : Clock::monotonic;
  }
  constexpr bool is_private() const noexcept { return (raw_ & kPrivateFlag) != 0; }

  /// Is the call the engine's? Every other call is the kernel's.
  constexpr bool is_for_engine() const noexcept {
    switch (command()) {
      case Command::wait:
      case Command::wake:
      case Command::wait_bitset:
      case Command::wake_bitset: return is_private();
      default: return false;
    }
  }

  /// Of the engine's calls: is the fourth argument a timeout?
  constexpr bool has_timeout() const noexcept {
    return command() == Command::wait || command() == Command::wait_bitset;
  }

  /// Only WAIT_BITSET, of the engine's calls, may name the realtime clock.
  constexpr bool allows_its_clock() const noexcept {
    return clock() == Clock::monotonic || command() == Command::wait_bitset;
  }

 private:
  std::uint32_t raw_;
};

/// The flags of futex_wait(2) and futex_wake(2).
class Flags {
 public:
  explicit constexpr Flags(std::uint32_t raw) noexcept : raw_(raw) {}

  constexpr bool is_private() const noexcept { return (raw_ & kPrivateFlag) != 0; }

  /// Does a second word say the node?
  constexpr bool have_node_word() const noexcept { return (raw_ & kNode) != 0; }

  /// Does the memory policy say the node?
  constexpr bool have_policy() const noexcept { return (raw_ & kPolicy) != 0; }

  /// Nothing unknown, and the one size there is: 32 bits.
  constexpr bool are_valid() const noexcept {
    return (raw_ & ~(kPrivateFlag | kNode | kPolicy)) == kSize32;
  }

 private:
  static constexpr std::uint32_t kSize32 = 2;
  static constexpr std::uint32_t kNode = 4;
  static constexpr std::uint32_t kPolicy = 8;

  std::uint32_t raw_;
};

}  // namespace phutex::request
