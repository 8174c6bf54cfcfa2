// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private futexes and PR_FUTEX_HASH of a program that knows nothing of phutex are the engine's, in
// fact and not in name; everything else about futexes is the kernel's.

#include "tests/shim/preloaded.hpp"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/shim/kernel_itself.hpp"
#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

using Word = std::atomic<std::uint32_t>;

constexpr int kPrFutexHash = 78;
constexpr int kPrivate = FUTEX_PRIVATE_FLAG;

long futex(Word& word, int op, std::uint32_t value, const timespec* timeout = nullptr,
           std::uint32_t bits = 0) {
  return syscall(SYS_futex, &word, op, value, timeout, nullptr, bits);
}

long kernels_wake(Word& word, int flags) {
  return kernel_itself(SYS_futex, as_long(&word), FUTEX_WAKE | flags, INT_MAX);
}

class Futexes : public testing::Test {
 protected:
  Word word_{0};

 private:
  Watchdog watchdog_{50, "a test of preloaded futexes"};
};

// The proof that the engine is at work: the kernel knows nothing of a private sleeper.
TEST_F(Futexes, ThatArePrivateAreNotTheKernels) {
  std::thread sleeper{[&] {
    while (word_.load() == 0) futex(word_, FUTEX_WAIT | kPrivate, 0);
  }};
  for (int round = 0; round < 1000; ++round) {
    EXPECT_EQ(kernels_wake(word_, kPrivate), 0);
    wait_until([&] { return futex(word_, FUTEX_WAKE | kPrivate, 1) == 1; }, "a sleeper to wake");
  }
  word_.store(1);
  futex(word_, FUTEX_WAKE | kPrivate, 1);
  sleeper.join();
}

TEST_F(Futexes, ThatAreSharedAreTheKernels) {
  std::thread sleeper{[&] { EXPECT_EQ(futex(word_, FUTEX_WAIT, 0), 0); }};
  wait_until([&] { return kernels_wake(word_, 0) == 1; }, "the kernel to find a shared sleeper");
  sleeper.join();
}

TEST_F(Futexes, CountTheirWakes) {
  constexpr int kSleepers = 5;
  std::vector<std::thread> sleepers;
  for (int index = 0; index < kSleepers; ++index) {
    sleepers.emplace_back(
        [&] { EXPECT_EQ(futex(word_, FUTEX_WAIT_BITSET | kPrivate, 0, nullptr, 6), 0); });
  }
  int left = kSleepers;
  EXPECT_EQ(futex(word_, FUTEX_WAKE_BITSET | kPrivate, INT_MAX, nullptr, 1), 0);
  wait_until(
      [&] {
        left -= static_cast<int>(futex(word_, FUTEX_WAKE_BITSET | kPrivate, 2, nullptr, 2));
        return left == 0;
      },
      "everybody to be woken");
  for (std::thread& sleeper : sleepers) sleeper.join();
  EXPECT_EQ(futex(word_, FUTEX_WAKE | kPrivate, INT_MAX), 0);
}

struct Failure {
  const char* what;
  long result;
  int error;
};

Failure answer(const char* what, long result) {
  return {what, result, errno};
}

// -1 and errno, as everywhere in the C library; glibc aborts on errors it does not expect.
TEST_F(Futexes, FailAsTheCLibrarysDo) {
  const timespec none{0, 0};
  const timespec bad{0, 1'000'000'000};
  auto* const odd = reinterpret_cast<char*>(&word_) + 1;
  const auto expect = [](const Failure& failure, int error) {
    EXPECT_EQ(failure.result, -1) << failure.what;
    EXPECT_EQ(failure.error, error) << failure.what;
  };
  expect(answer("another value", futex(word_, FUTEX_WAIT | kPrivate, 1)), EAGAIN);
  expect(answer("no time", futex(word_, FUTEX_WAIT | kPrivate, 0, &none)), ETIMEDOUT);
  expect(answer("a bad time", futex(word_, FUTEX_WAIT | kPrivate, 0, &bad)), EINVAL);
  expect(answer("no bits", futex(word_, FUTEX_WAKE_BITSET | kPrivate, 1)), EINVAL);
  expect(answer("a clock", futex(word_, FUTEX_WAKE | kPrivate | FUTEX_CLOCK_REALTIME, 1)), ENOSYS);
  expect(answer("misaligned", syscall(SYS_futex, odd, FUTEX_WAKE | kPrivate, 1)), EINVAL);
  expect(answer("NULL", syscall(SYS_futex, nullptr, FUTEX_WAIT | kPrivate, 0, nullptr)), EFAULT);
  expect(answer("an unknown command", futex(word_, 31 | kPrivate, 1)), ENOSYS);
  expect(answer("a shared mismatch", futex(word_, FUTEX_WAIT, 1)), EAGAIN);
}

// Where the fourth argument is a number, it is not looked at as a pointer.
TEST_F(Futexes, TakeANumberForANumber) {
  errno = 77;
  EXPECT_EQ(syscall(SYS_futex, &word_, FUTEX_WAKE | kPrivate, 1, 3L, 5L, 7L), 0);
  EXPECT_EQ(syscall(SYS_futex, &word_, FUTEX_WAKE_BITSET | kPrivate, 1, 3L, 5L, 7L), 0);
  Word other{0};
  EXPECT_EQ(syscall(SYS_futex, &word_, FUTEX_REQUEUE | kPrivate, 1, 3L, &other, 7L), 0);
  EXPECT_EQ(syscall(SYS_futex, &word_, FUTEX_CMP_REQUEUE | kPrivate, 1, 3L, &other, 0L), 0);
  EXPECT_EQ(syscall(SYS_futex, &word_, FUTEX_WAKE_OP | kPrivate, 1, 3L, &other, 0x01000001L), 0);
  EXPECT_EQ(other.load(), 0U);
  EXPECT_EQ(errno, 77) << "a success leaves errno alone";
}

// The commands that the engine does not have yet go to the kernel, which does not see the engine's
// sleepers: a program that moves sleepers by syscall() finds none. Documented; not hidden.
TEST_F(Futexes, CannotBeMovedByTheKernel) {
  std::thread sleeper{[&] { EXPECT_EQ(futex(word_, FUTEX_WAIT | kPrivate, 0), 0); }};
  Word other{0};
  EXPECT_EQ(syscall(SYS_futex, &word_, FUTEX_CMP_REQUEUE | kPrivate, 0, INT_MAX, &other, 0), 0);
  wait_until([&] { return futex(word_, FUTEX_WAKE | kPrivate, 1) == 1; }, "the sleeper, unmoved");
  sleeper.join();
}

TEST_F(Futexes, LastAsLongAsAsked) {
  for (const bool is_absolute : {false, true}) {
    timespec before{};
    clock_gettime(CLOCK_MONOTONIC, &before);
    timespec time{0, 100'000'000};
    if (is_absolute) {
      time = before;
      time.tv_nsec += 100'000'000;
      if (time.tv_nsec >= 1'000'000'000) time = {time.tv_sec + 1, time.tv_nsec - 1'000'000'000};
    }
    const int op = is_absolute ? FUTEX_WAIT_BITSET : FUTEX_WAIT;
    EXPECT_EQ(futex(word_, op | kPrivate, 0, &time, ~0U), -1);
    EXPECT_EQ(errno, ETIMEDOUT);
    timespec after{};
    clock_gettime(CLOCK_MONOTONIC, &after);
    const long elapsed =
        (after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec;
    EXPECT_GE(elapsed, 100'000'000);
    EXPECT_LT(elapsed, 10'000'000'000);
  }
}

// The kernel's own count of buckets is another one.
TEST(FutexHash, IsTheEngines) {
  const long of_the_kernel = kernel_itself(SYS_prctl, kPrFutexHash, 2);
  EXPECT_EQ(prctl(kPrFutexHash, 1, 128, 0, 0), 0);
  EXPECT_EQ(prctl(kPrFutexHash, 2, 0, 0, 0), 128);
  EXPECT_EQ(kernel_itself(SYS_prctl, kPrFutexHash, 2), of_the_kernel);
  errno = 0;
  EXPECT_EQ(prctl(kPrFutexHash, 1, 3, 0, 0), -1);
  EXPECT_EQ(errno, EINVAL);
  errno = 0;
  EXPECT_EQ(prctl(kPrFutexHash, 1, 16, 1, 0), -1);
  EXPECT_EQ(errno, EINVAL);
  errno = 0;
  EXPECT_EQ(prctl(kPrFutexHash, 1, 1UL << 31, 0, 0), -1);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(prctl(kPrFutexHash, 2, 0, 0, 0), 128);
}

TEST(FutexHash, IsEachProcesssOwn) {
  EXPECT_EQ(prctl(kPrFutexHash, 1, 64, 0, 0), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    Word word{0};
    const timespec soon{0, 1000};
    if (prctl(kPrFutexHash, 2, 0, 0, 0) != 0) _exit(1);
    if (futex(word, FUTEX_WAIT | kPrivate, 0, &soon) != -1 || errno != ETIMEDOUT) _exit(2);
    if (futex(word, FUTEX_WAKE | kPrivate, 1) != 0) _exit(3);
    if (prctl(kPrFutexHash, 1, 0, 0, 0) != 0 || prctl(kPrFutexHash, 2, 0, 0, 0) != 0) _exit(4);
    if (prctl(kPrFutexHash, 1, 16, 0, 0) != -1 || errno != EBUSY) _exit(5);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(prctl(kPrFutexHash, 2, 0, 0, 0), 64);
}

}  // namespace
}  // namespace phutex::tests
