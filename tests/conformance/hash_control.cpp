// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// prctl(PR_FUTEX_HASH) on the kernel and phutex_prctl_hash on the engine: the same steps, each row
// in two fresh processes, since some steps can never be taken back.

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <thread>
#include <vector>

#include "phutex/phutex.h"
#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

constexpr int kPrFutexHash = 78;
constexpr unsigned long kSet = 1;
constexpr unsigned long kGet = 2;
constexpr unsigned long kThread = 1000;  // not a call: start and join a thread
constexpr unsigned long kWait = 1001;    // not a call: a wait that finds another value

struct Step {
  unsigned long operation;
  unsigned long count = 0;
  unsigned long flags = 0;
  unsigned long unused = 0;
};

using Control = int (*)(const Step&);

int kernel_control(const Step& step) {
  const int result = prctl(kPrFutexHash, step.operation, step.count, step.flags, step.unused);
  return result == -1 ? -errno : result;
}

int engine_control(const Step& step) {
  return phutex_prctl_hash(step.operation, step.count, step.flags);
}

int take(const Step& step, Control control) {
  if (step.operation == kThread) {
    std::thread{[] {}}.join();
    return 0;
  }
  if (step.operation == kWait) {
    std::uint32_t word = 1;
    return static_cast<int>(phutex_futex(&word, 128, 0, nullptr, nullptr, 0)) == -EAGAIN ? 0 : -1;
  }
  return control(step);
}

// What each step said, in a process of its own.
std::vector<int> answers(const std::vector<Step>& steps, Control control) {
  int ends[2];
  if (pipe(ends) != 0) give_up("a pipe");
  const pid_t child = fork();
  if (child == 0) {
    alarm(40);
    for (const Step& step : steps) {
      const int result = take(step, control);
      if (write(ends[1], &result, sizeof result) != sizeof result) _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  std::vector<int> results;
  for (int result = 0; read(ends[0], &result, sizeof result) == sizeof result;) {
    results.push_back(result);
  }
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the process ended before its last step";
  return results;
}

bool kernel_has_it() {
  static const bool has = answers({{kSet, 16}}, kernel_control) == std::vector<int>{0};
  return has;
}

struct Row {
  const char* what;
  std::vector<Step> steps;
  std::vector<int> results;
};

const Row kRows[] = {
    {"no hash before the first thread", {{kGet}}, {0}},
    {"what is set is there when the call returns", {{kSet, 64}, {kGet}}, {0, 64}},
    {"every power of two from 2",
     {{kSet, 2}, {kGet}, {kSet, 4}, {kGet}, {kSet, 1024}, {kGet}, {kSet, 65536}, {kGet}},
     {0, 2, 0, 4, 0, 1024, 0, 65536}},
    {"a million", {{kSet, 1UL << 20}, {kGet}}, {0, 1 << 20}},
    {"back to fewer", {{kSet, 1024}, {kSet, 2}, {kGet}}, {0, 0, 2}},
    {"the same again", {{kSet, 16}, {kSet, 16}, {kGet}}, {0, 0, 16}},
    {"one bucket, or no power of two",
     {{kSet, 1}, {kSet, 3}, {kSet, 15}, {kSet, 65537}, {kSet, 0x80000001}, {kGet}},
     {-EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL, 0}},
    {"a refusal changes nothing", {{kSet, 32}, {kSet, 33}, {kGet}}, {0, -EINVAL, 32}},
    {"more than can be had",
     {{kSet, 32}, {kSet, 1UL << 27}, {kSet, 1UL << 29}, {kSet, 1UL << 31}, {kGet}},
     {0, -ENOMEM, -ENOMEM, -ENOMEM, 32}},
    {"the global hash is for good",
     {{kSet, 0}, {kGet}, {kSet, 16}, {kSet, 0}, {kGet}},
     {0, 0, -EBUSY, -EBUSY, 0}},
    {"global after private", {{kSet, 64}, {kSet, 0}, {kGet}, {kSet, 64}}, {0, 0, 0, -EBUSY}},
    {"a bad count before the global hash",
     {{kSet, 0}, {kSet, 15}, {kSet, 1}},
     {0, -EINVAL, -EINVAL}},
    {"the global hash before memory", {{kSet, 0}, {kSet, 1UL << 31}}, {0, -EBUSY}},
    {"flags before a bad count",
     {{kSet, 15, 1}, {kSet, 16, 2}, {kSet, 0, 1}, {kGet}},
     {-EINVAL, -EINVAL, -EINVAL, 0}},
    {"flags before the global hash", {{kSet, 0}, {kSet, 16, 1}}, {0, -EINVAL}},
    {"GET asks for nothing else", {{kSet, 16}, {kGet, 77, 99, 55}}, {0, 16}},
    {"the fifth argument is ignored", {{kSet, 32, 0, 77}, {kGet, 0, 0, 77}}, {0, 32}},
    {"a count is 32 bits: 2^32 is 0", {{kSet, 1UL << 32}, {kGet}, {kSet, 16}}, {0, 0, -EBUSY}},
    {"a count is 32 bits: the high ones are cut",
     {{kSet, (5UL << 32) + 16}, {kGet}, {kSet, (1UL << 32) + 1}},
     {0, 16, -EINVAL}},
    {"other operations",
     {{0}, {3}, {9}, {kSet | 1UL << 32, 16}, {~0UL}},
     {-EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL}},
};

TEST(HashControl, IsTheKernels) {
  if (!kernel_has_it()) GTEST_SKIP() << "no private hash in this kernel";
  if (kUnderTsan) GTEST_SKIP() << "TSan has a thread of its own, which is the kernel's first";
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    EXPECT_EQ(answers(row.steps, kernel_control), row.results) << "the kernel";
    EXPECT_EQ(answers(row.steps, engine_control), row.results) << "the engine";
  }
  std::printf("%zu rows\n", std::size(kRows));
}

// What holds without a kernel to compare with.
TEST(HashControl, IsWhatTheTableSays) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    EXPECT_EQ(answers(row.steps, engine_control), row.results);
  }
}

// Where the engine means to differ, and why.
struct Difference {
  const char* why;
  std::vector<Step> steps;
  std::vector<int> kernel;
  std::vector<int> engine;
};

TEST(HashControl, DiffersOnlyWhereItIsMeantTo) {
  if (!kernel_has_it()) GTEST_SKIP() << "no private hash in this kernel";
  if (kUnderTsan) GTEST_SKIP() << "TSan has threads of its own, and allows none after a fork";
  const int cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  constexpr int after_a_thread = 16;
  int of_the_engine = 16;
  while (of_the_engine < 4 * cpus) of_the_engine *= 2;
  const Difference differences[] = {
      {"the kernel's hash comes with the first thread, the engine's with its first use",
       {{kThread}, {kGet}},
       {0, after_a_thread},
       {0, 0}},
      {"the engine's hash has from the start what the kernel's grows to with the threads",
       {{kWait}, {kGet}},
       {0, 0},
       {0, of_the_engine}},
      {"the engine is there before it is asked to be bigger than it can be",
       {{kSet, 1UL << 31}, {kGet}},
       {-ENOMEM, 0},
       {-ENOMEM, of_the_engine}},
  };
  for (const Difference& each : differences) {
    SCOPED_TRACE(each.why);
    EXPECT_EQ(answers(each.steps, kernel_control), each.kernel) << "the kernel";
    EXPECT_EQ(answers(each.steps, engine_control), each.engine) << "the engine";
  }
}

// A size that was asked for is not taken back by threads that come later.
TEST(HashControl, KeepsWhatWasSetWhenThreadsCome) {
  if (!kernel_has_it()) GTEST_SKIP() << "no private hash in this kernel";
  if (kUnderTsan) GTEST_SKIP() << "TSan allows no threads after a fork";
  std::vector<Step> steps{{kSet, 64}};
  for (int thread = 0; thread < 200; ++thread) steps.push_back({kThread});
  steps.push_back({kGet});
  EXPECT_EQ(answers(steps, kernel_control).back(), 64) << "the kernel";
  EXPECT_EQ(answers(steps, engine_control).back(), 64) << "the engine";
}

}  // namespace
}  // namespace phutex::tests
