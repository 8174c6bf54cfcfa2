// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program whose constructors create threads, the first of them before any constructor of any
// library has run, the preload library's included.

#include "tests/shim/preloaded.hpp"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

constexpr int kPrFutexHash = 78;

int slots() {
  return prctl(kPrFutexHash, 2, 0, 0, 0);
}

int threads_run = 0;  // by threads that are joined one after the other
int slots_before = -1;
int slots_after_first = -1;

void run_a_thread() {
  pthread_t thread;
  const auto start = [](void*) -> void* {
    ++threads_run;
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, start, nullptr) == 0) pthread_join(thread, nullptr);
}

// The dynamic linker calls these before the first constructor.
void before_everything(int, char**, char**) {
  slots_before = slots();
  run_a_thread();
  slots_after_first = slots();
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const first)(int, char**,
                                                                  char**) = before_everything;

[[gnu::constructor(101)]] void in_constructor() {
  run_a_thread();
}

}  // namespace

int main() {
  alarm(60);
  if (threads_run != 2) return 1;
  if (slots_before != 0) return 2;
  if (slots_after_first != 16) return 3;
  return slots() == 16 ? 0 : 4;
}
