// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernel's rule, with the kernel's own examples.

#include "engine/table/sizing.hpp"

#include <gtest/gtest.h>

#include "tests/unit/on_fibres.hpp"

namespace phutex::sizing {
namespace {

constexpr Cpus all(std::size_t cpus) {
  return {.online = cpus, .possible = cpus};
}

TEST(KernelDefault, IsFourForEachThread) {
  for (std::size_t threads = 1; threads <= 4; ++threads) {
    EXPECT_EQ(kernel_default(threads, all(256)), 16U) << threads;
  }
  for (std::size_t threads = 5; threads <= 8; ++threads) {
    EXPECT_EQ(kernel_default(threads, all(256)), 32U) << threads;
  }
  for (std::size_t threads = 9; threads <= 16; ++threads) {
    EXPECT_EQ(kernel_default(threads, all(256)), 64U) << threads;
  }
  for (std::size_t threads = 17; threads <= 32; ++threads) {
    EXPECT_EQ(kernel_default(threads, all(256)), 128U) << threads;
  }
}

TEST(KernelDefault, CountsThreadsUpToTheCpus) {
  constexpr std::size_t kMany = 100'000;
  EXPECT_EQ(kernel_default(kMany, all(2)), 16U);
  EXPECT_EQ(kernel_default(kMany, all(32)), 128U);
  EXPECT_EQ(kernel_default(kMany, all(112)), 512U);
  EXPECT_EQ(kernel_default(kMany, all(144)), 1024U);
  EXPECT_EQ(kernel_default(kMany, all(256)), 1024U);
  EXPECT_EQ(kernel_default(kMany, {.online = 2, .possible = 256}), 16U);
}

TEST(KernelGlobal, IsTwoHundredAndFiftySixForEachPossibleCpu) {
  EXPECT_EQ(kernel_global(all(1)), 256U);
  EXPECT_EQ(kernel_global(all(2)), 512U);
  EXPECT_EQ(kernel_global(all(3)), 1024U);
  EXPECT_EQ(kernel_global({.online = 1, .possible = 256}), 65536U);
}

TEST(Sizing, GivesWhatATableCanHave) {
  for (std::size_t cpus = 1; cpus <= 1024; ++cpus) {
    EXPECT_TRUE(is_bucket_count(kernel_global(all(cpus))));
    for (const std::size_t threads : {1U, 7U, 100U, 5000U}) {
      const std::size_t count = kernel_default(threads, all(cpus));
      EXPECT_TRUE(is_bucket_count(count));
      EXPECT_LE(count, kernel_global(all(cpus)));
    }
  }
}

}  // namespace
}  // namespace phutex::sizing
