// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program that makes futex calls before any constructor of any library has run, the preload
// library's included, and again from its own first constructor.

#include "tests/shim/preloaded.hpp"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <thread>

namespace {

constexpr int kPrFutexHash = 78;

std::atomic<std::uint32_t> word{0};
int results_before[4];
int results_in_constructor[4];

void try_everything(int (&results)[4]) {
  const timespec soon{0, 1000};
  long result = syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1, nullptr);
  results[0] = result == -1 ? errno : 0;
  result = syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &soon);
  results[1] = result == -1 ? errno : 0;
  results[2] = static_cast<int>(syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1));
  results[3] = prctl(kPrFutexHash, 2, 0, 0, 0);
}

// The dynamic linker calls these before the first constructor.
void before_everything(int, char**, char**) {
  try_everything(results_before);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const first)(int, char**,
                                                                  char**) = before_everything;

[[gnu::constructor(101)]] void in_constructor() {
  try_everything(results_in_constructor);
}

bool are_right(const int (&results)[4]) {
  // No buckets to speak of beside a single thread, as in the kernel.
  return results[0] == EAGAIN && results[1] == ETIMEDOUT && results[2] == 0 && results[3] == 0;
}

}  // namespace

int main() {
  alarm(60);
  if (!are_right(results_before)) return 1;
  if (!are_right(results_in_constructor)) return 2;
  // And it still works when there are threads.
  std::thread sleeper{[] {
    while (word.load() == 0) {
      syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, nullptr);
    }
  }};
  while (syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1) != 1) {
  }
  word.store(1);
  syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
  sleeper.join();
  return 0;
}
