// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When the hash is replaced, and what is known of it afterwards.

#include "bench/replacing.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace phutex::bench {
namespace {

using workload::Phase;
using namespace std::chrono_literals;

struct FakeHash {
  long buckets = 8;
  std::vector<long> sizes;
  int answer = 0;
  bool has_effect = true;
  std::chrono::nanoseconds taken{};

  int replace(long size) {
    std::this_thread::sleep_for(taken);
    sizes.push_back(size);
    if (has_effect) buckets = size;
    return answer;
  }
};

ReplacingPlan plan_of(FakeHash& hash, double runtime_s, unsigned rate) {
  return {.runtime_s = runtime_s,
          .rate = rate,
          .sizes = {4, 8},
          .replace = [&](long size) { return hash.replace(size); },
          .bucket_count = [&] { return hash.buckets; }};
}

Replaced replace(FakeHash& hash, double runtime_s, unsigned rate) {
  Phases nobody{0};
  return replace_in_turn(plan_of(hash, runtime_s, rate), nobody);
}

TEST(ReplaceInTurn, TakesTurnsBetweenTheSizes) {
  FakeHash hash;
  const Replaced replaced = replace(hash, 0.04, 0);
  EXPECT_EQ(replaced.durations_ns.count(), hash.sizes.size());
  EXPECT_EQ(replaced.unexpected, 0U);
  ASSERT_GE(hash.sizes.size(), 4U) << "one in each disturbed slice";
  for (std::size_t index = 0; index < hash.sizes.size(); ++index) {
    EXPECT_EQ(hash.sizes[index], index % 2 == 0 ? 4 : 8);
  }
}

// The time between two of them goes on in the next disturbed slice, however short the slices are.
TEST(ReplaceInTurn, NeverMakesMoreThanItIsAskedFor) {
  FakeHash hash;
  const Replaced replaced = replace(hash, 0.4, 50);
  const double asked = 50 * replaced.elapsed_s;
  EXPECT_GE(hash.sizes.size(), 1U);
  EXPECT_LE(static_cast<double>(hash.sizes.size()), asked + 1);
}

// Half as many fit as were asked for; the backlog is not made up for when they become fast.
TEST(ReplaceInTurn, DoesNotCatchUp) {
  FakeHash hash;
  hash.taken = 10ms;
  ReplacingPlan plan = plan_of(hash, 0.8, 200);
  plan.replace = [&](long size) {
    if (hash.sizes.size() == 10) hash.taken = 0ms;
    return hash.replace(size);
  };
  Phases nobody{0};
  const Replaced replaced = replace_in_turn(plan, nobody);
  const double slow_s = 10 * 0.010;
  EXPECT_LE(static_cast<double>(hash.sizes.size()), 10 + (replaced.elapsed_s - slow_s) * 200 + 1);
  EXPECT_GE(replaced.durations_ns.max(), 10'000'000U);
}

TEST(ReplaceInTurn, CountsWhatIsRefusedAndWhatHasNoEffect) {
  FakeHash refusing;
  refusing.answer = ENOMEM;
  const Replaced refused = replace(refusing, 0.01, 0);
  EXPECT_EQ(refused.unexpected, refusing.sizes.size());
  EXPECT_EQ(refused.unexpected_first, ENOMEM);
  EXPECT_EQ(refused.durations_ns.count(), 0U);
  FakeHash deaf;
  deaf.buckets = 2;
  deaf.has_effect = false;
  const Replaced ignored = replace(deaf, 0.01, 0);
  EXPECT_EQ(ignored.unexpected, deaf.sizes.size());
  EXPECT_EQ(ignored.unexpected_first, 0);
}

// begin() returns only when the last worker has looked.
TEST(Phases, BeginWaitsForTheLastWorker) {
  Phases phases{2};
  auto first = phases.view_of(0);
  auto last = phases.view_of(1);
  std::atomic<bool> has_begun{false};
  std::thread beginner([&] {
    phases.begin(Phase::disturbed);
    has_begun = true;
  });
  while (first() != Phase::disturbed) std::this_thread::yield();
  for (int look = 0; look < 1000; ++look) {
    std::this_thread::yield();
    EXPECT_FALSE(has_begun);
  }
  EXPECT_EQ(last(), Phase::disturbed);
  beginner.join();
  EXPECT_TRUE(has_begun);
}

}  // namespace
}  // namespace phutex::bench
