// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// From a caller's timespec to a Deadline: checked, and made absolute.

#include <time.h>

#include "engine/base/deadline.hpp"
#include "engine/base/result.hpp"

namespace phutex::native {

/// Errors: invalid (negative seconds, or nanoseconds outside 0 ... 999 999 999).
Result<Deadline> absolute_deadline(const timespec& time, Clock clock) noexcept;

/// From now on the monotonic clock; a sum beyond the clock's end is its end. Errors: invalid.
Result<Deadline> relative_deadline(const timespec& time) noexcept;

/// A timespec that may not be readable. Errors: fault.
Result<timespec> read_timespec(const timespec* time) noexcept;

}  // namespace phutex::native
