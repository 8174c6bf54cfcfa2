// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program whose malloc takes a lock made of futex calls: the preload library, whatever it does
// for such a call, must not want memory from that malloc.

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

std::atomic<std::uint32_t> lock_word{0};  // 0 free, 1 held, 2 held and somebody may sleep
std::atomic<long> contentions{0};

void lock() {
  std::uint32_t expected = 0;
  if (lock_word.compare_exchange_strong(expected, 1)) return;
  contentions.fetch_add(1);
  while (lock_word.exchange(2) != 0) {
    syscall(SYS_futex, &lock_word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, nullptr);
  }
}
void unlock() {
  if (lock_word.exchange(0) == 2) {
    syscall(SYS_futex, &lock_word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
  }
}

// Handed out and never taken back; untouched pages cost nothing.
constexpr std::size_t kArena = std::size_t{1} << 28;
alignas(16) char arena[kArena];
std::size_t used = 0;

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  lock();
  const std::size_t start = used;
  used += (size + 31) / 16 * 16;
  if (used > kArena) _exit(3);
  unlock();
  std::memcpy(arena + start, &size, sizeof size);
  return arena + start + 16;
}
void free(void*) {
  lock();
  unlock();
}
void* calloc(std::size_t count, std::size_t size) {
  void* const memory = malloc(count * size);  // of a fresh arena, so zero
  return memory;
}
void* realloc(void* old, std::size_t size) {
  void* const memory = malloc(size);
  if (old != nullptr) {
    std::size_t before = 0;
    std::memcpy(&before, static_cast<char*>(old) - 16, sizeof before);
    std::memcpy(memory, old, before < size ? before : size);
  }
  return memory;
}

}  // extern "C"

int main() {
  alarm(60);
  constexpr int kPrFutexHash = 78;
  std::thread threads[8];
  for (std::thread& thread : threads) {
    thread = std::thread{[] {
      for (int round = 0; round < 100000; ++round) {
        void* volatile memory = malloc(24);
        free(memory);
      }
    }};
  }
  // A hash that is replaced meanwhile needs memory, too, and must not ask for it here.
  for (unsigned long buckets = 2; buckets <= 4096; buckets *= 2) {
    if (prctl(kPrFutexHash, 1, buckets, 0, 0) != 0) return 1;
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld contended allocations\n", contentions.load());
  return 0;
}
