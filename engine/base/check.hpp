// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What happens when phutex itself is wrong.
//
// PHUTEX_CHECK is always on; PHUTEX_ASSERT is for expectations that cost, and is on where
// PHUTEX_ASSERTIONS is defined. Each machine decides what a failure does: the native one writes
// a line and aborts, a virtual one reports a counterexample.

namespace phutex {

/// Defined once by the machine a program is linked with. Does not return to the check.
[[noreturn]] void check_failed(const char* condition, const char* why, const char* file,
                               int line) noexcept(false);

}  // namespace phutex

#define PHUTEX_CHECK(condition, why)  \
  (static_cast<bool>(condition) ? void(0) \
                                : ::phutex::check_failed(#condition, why, __FILE__, __LINE__))

#ifdef PHUTEX_ASSERTIONS
#define PHUTEX_ASSERT(condition, why) PHUTEX_CHECK(condition, why)
#else
#define PHUTEX_ASSERT(condition, why) void(0)
#endif
