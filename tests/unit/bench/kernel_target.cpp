// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Real threads on the running kernel's futexes, for an instant.

#include "bench/kernel_target.hpp"

#include <gtest/gtest.h>

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

TEST(RunOnKernel, RefusesAWorkloadItDoesNotKnow) {
  EXPECT_THROW(run_on_kernel({.workload = "nothing"}), Failure);
}

}  // namespace
}  // namespace phutex::bench
