// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// System calls that are none of ours, through syscall() and prctl(): each as the C library would
// have made it, up to six arguments, errno included.

#include "tests/shim/preloaded.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "tests/shim/kernel_itself.hpp"

namespace phutex::tests {
namespace {

TEST(Calls, ComeFromTheLibraryUnderTest) {
  EXPECT_NE(origin_of("syscall").find("phutex-preload"), std::string::npos);
  EXPECT_NE(origin_of("prctl").find("phutex-preload"), std::string::npos);
  EXPECT_EQ(origin_of("mmap").find("phutex-preload"), std::string::npos);
}

// No arguments to one: the answers of the kernel itself.
TEST(Calls, WithoutArgumentsAnswerAsTheKernel) {
  for (const long number : {SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid,
                            SYS_getgid, SYS_getegid, SYS_sched_yield, SYS_getpgid}) {
    errno = 77;
    EXPECT_EQ(syscall(number, 0L), kernel_itself(number)) << number;
    EXPECT_EQ(errno, 77) << number << ": a success leaves errno alone";
  }
  EXPECT_EQ(syscall(SYS_umask, 022L), kernel_itself(SYS_umask, 022));
}

TEST(Calls, PassOnTwoToFourArguments) {
  timespec time{};
  EXPECT_EQ(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time), 0);
  EXPECT_NE(time.tv_sec, 0);
  EXPECT_EQ(syscall(SYS_clock_getres, CLOCK_MONOTONIC, &time), 0);
  utsname here{};
  EXPECT_EQ(syscall(SYS_uname, &here), 0);
  EXPECT_STREQ(here.sysname, "Linux");
  std::array<char, 32> random{};
  EXPECT_EQ(syscall(SYS_getrandom, random.data(), random.size(), 0), 32);
  unsigned cpu = ~0U;
  EXPECT_EQ(syscall(SYS_getcpu, &cpu, nullptr, nullptr), 0);
  EXPECT_NE(cpu, ~0U);
  rlimit limit{};
  EXPECT_EQ(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit), 0);
  EXPECT_NE(limit.rlim_cur, 0U);
  sigset_t blocked{};
  EXPECT_EQ(syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &blocked, 8), 0);
  struct stat status {};
  EXPECT_EQ(syscall(SYS_newfstatat, AT_FDCWD, "/", &status, 0), 0);
  EXPECT_TRUE(S_ISDIR(status.st_mode));
}

TEST(Calls, ReadAndWriteFiles) {
  int ends[2];
  ASSERT_EQ(syscall(SYS_pipe2, ends, O_CLOEXEC), 0);
  EXPECT_EQ(syscall(SYS_write, ends[1], "seven!!", 7), 7);
  char text[8] = {};
  EXPECT_EQ(syscall(SYS_read, ends[0], text, 7), 7);
  EXPECT_STREQ(text, "seven!!");
  const long copy = syscall(SYS_dup, ends[1]);
  EXPECT_GT(copy, ends[1]);
  EXPECT_EQ(syscall(SYS_fcntl, copy, F_GETFD), 0);
  for (const long file : {long{ends[0]}, long{ends[1]}, copy})
    EXPECT_EQ(syscall(SYS_close, file), 0);
}

// Offsets beyond 32 bits, and all six registers: a file of which the word lies at 5 GiB and a bit.
TEST(Calls, PassOnSixArgumentsWhole) {
  constexpr long kOffset = (5L << 30) + 8192;
  const long file = syscall(SYS_memfd_create, "far", 0);
  ASSERT_GE(file, 0);
  ASSERT_EQ(syscall(SYS_ftruncate, file, kOffset + 4096), 0);
  const std::uint64_t word = 0x0123456789abcdef;
  EXPECT_EQ(syscall(SYS_pwrite64, file, &word, sizeof word, kOffset), 8);
  std::uint64_t again = 0;
  EXPECT_EQ(syscall(SYS_pread64, file, &again, sizeof again, kOffset), 8);
  EXPECT_EQ(again, word);
  const long mapping = syscall(SYS_mmap, nullptr, 4096, PROT_READ, MAP_PRIVATE, file, kOffset);
  ASSERT_NE(mapping, -1);
  EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(mapping), word);
  iovec piece{&again, sizeof again};
  EXPECT_EQ(syscall(SYS_preadv2, file, &piece, 1, kOffset, 0, 0), 8);
  EXPECT_EQ(syscall(SYS_munmap, mapping, 4096), 0);
  EXPECT_EQ(syscall(SYS_lseek, file, 0, SEEK_END), kOffset + 4096);
  EXPECT_EQ(syscall(SYS_close, file), 0);
}

// Failures are -1 and a small positive errno, never the negative number itself.
TEST(Calls, FailAsTheCLibrarysDo) {
  const auto expect_failure = [](int error, auto... call) {
    errno = 0;
    EXPECT_EQ(syscall(call...), -1) << error;
    EXPECT_EQ(errno, error);
  };
  expect_failure(EBADF, SYS_close, -1);
  expect_failure(ENOENT, SYS_openat, AT_FDCWD, "/no/such/file", O_RDONLY);
  expect_failure(EINVAL, SYS_kill, getpid(), 9999);
  expect_failure(EFAULT, SYS_clock_gettime, CLOCK_MONOTONIC, 8L);
  expect_failure(EINVAL, SYS_mmap, nullptr, 0L, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
  expect_failure(ENOSYS, 99999L);
  expect_failure(ENOSYS, -5L);
}

// An address in the upper half of what a long can hold is a success that is a negative number.
TEST(Calls, TellAHighResultFromAFailure) {
  const long before = syscall(SYS_brk, 0);
  EXPECT_EQ(before, kernel_itself(SYS_brk, 0));
  EXPECT_NE(before, -1);
}

TEST(Prctl, PassesOtherOptionsOn) {
  char name[16] = {};
  errno = 77;
  ASSERT_EQ(prctl(PR_GET_NAME, name), 0);
  ASSERT_EQ(prctl(PR_SET_NAME, "phutex-test"), 0);
  char now[16] = {};
  ASSERT_EQ(prctl(PR_GET_NAME, now), 0);
  EXPECT_STREQ(now, "phutex-test");
  ASSERT_EQ(prctl(PR_SET_NAME, name), 0);
  EXPECT_EQ(prctl(PR_GET_DUMPABLE), kernel_itself(SYS_prctl, PR_GET_DUMPABLE));
  int death_signal = -1;
  EXPECT_EQ(prctl(PR_GET_PDEATHSIG, &death_signal), 0);
  EXPECT_EQ(death_signal, 0);
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), kernel_itself(SYS_prctl, PR_GET_TIMERSLACK));
  EXPECT_EQ(prctl(PR_CAPBSET_READ, 0, 0, 0, 0), kernel_itself(SYS_prctl, PR_CAPBSET_READ, 0));
  EXPECT_EQ(errno, 77) << "a success leaves errno alone";
}

TEST(Prctl, FailsAsTheCLibrarys) {
  errno = 0;
  EXPECT_EQ(prctl(99999, 0, 0, 0, 0), -1);
  EXPECT_EQ(errno, EINVAL);
  errno = 0;
  EXPECT_EQ(prctl(PR_SET_PDEATHSIG, 9999, 0, 0, 0), -1);
  EXPECT_EQ(errno, EINVAL);
}

}  // namespace
}  // namespace phutex::tests
