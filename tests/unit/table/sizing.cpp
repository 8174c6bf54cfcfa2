// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernel's rule, with the kernel's own examples; the others by what is said for them.

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

TEST(KernelGlobal, IsSharedOutAmongTheNodes) {
  EXPECT_EQ(kernel_global_of_node(all(2), 1), kernel_global(all(2)));
  EXPECT_EQ(kernel_global_of_node(all(256), 2), 32768U);
  EXPECT_EQ(kernel_global_of_node(all(3), 2), 512U);    // 384
  EXPECT_EQ(kernel_global_of_node(all(1), 1024), 4U);   // none: 4 at least
  EXPECT_EQ(kernel_global_of_node(all(256), 3), 32768U);  // 21845
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

// What a process has whose threads come one by one, from its second to its last.
struct Story {
  std::size_t buckets = 0;
  std::size_t frozen_beside = 0;  // how many threads there were when it was frozen; 0: never
};
Story story_of(std::string_view name, std::size_t threads, Cpus cpus) {
  const Rule& rule = *rule_named(name);
  Story story;
  for (std::size_t existing = 1; existing < threads && story.frozen_beside == 0; ++existing) {
    const Wanted wanted =
        rule.wanted({.buckets = story.buckets, .threads = existing, .cpus = cpus});
    EXPECT_TRUE(is_bucket_count(wanted.buckets)) << name;
    EXPECT_GE(wanted.buckets, story.buckets) << name << " only grows";
    story.buckets = wanted.buckets;
    if (wanted.afterwards == Afterwards::frozen) story.frozen_beside = existing;
  }
  return story;
}

TEST(Rules, OfTheKernelGrowWithThreadsUpToTheCpus) {
  EXPECT_EQ(story_of("kernel", 2, all(256)).buckets, 16U);
  EXPECT_EQ(story_of("kernel", 5, all(256)).buckets, 16U);
  EXPECT_EQ(story_of("kernel", 6, all(256)).buckets, 32U) << "the new one does not count";
  EXPECT_EQ(story_of("kernel", 65, all(256)).buckets, 256U);
  EXPECT_EQ(story_of("kernel", 1000, all(2)).buckets, 16U);
  EXPECT_EQ(story_of("kernel", 1000, all(256)).buckets, 1024U);
  EXPECT_EQ(story_of("kernel", 1000, all(256)).frozen_beside, 0U);
}

TEST(Rules, OfTheKernelNeverShrink) {
  EXPECT_EQ(kernel({.buckets = 4096, .threads = 1, .cpus = all(2)}), (Wanted{4096}));
  EXPECT_EQ(by_threads({.buckets = 4096, .threads = 5, .cpus = all(2)}), (Wanted{4096}));
}

TEST(Rules, MayCountTwiceTheCpus) {
  EXPECT_EQ(story_of("kernel_twice", 1000, all(256)).buckets, 2048U);
  EXPECT_EQ(story_of("kernel_twice", 1000, all(2)).buckets, 16U);
  EXPECT_EQ(story_of("kernel_twice", 1000, all(4)).buckets, 32U);
  EXPECT_EQ(story_of("kernel_twice", 3, all(256)).buckets, 16U);
}

TEST(Rules, MayCountAllThreads) {
  EXPECT_EQ(story_of("by_threads", 65, all(2)).buckets, 256U);
  EXPECT_EQ(story_of("by_threads", 5000, all(2)).buckets, 512U) << "no more than the global table";
  EXPECT_EQ(by_threads({.threads = SIZE_MAX, .cpus = all(2)}), (Wanted{512}));
}

// The published fault: min(threads, CPUs) is small when the second thread comes.
TEST(Rules, FreezeAtTheSecondThreadAsPosted) {
  const Story story = story_of("freeze_at_cap", 1000, all(256));
  EXPECT_EQ(story.buckets, 16U);
  EXPECT_EQ(story.frozen_beside, 1U);
}

TEST(Rules, FreezeAtTheCapWhenCorrected) {
  const Story story = story_of("freeze_at_cap_corrected", 1000, all(256));
  EXPECT_EQ(story.buckets, 1024U);
  EXPECT_EQ(story.frozen_beside, 129U) << "more than 512 buckets are wanted for the first time";
  EXPECT_EQ(story_of("freeze_at_cap_corrected", 129, all(256)).frozen_beside, 0U);
  EXPECT_EQ(story_of("freeze_at_cap_corrected", 2, all(2)).frozen_beside, 1U)
      << "where 16 is the cap, it is reached at once";
}

TEST(Occupancy, StartsInOnePage) {
  EXPECT_EQ(occupancy({}), (Wanted{16}));
  EXPECT_EQ(occupancy({.buckets = 16, .threads = 5000, .cpus = all(256)}), (Wanted{16}));
}

TEST(Occupancy, GrowsWhenAddressesOutnumberBuckets) {
  EXPECT_EQ(occupancy({.buckets = 16, .waiting = 16}), (Wanted{16}));
  EXPECT_EQ(occupancy({.buckets = 16, .waiting = 17}), (Wanted{64}));
  EXPECT_EQ(occupancy({.buckets = 16, .waiting = 1000, .cpus = all(1)}), (Wanted{2048}))
      << "no cap by CPUs";
  EXPECT_EQ(occupancy({.buckets = 16, .waiting = SIZE_MAX}), (Wanted{kOccupancyMax}));
  EXPECT_EQ(occupancy({.buckets = kOccupancyMax, .waiting = SIZE_MAX}), (Wanted{kOccupancyMax}));
}

TEST(Occupancy, ShrinksWhenAddressesAreEightTimesFewer) {
  EXPECT_EQ(occupancy({.buckets = 2048, .waiting = 256}), (Wanted{2048}));
  EXPECT_EQ(occupancy({.buckets = 2048, .waiting = 255}), (Wanted{512}));
  EXPECT_EQ(occupancy({.buckets = 2048, .waiting = 0}), (Wanted{16}));
  EXPECT_EQ(occupancy({.buckets = 16, .waiting = 0}), (Wanted{16}));
  EXPECT_EQ(occupancy({.buckets = 8, .waiting = 0}), (Wanted{16})) << "less saves nothing";
}

// After any change, the addresses have to double or to halve before the next one.
TEST(Occupancy, DoesNotSwing) {
  for (std::size_t buckets = 16; buckets <= (1U << 16); buckets *= 2) {
    for (std::size_t waiting = 0; waiting <= 5000; ++waiting) {
      const Wanted wanted = occupancy({.buckets = buckets, .waiting = waiting});
      ASSERT_TRUE(is_bucket_count(wanted.buckets));
      if (wanted.buckets == buckets) continue;
      for (const std::size_t then : {waiting / 2 + waiting % 2, waiting, 2 * waiting}) {
        ASSERT_EQ(occupancy({.buckets = wanted.buckets, .waiting = then}), wanted)
            << buckets << " buckets, " << waiting << " addresses, then " << then;
      }
    }
  }
}

TEST(Occupancy, IsNotReplacedWhereRoomWasReserved) {
  for (const std::size_t reserved : {1U, 16U, 17U, 1000U, 4096U}) {
    const Wanted first = occupancy({.buckets = 16, .reserved = reserved});
    EXPECT_EQ(first.buckets, room_for(reserved));
    for (std::size_t waiting = 0; waiting <= reserved; ++waiting) {
      ASSERT_EQ(occupancy({.buckets = first.buckets, .waiting = waiting, .reserved = reserved}),
                first);
    }
    const std::size_t more = first.buckets + 1;
    EXPECT_GT(occupancy({.buckets = first.buckets, .waiting = more, .reserved = reserved}).buckets,
              first.buckets)
        << "more than was reserved";
  }
  EXPECT_EQ(occupancy({.buckets = 4096, .waiting = 1, .reserved = 100}), (Wanted{4096}));
  EXPECT_EQ(room_for(SIZE_MAX), kOccupancyMax);
}

TEST(Rules, AreFoundByTheirNames) {
  for (const Rule& rule : kRules) EXPECT_EQ(rule_named(rule.name), &rule);
  EXPECT_EQ(kRules.front().name, "kernel");
  EXPECT_EQ(rule_named("Kernel"), nullptr);
  EXPECT_EQ(rule_named(""), nullptr);
}

// Whoever has that many buckets need not count the threads again.
TEST(Rules, KnowWhenThreadsNoLongerMatter) {
  for (const Rule& rule : kRules) {
    for (const std::size_t cpus : {1U, 2U, 3U, 8U, 100U, 256U}) {
      const std::size_t most = rule.most_for_threads(all(cpus));
      const std::size_t start = std::max<std::size_t>(most, 16);
      for (const std::size_t threads : {std::size_t{1}, std::size_t{500}, SIZE_MAX}) {
        const Seen seen{.buckets = start, .threads = threads, .cpus = all(cpus)};
        EXPECT_EQ(rule.wanted(seen).buckets, start) << rule.name << ", " << cpus << " CPUs";
      }
    }
  }
}

}  // namespace
}  // namespace phutex::sizing
