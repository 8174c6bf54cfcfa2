// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private calls of futex_wait(2) and futex_wake(2) are the engine's, shared ones the kernel's.

#include "tests/shim/preloaded.hpp"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <thread>

#include "tests/shim/kernel_itself.hpp"
#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

constexpr long kFutexWake = 454;
constexpr long kFutexWait = 455;
constexpr unsigned kShared = 2;
constexpr unsigned kPrivate = kShared | 128;
constexpr unsigned kNuma = kPrivate | 4;
constexpr unsigned long kAnyBit = 0xffffffff;

struct alignas(8) Pair {
  std::atomic<std::uint32_t> word{0};
  std::atomic<std::uint32_t> node{0};
};

class Futex2 : public testing::Test {
 protected:
  void SetUp() override {
    if (kernels_wake(kPrivate) == -ENOSYS) GTEST_SKIP() << "this kernel has no futex_wake(2)";
  }

  long wait(unsigned flags, const timespec* until = nullptr) {
    return syscall(kFutexWait, &pair_, 0UL, kAnyBit, flags, until, CLOCK_MONOTONIC);
  }
  long wake(unsigned flags) { return syscall(kFutexWake, &pair_, kAnyBit, INT_MAX, flags); }
  long kernels_wake(unsigned flags) {
    return kernel_itself(kFutexWake, as_long(&pair_), static_cast<long>(kAnyBit), INT_MAX, flags);
  }

  Pair pair_;

 private:
  Watchdog watchdog_{50, "a test of preloaded futex2 calls"};
};

TEST_F(Futex2, ThatArePrivateAreNotTheKernels) {
  for (const unsigned flags : {kPrivate, kNuma}) {
    std::thread sleeper{[&] { EXPECT_EQ(wait(flags), 0); }};
    wait_until(
        [&] {
          EXPECT_EQ(kernels_wake(flags), 0);
          return wake(flags) == 1;
        },
        "a sleeper to wake");
    sleeper.join();
  }
}

TEST_F(Futex2, ThatAreSharedAreTheKernels) {
  std::thread sleeper{[&] { EXPECT_EQ(wait(kShared), 0); }};
  wait_until([&] { return kernels_wake(kShared) == 1; }, "the kernel to find a shared sleeper");
  sleeper.join();
}

TEST_F(Futex2, SetErrno) {
  const timespec past{0, 0};
  EXPECT_EQ(wait(kNuma, &past), -1);
  EXPECT_EQ(errno, ETIMEDOUT);
  pair_.node.store(100000);
  EXPECT_EQ(wake(kNuma), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(wake(kPrivate | 1), -1);
  EXPECT_EQ(errno, EINVAL);
}

}  // namespace
}  // namespace phutex::tests
