// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The two that are asked the same questions, the running kernel and the engine; and a thread that
// sleeps in either.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <utility>

#include "native/instance.hpp"
#include "phutex/phutex.h"
#include "tests/threads/watch.hpp"

namespace phutex::tests {

using Word = std::atomic<std::uint32_t>;

inline std::uint32_t* address(Word& word) noexcept {
  return reinterpret_cast<std::uint32_t*>(&word);
}

inline constexpr int kWait = FUTEX_WAIT | FUTEX_PRIVATE_FLAG;
inline constexpr int kWake = FUTEX_WAKE | FUTEX_PRIVATE_FLAG;
inline constexpr int kWaitBitset = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG;
inline constexpr int kWakeBitset = FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG;
inline constexpr int kRealtime = FUTEX_CLOCK_REALTIME;
inline constexpr std::uint32_t kAnyBit = FUTEX_BITSET_MATCH_ANY;

struct Machine {
  const char* name;
  /// futex(2), with a negative errno for an error.
  long (*futex)(std::uint32_t* word, int op, std::uint32_t value, const timespec* timeout,
                std::uint32_t* word2, std::uint32_t value3);
  /// How many sleep on the private word. Wakes nobody and changes no order.
  std::size_t (*waiting)(Word& word);
};

/// Milliseconds that a thread is kept busy before each wait, as on a slow machine: a test that only
/// works when its sleepers are quick does not work. PHUTEX_SLOW_WAITS.
inline void be_slow_before_waiting(int op) {
  static const long milliseconds = [] {
    const char* const text = std::getenv("PHUTEX_SLOW_WAITS");
    return text == nullptr ? 0 : std::atol(text);
  }();
  const int command = op & FUTEX_CMD_MASK;
  if (milliseconds == 0 || (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{milliseconds};
  while (std::chrono::steady_clock::now() < end) continue;
}

inline long kernel_futex(std::uint32_t* word, int op, std::uint32_t value, const timespec* timeout,
                         std::uint32_t* word2, std::uint32_t value3) {
  be_slow_before_waiting(op);
  const long result = syscall(SYS_futex, word, op, value, timeout, word2, value3);
  return result == -1 ? -errno : result;
}

// Moving all waiters of a word to the same word leaves them where they are and says how many.
inline std::size_t kernel_waiting_as(Word& word, int flags) {
  for (;;) {
    const long moved =
        syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE | flags, 0, INT_MAX, &word, word.load());
    if (moved >= 0) return static_cast<std::size_t>(moved);
    if (errno != EAGAIN) give_up("the kernel to count its waiters");
  }
}
inline std::size_t kernel_waiting(Word& word) {
  return kernel_waiting_as(word, FUTEX_PRIVATE_FLAG);
}
inline std::size_t kernel_waiting_shared(Word& word) {
  return kernel_waiting_as(word, 0);
}

inline long engine_futex(std::uint32_t* word, int op, std::uint32_t value, const timespec* timeout,
                         std::uint32_t* word2, std::uint32_t value3) {
  be_slow_before_waiting(op);
  return phutex_futex(word, op, value, timeout, word2, value3);
}

inline std::size_t engine_waiting(Word& word) {
  native::Instance* const instance = native::Instance::get_if_used();
  if (instance == nullptr) return 0;
  return instance->engine().waiting(Key{reinterpret_cast<std::uintptr_t>(&word)});
}

inline constexpr Machine kKernel{"kernel", kernel_futex, kernel_waiting};
inline constexpr Machine kEngine{"engine", engine_futex, engine_waiting};
inline constexpr const Machine* kMachines[] = {&kKernel, &kEngine};

/// One thread in one wait.
class Sleeper {
 public:
  template <class Wait>
  explicit Sleeper(Wait wait)
      : thread_([this, wait = std::move(wait)] {
          result_ = wait();
          is_back_.store(true);
        }) {}
  Sleeper(const Machine& machine, Word& word, std::uint32_t bits = kAnyBit,
          const timespec* until = nullptr, int flags = 0)
      : Sleeper([&machine, &word, bits, until, flags] {
          return machine.futex(address(word), kWaitBitset | flags, word.load(), until, nullptr,
                               bits);
        }) {}
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() {
    if (thread_.joinable()) thread_.join();
  }

  bool is_back() const noexcept { return is_back_.load(); }
  pthread_t handle() noexcept { return thread_.native_handle(); }

  /// What the wait returned, once it has.
  long result() {
    if (thread_.joinable()) thread_.join();
    return result_;
  }

 private:
  std::atomic<bool> is_back_{false};
  long result_ = 0;  // written by the thread, read after it has been joined
  std::thread thread_;
};

inline void wait_for_sleepers(const Machine& machine, Word& word, std::size_t count) {
  wait_until([&] { return machine.waiting(word) == count; }, "as many sleepers as there should be");
}

inline timespec in(clockid_t clock, long milliseconds) {
  timespec time{};
  clock_gettime(clock, &time);
  const long nanoseconds = time.tv_nsec + milliseconds % 1000 * 1'000'000;
  time.tv_sec += milliseconds / 1000 + nanoseconds / 1'000'000'000;
  time.tv_nsec = nanoseconds % 1'000'000'000;
  return time;
}

}  // namespace phutex::tests
