// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What an operation came to: a value, or the reason there is none.
//
// See  native/c_abi.cpp, the only place where an Errno becomes a negative number

#include <cstdint>

#include "engine/base/check.hpp"

namespace phutex {

/// Why an operation failed. The numbers are the kernel's (asm-generic/errno), the names ours.
enum class Errno : std::int32_t {
  none = 0,
  interrupted = 4,     // EINTR: a signal handler ran
  again = 11,          // EAGAIN: the word holds another value
  no_memory = 12,      // ENOMEM
  fault = 14,          // EFAULT: an address that cannot be read
  busy = 16,           // EBUSY: the table may not be replaced
  invalid = 22,        // EINVAL: an argument that no state could make right
  not_supported = 38,  // ENOSYS: no such operation
  timed_out = 110,     // ETIMEDOUT
};

/// A T, or an Errno other than none.
template <class T>
class [[nodiscard]] Result {
 public:
  constexpr Result(T value) noexcept : value_(value) {}        // implicit: return value;
  constexpr Result(Errno error) noexcept : error_(error) {}    // implicit: return Errno::again;

  constexpr explicit operator bool() const noexcept { return error_ == Errno::none; }
  constexpr Errno error() const noexcept { return error_; }
  constexpr T operator*() const noexcept {
    PHUTEX_ASSERT(error_ == Errno::none, "a value is asked of a failure");
    return value_;
  }

 private:
  T value_{};
  Errno error_ = Errno::none;
};

/// Success, or an Errno.
template <>
class [[nodiscard]] Result<void> {
 public:
  constexpr Result() noexcept = default;
  constexpr Result(Errno error) noexcept : error_(error) {}  // implicit: return Errno::again;

  constexpr explicit operator bool() const noexcept { return error_ == Errno::none; }
  constexpr Errno error() const noexcept { return error_; }

 private:
  Errno error_ = Errno::none;
};

}  // namespace phutex
