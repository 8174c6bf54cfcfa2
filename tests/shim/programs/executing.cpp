// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program that becomes another one while its threads sleep: what comes after exec starts with
// nothing of what was before.

#include "tests/shim/preloaded.hpp"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

namespace {

constexpr int kPrFutexHash = 78;
std::atomic<std::uint32_t> word{0};

long futex(int command, std::uint32_t value) {
  return syscall(SYS_futex, &word, command | FUTEX_PRIVATE_FLAG, value, nullptr);
}

}  // namespace

int main(int count, char** arguments) {
  alarm(60);
  if (!phutex::tests::is_preloaded()) return 1;
  if (prctl(kPrFutexHash, 2, 0, 0, 0) != 0) return 2;
  if (futex(FUTEX_WAKE, 1) != 0) return 3;
  std::thread sleeper{[] { futex(FUTEX_WAIT, 0); }};
  while (futex(FUTEX_WAKE, 1) != 1) {
  }
  sleeper.join();
  if (count > 3) return 0;
  std::thread{[] { futex(FUTEX_WAIT, 0); }}.detach();
  if (prctl(kPrFutexHash, 1, 256, 0, 0) != 0) return 4;
  char more[] = "once more";
  char* next[] = {arguments[0], more, count > 1 ? more : nullptr, count > 2 ? more : nullptr,
                  nullptr};
  execv("/proc/self/exe", next);
  return 5;
}
