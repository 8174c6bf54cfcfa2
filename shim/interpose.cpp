// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The preload library: libc's syscall() and prctl(), with private futexes and PR_FUTEX_HASH taken
// over by the engine. All other calls go to the kernel just as libc's own functions make them.
//
// Both are what libc's are: they return -1 and set errno on failure, and are cancellation points
// for nobody. Nothing is looked up by dlsym, so they work before any constructor has run and for
// callers inside malloc; the engine itself is made at the first futex call or the first thread, and
// anew in a forked child.

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "native/kernel.hpp"
#include "native/settings.hpp"
#include "phutex/phutex.h"

namespace {

// Older headers do not have these.
constexpr int kPrFutexHash = 78;  // PR_FUTEX_HASH
constexpr long kFutexWake = 454;
constexpr long kFutexWait = 455;

// The kernel's answer, libc's way. The kernel never returns numbers from -4095 for a success.
long as_libc(long answer) noexcept {
  if (answer < 0 && answer >= -4095) {
    errno = static_cast<int>(-answer);
    return -1;
  }
  return answer;
}

}  // namespace

// A variadic function may read arguments that were not passed: they are in registers whose content
// does not matter, on every machine we know, and libc's own syscall() does the same.
extern "C" {

[[gnu::visibility("default")]] long syscall(long number, ...) noexcept {
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& each : a) each = va_arg(arguments, long);
  va_end(arguments);
  switch (number) {
    case SYS_futex:
      return as_libc(phutex_futex(reinterpret_cast<uint32_t*>(a[0]), static_cast<int>(a[1]),
                                  static_cast<uint32_t>(a[2]),
                                  reinterpret_cast<const struct timespec*>(a[3]),
                                  reinterpret_cast<uint32_t*>(a[4]), static_cast<uint32_t>(a[5])));
    case kFutexWake:
      return as_libc(phutex_futex_wake(reinterpret_cast<void*>(a[0]),
                                       static_cast<unsigned long>(a[1]), static_cast<int>(a[2]),
                                       static_cast<unsigned>(a[3])));
    case kFutexWait:
      return as_libc(phutex_futex_wait(
          reinterpret_cast<void*>(a[0]), static_cast<unsigned long>(a[1]),
          static_cast<unsigned long>(a[2]), static_cast<unsigned>(a[3]),
          reinterpret_cast<const struct timespec*>(a[4]), static_cast<clockid_t>(a[5])));
    default:
      return as_libc(phutex::native::kernel::call(number, a[0], a[1], a[2], a[3], a[4], a[5]));
  }
}

[[gnu::visibility("default")]] int prctl(int option, ...) noexcept {
  va_list arguments;
  va_start(arguments, option);
  unsigned long a[4];
  for (unsigned long& each : a) each = va_arg(arguments, unsigned long);
  va_end(arguments);
  if (option == kPrFutexHash) {
    return static_cast<int>(
        as_libc(phutex_prctl_hash_as(phutex::native::asked_prctl(), a[0], a[1], a[2])));
  }
  return static_cast<int>(as_libc(phutex::native::kernel::call(
      SYS_prctl, option, static_cast<long>(a[0]), static_cast<long>(a[1]),
      static_cast<long>(a[2]), static_cast<long>(a[3]))));
}

}  // extern "C"
