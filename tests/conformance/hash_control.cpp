// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// prctl(PR_FUTEX_HASH) on the kernel and phutex_prctl_hash on the engine: the same steps, each row
// in two fresh processes, since some steps can never be taken back. What only release candidates of
// Linux 6.16 had is asked of the engine alone.

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "phutex/phutex.h"
#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

constexpr int kPrFutexHash = 78;
constexpr unsigned long kSet = 1;
constexpr unsigned long kGet = 2;
constexpr unsigned long kGetImmutable = 3;
constexpr unsigned long kThread = 1000;       // not a call: announce, start and join a thread
constexpr unsigned long kUnannounced = 1001;  // not a call: start and join a thread
constexpr unsigned long kWait = 1002;         // not a call: a wait that finds another value
constexpr unsigned long kWaiter = 1003;       // not a call: a thread that makes such a wait
constexpr unsigned long kCrowd = 1004;        // not a call: `count` threads at once, as kThread

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

// The 6.16 dialect.
int engine_control_6_16(const Step& step) {
  return phutex_prctl_hash_as(PHUTEX_PRCTL_6_16, step.operation, step.count, step.flags);
}

int wait_in_vain() {
  std::uint32_t word = 1;
  return static_cast<int>(phutex_futex(&word, 128, 0, nullptr, nullptr, 0)) == -EAGAIN ? 0 : -1;
}

// All of them alive until the last one is there.
int start_and_join(std::size_t count) {
  std::atomic<std::size_t> missing{count};
  std::vector<std::thread> threads;
  int result = 0;
  for (std::size_t index = 0; index < count && result == 0; ++index) {
    result = phutex_thread_coming();
    threads.emplace_back([&] {
      missing.fetch_sub(1);
      wait_until([&] { return missing.load() == 0; }, "the other threads");
    });
  }
  for (std::thread& thread : threads) thread.join();
  return result;
}

int take(const Step& step, Control control) {
  switch (step.operation) {
    case kThread:
      return start_and_join(1);
    case kCrowd:
      return start_and_join(step.count);
    case kUnannounced:
      std::thread{[] {}}.join();
      return 0;
    case kWait:
      return wait_in_vain();
    case kWaiter: {
      int result = -1;
      std::thread{[&] { result = wait_in_vain(); }}.join();
      return result;
    }
    default:
      return control(step);
  }
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

// The same with threads and waits, which a sanitizer has of its own or does not allow after a fork.
const Row kRowsWithThreads[] = {
    {"no hash beside one thread, whatever it did", {{kWait}, {kGet}}, {0, 0}},
    {"a refusal gives no hash", {{kSet, 1UL << 31}, {kGet}}, {-ENOMEM, 0}},
    {"a hash from the first thread on, and after its end", {{kThread}, {kGet}}, {0, 16}},
    {"16 for the first five threads", {{kCrowd, 4}, {kGet}}, {0, 16}},
    {"a user's size replaces it", {{kThread}, {kSet, 4}, {kGet}}, {0, 0, 4}},
    {"a user's size is not the first thread's to change",
     {{kSet, 4}, {kThread}, {kGet}},
     {0, 0, 4}},
    {"2 for 64 threads, if that was set", {{kSet, 2}, {kCrowd, 64}, {kGet}}, {0, 0, 2}},
    {"a million for 64 threads", {{kSet, 1UL << 20}, {kCrowd, 64}, {kGet}}, {0, 0, 1 << 20}},
    {"the global hash is not a thread's to change",
     {{kSet, 0}, {kCrowd, 8}, {kGet}, {kSet, 16}},
     {0, 0, 0, -EBUSY}},
    {"the global hash after the first thread's", {{kThread}, {kSet, 0}, {kGet}}, {0, 0, 0}},
    {"all sizes, all refusals, and the end of it",
     {{kGet},     {kThread}, {kGet},       {kSet, 2},  {kGet},
      {kSet, 4},  {kSet, 8}, {kSet, 32},   {kSet, 16}, {kGet},
      {kSet, 15}, {kSet, 2}, {kCrowd, 64}, {kGet},     {kSet, 1UL << 29},
      {kSet, 4},  {kSet, 0}, {kSet, 4},    {kSet, 8},  {kSet, 8},
      {kSet, 0},  {kSet, 6}, {kGet}},
     {0, 0, 16,      0, 2, 0,      0,      0,      0,      16,      -EINVAL, 0,
      0, 2, -ENOMEM, 0, 0, -EBUSY, -EBUSY, -EBUSY, -EBUSY, -EINVAL, 0}},
};

// With a size that can be set for good: release candidates of 6.16, on the engine only.
const Row kRowsOf616[] = {
    {"nothing is immutable yet", {{kGetImmutable}, {kSet, 16}, {kGetImmutable}}, {0, 0, 0}},
    {"set for good",
     {{kSet, 16, 1}, {kGet}, {kGetImmutable}, {kSet, 32}, {kSet, 16, 1}, {kSet, 0}, {kGet}},
     {0, 16, 1, -EBUSY, -EBUSY, -EBUSY, 16}},
    {"for good after not for good",
     {{kSet, 64}, {kSet, 32, 1}, {kGet}, {kSet, 64}},
     {0, 0, 32, -EBUSY}},
    {"the same size for good",
     {{kSet, 64}, {kSet, 64, 1}, {kGetImmutable}, {kSet, 128}},
     {0, 0, 1, -EBUSY}},
    {"the global hash is immutable", {{kSet, 0}, {kGetImmutable}, {kSet, 16, 1}}, {0, 1, -EBUSY}},
    {"the global hash with the flag", {{kSet, 0, 1}, {kGet}, {kGetImmutable}}, {0, 0, 1}},
    {"other flags before a bad count",
     {{kSet, 16, 2}, {kSet, 15, 3}, {kSet, 16, 1UL << 32}},
     {-EINVAL, -EINVAL, -EINVAL}},
    {"a bad count before the immutable hash",
     {{kSet, 16, 1}, {kSet, 15}, {kSet, 1, 1}, {kSet, 16, 2}},
     {0, -EINVAL, -EINVAL, -EINVAL}},
    {"the immutable hash before memory", {{kSet, 16, 1}, {kSet, 1UL << 31}}, {0, -EBUSY}},
    {"more than can be had, for good",
     {{kSet, 1UL << 31, 1}, {kGetImmutable}, {kSet, 16}},
     {-ENOMEM, 0, 0}},
    {"a count is 32 bits", {{kSet, (5UL << 32) + 16, 1}, {kGet}}, {0, 16}},
    {"GET_IMMUTABLE asks for nothing else", {{kSet, 16, 1}, {kGetImmutable, 77, 99}}, {0, 1}},
    {"other operations", {{0}, {4}, {kGetImmutable | 1UL << 32}}, {-EINVAL, -EINVAL, -EINVAL}},
};

void expect_of_the_engine(const Row& row, Control control = engine_control) {
  EXPECT_EQ(answers(row.steps, control), row.results) << "the engine: " << row.what;
}

void expect_of_both(const Row& row) {
  EXPECT_EQ(answers(row.steps, kernel_control), row.results) << "the kernel: " << row.what;
  expect_of_the_engine(row);
}

TEST(HashControl, IsTheKernels) {
  if (!kernel_has_it()) GTEST_SKIP() << "no private hash in this kernel";
  if (kUnderTsan) GTEST_SKIP() << "TSan has a thread of its own, which is the kernel's first";
  for (const Row& row : kRows) expect_of_both(row);
  std::printf("%zu rows\n", std::size(kRows));
}

TEST(HashControl, IsTheKernelsBesideThreads) {
  if (!kernel_has_it()) GTEST_SKIP() << "no private hash in this kernel";
  if (kUnderTsan) GTEST_SKIP() << "TSan has threads of its own, and allows none after a fork";
  for (const Row& row : kRowsWithThreads) expect_of_both(row);
  std::printf("%zu rows\n", std::size(kRowsWithThreads));
}

// What holds without a kernel to compare with.
TEST(HashControl, IsWhatTheTableSays) {
  for (const Row& row : kRows) expect_of_the_engine(row);
  if (kUnderTsan) return;
  for (const Row& row : kRowsWithThreads) expect_of_the_engine(row);
}

TEST(HashControl, CanBeThatOf616) {
  for (const Row& row : kRowsOf616) expect_of_the_engine(row, engine_control_6_16);
  std::printf("%zu rows\n", std::size(kRowsOf616));
}

// Both are the same where the release candidates and what came of them are.
TEST(HashControl, Of616DiffersInNothingElse) {
  for (const Row& row : kRows) {
    const bool is_about_the_difference =
        std::any_of(row.steps.begin(), row.steps.end(), [](const Step& step) {
          return (step.operation == kSet && step.flags == 1) || step.operation == kGetImmutable;
        });
    if (!is_about_the_difference) expect_of_the_engine(row, engine_control_6_16);
  }
}

TEST(HashControl, HasNoOtherDialects) {
  for (const int dialect : {0, 1, 615, 618, 616 | 1 << 16, -1}) {
    EXPECT_EQ(phutex_prctl_hash_as(dialect, kGet, 0, 0), -EINVAL) << dialect;
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
  const Difference differences[] = {
      {"a thread that nobody announces is not noticed", {{kUnannounced}, {kGet}}, {0, 16}, {0, 0}},
      {"but if it waits, it is", {{kWaiter}, {kGet}}, {0, 16}, {0, 16}},
      {"also where the engine was there already",
       {{kWait}, {kWaiter}, {kGet}},
       {0, 0, 16},
       {0, 0, 16}},
      {"whoever announces one announces all",
       {{kThread}, {kWaiter}, {kGet}},
       {0, 0, 16},
       {0, 0, 16}},
  };
  for (const Difference& each : differences) {
    SCOPED_TRACE(each.why);
    EXPECT_EQ(answers(each.steps, kernel_control), each.kernel) << "the kernel";
    EXPECT_EQ(answers(each.steps, engine_control), each.engine) << "the engine";
  }
}

// A size that was asked for is not taken back by threads that come later, one by one.
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
