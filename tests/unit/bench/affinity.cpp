// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CPUs as large machines number them.

#include "bench/affinity.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>

#include <gtest/gtest.h>

namespace phutex::bench {
namespace {

CpuMask mask_of_all(const std::vector<unsigned>& cpus) {
  CpuMask all;
  for (const unsigned cpu : cpus) {
    const CpuMask one = mask_of(cpu);
    all.resize(std::max(all.size(), one.size()));
    all[one.size() - 1] |= one.back();
  }
  return all;
}

// N1: more CPUs than a cpu_set_t has bits.
TEST(CpuMask, IsAsLongAsItsCpuNeeds) {
  EXPECT_EQ(mask_of(0), CpuMask{1});
  EXPECT_EQ(mask_of(63).size(), 1U);
  EXPECT_EQ(mask_of(64), (CpuMask{0, 1}));
  EXPECT_EQ(mask_of(2047).size(), 32U);
  EXPECT_EQ(cpus_in(mask_of(2047)), std::vector<unsigned>{2047});
  EXPECT_EQ(cpus_in(mask_of(5000)), std::vector<unsigned>{5000});
}

// N2: 80 CPUs online of 640, with gaps.
TEST(CpuMask, KeepsGaps) {
  std::vector<unsigned> online;
  for (unsigned cpu = 0; cpu < 640; cpu += 8) online.push_back(cpu);
  EXPECT_EQ(cpus_in(mask_of_all(online)), online);
  EXPECT_TRUE(cpus_in(CpuMask(16, 0)).empty());
}

// N2: a worker never gets the CPU of its own number, only one that is there.
TEST(CpuOfWorker, TakesTurnsAmongTheCpusThereAre) {
  const std::vector<unsigned> cpus{8, 16, 1040};
  const std::vector<unsigned> expected{8, 16, 1040, 8, 16, 1040, 8};
  for (std::size_t index = 0; index < expected.size(); ++index) {
    EXPECT_EQ(cpu_of_worker(cpus, index), expected[index]);
  }
}

// N4: the default number of threads comes from here.
TEST(AllowedCpus, IsNeverEmpty) {
  const std::vector<unsigned> cpus = allowed_cpus();
  EXPECT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
}

TEST(AllowedCpus, ShrinksToTheOneAThreadIsTiedTo) {
  const unsigned last = allowed_cpus().back();
  std::vector<unsigned> left;
  int error = -1;
  std::thread([&] {
    error = pin_this_thread(last);
    left = allowed_cpus();
  }).join();
  EXPECT_EQ(error, 0);
  EXPECT_EQ(left, std::vector<unsigned>{last});
}

TEST(PinThisThread, RefusesACpuThatIsNotThere) {
  EXPECT_EQ(pin_this_thread(1U << 20), EINVAL);
}

}  // namespace
}  // namespace phutex::bench
