// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Real threads on the running kernel's futexes, for an instant.

#include "bench/kernel_target.hpp"

#include <string>

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include "bench/failure.hpp"

namespace phutex::bench {
namespace {

TEST(RunOnKernel, HashMakesEveryThreadWorkAndProvokesOnlyOneResult) {
  const SampleResult result = run_on_kernel({.threads = 3, .futexes = 5, .runtime_s = 0.05});
  ASSERT_EQ(result.threads.size(), 3U);
  EXPECT_GE(result.elapsed_s, 0.05);
  EXPECT_EQ(result.unexpected, 0U);
  for (const ThreadResult& thread : result.threads) {
    EXPECT_EQ(thread.word_last - thread.word_first, 4 * sizeof(std::uint32_t));
  }
  EXPECT_GT(mean_rate(result), 0);
}

TEST(RunOnKernel, SharedFutexesWorkToo) {
  const SampleResult result =
      run_on_kernel({.threads = 1, .futexes = 1, .is_shared = true, .runtime_s = 0.01});
  EXPECT_EQ(result.unexpected, 0U);
  EXPECT_GT(mean_rate(result), 0);
}

// N6: nobody is left asleep when the time is over.
TEST(RunOnKernel, WaitWakeEndsWithEverybodyAwake) {
  for (unsigned threads : {2U, 3U, 16U}) {
    const SampleResult result =
        run_on_kernel({.workload = std::string(kWaitWake), .threads = threads, .runtime_s = 0.02});
    EXPECT_EQ(result.threads.size(), threads);
    EXPECT_EQ(result.unexpected, 0U);
    EXPECT_GT(mean_rate(result), 0);
  }
}

TEST(RunOnKernel, ResizeMovesItsSleepersAndFindsThemAll) {
  SampleSpec spec{.workload = std::string(kResize),
                  .threads = 2,
                  .futexes = 5,
                  .buckets = 64,
                  .runtime_s = 0.05,
                  .resize = ResizeSpec{.rate = 0, .sleepers = 30}};
  try {
    const SampleResult result = run_on_kernel(spec);
    EXPECT_EQ(result.unexpected, 0U);
    EXPECT_EQ(result.resize.value().sleepers_missed, 0U);
    EXPECT_GE(result.resize->replacements.made, 4U) << "one in each disturbed slice";
    EXPECT_GT(mean_rate(result.resize->undisturbed), 0);
    EXPECT_GT(result.resize->disturbed.latency.value().max_ns, 0);
  } catch (const Failure& failure) {
    EXPECT_NE(prctl(78, 1UL, 16UL, 0UL, 0UL), 0) << failure.what();
    GTEST_SKIP() << failure.what();
  }
}

TEST(RunOnKernel, RefusesAWorkloadItDoesNotKnow) {
  EXPECT_THROW(run_on_kernel({.workload = "nothing"}), Failure);
}

}  // namespace
}  // namespace phutex::bench
