// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The kernel, asked without any library: what no preload library can see.

#include <sys/syscall.h>

namespace phutex::tests {

/// A result, or an errno below zero.
inline long kernel_itself(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                          long f = 0) noexcept {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory", "cc");
  return x0;
#endif
}

template <class T>
long as_long(T* pointer) noexcept {
  return reinterpret_cast<long>(pointer);
}

}  // namespace phutex::tests
