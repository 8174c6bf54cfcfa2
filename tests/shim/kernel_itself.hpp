// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The kernel, asked without any library: what no preload library can see.

#include <sys/syscall.h>

#include "native/kernel.hpp"

namespace phutex::tests {

/// A result, or an errno below zero.
inline long kernel_itself(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                          long f = 0) noexcept {
  return native::kernel::call(number, a, b, c, d, e, f);
}

template <class T>
long as_long(T* pointer) noexcept {
  return reinterpret_cast<long>(pointer);
}

}  // namespace phutex::tests
