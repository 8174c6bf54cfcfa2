// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Futexes that say their node, and futex_wait(2) and futex_wake(2) themselves: kernel and engine
// alike, as far as a machine shows it that may have one node only.

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "native/nodes.hpp"
#include "tests/conformance/futex2.hpp"
#include "tests/conformance/places.hpp"

namespace phutex::tests {
namespace {

class Numa : public testing::TestWithParam<const Calls*> {
 protected:
  void SetUp() override {
    if (syscall(454, &pair_, kAnyBit, 0, kPlain) == -1 && errno == ENOSYS) {
      GTEST_SKIP() << "this kernel has no futex_wake(2) to compare with";
    }
  }

  long wait(unsigned flags, const timespec* until = nullptr) {
    return GetParam()->wait(&pair_, 0, kAnyBit, flags, until, CLOCK_MONOTONIC);
  }
  long wake(unsigned flags, int count = INT_MAX) {
    return GetParam()->wake(&pair_, kAnyBit, count, flags);
  }

  void wait_for_sleeper(unsigned flags, std::size_t count = 1) {
    wait_until([&] { return GetParam()->waiting(pair_, flags) == count; }, "a sleeper");
  }

  /// A wait on the one side, a wake on the other: how many did it wake?
  void expect_apart(unsigned waiting, unsigned waking) {
    SCOPED_TRACE(testing::Message() << waiting << " and " << waking);
    pair_.node.store(0);
    Sleeper sleeper{[&] { return wait(waiting); }};
    wait_for_sleeper(waiting);
    EXPECT_EQ(wake(waking), 0);
    EXPECT_EQ(wake(waiting), 1);
    EXPECT_EQ(sleeper.result(), 0);
  }
  void expect_to_meet(unsigned waiting, unsigned waking, std::uint32_t node) {
    SCOPED_TRACE(testing::Message() << waiting << " and " << waking);
    pair_.node.store(node);
    Sleeper sleeper{[&] { return wait(waiting); }};
    wait_for_sleeper(waiting);
    EXPECT_EQ(wake(waking), 1);
    EXPECT_EQ(sleeper.result(), 0);
  }

  Pair pair_;

 private:
  // There is a second thread, and so a private hash: without, the kernel has one table for all.
  Watchdog watchdog_{50, "a test of nodes"};
};

INSTANTIATE_TEST_SUITE_P(On, Numa, testing::ValuesIn(kBothCalls),
                         [](const auto& each) { return std::string{each.param->name}; });

TEST_P(Numa, FillsInTheNodeOfTheCallersCpu) {
  const timespec past{0, 0};
  for (int call = 0; call < 3; ++call) {
    pair_.node.store(kNoNode);
    if (call == 0) {
      EXPECT_EQ(wake(kNuma), 0);
    } else if (call == 1) {
      EXPECT_EQ(wake(kNuma, 0), 0);
    } else {
      EXPECT_EQ(wait(kNuma, &past), -ETIMEDOUT);
    }
    EXPECT_TRUE(native::possible_nodes().contains(pair_.node.load())) << pair_.node.load();
    if (native::possible_nodes().count() == 1) {
      EXPECT_EQ(pair_.node.load(), 0U);
    }
  }
}

TEST_P(Numa, FillsInTheNodeEvenIfTheValueIsAnother) {
  pair_.node.store(kNoNode);
  pair_.word.store(1);
  EXPECT_EQ(wait(kNuma), -EAGAIN);
  EXPECT_TRUE(native::possible_nodes().contains(pair_.node.load()));
}

TEST_P(Numa, RefusesANodeThatCannotBe) {
  ASSERT_LT(native::possible_nodes().number_count(), 1024U) << "node 1023 is possible here";
  std::vector<std::uint32_t> bad = {0xfffffffe, 1023, 1024, 100000, 0x7fffffff, 0x80000000};
  if (!native::possible_nodes().contains(1)) bad.push_back(1);
  for (const std::uint32_t node : bad) {
    pair_.node.store(node);
    EXPECT_EQ(wake(kNuma), -EINVAL) << node;
    EXPECT_EQ(wake(kNuma, 0), -EINVAL) << node;
    EXPECT_EQ(wait(kNuma), -EINVAL) << node;
    EXPECT_EQ(wait(kNuma | kPolicy), -EINVAL) << node;
    EXPECT_EQ(pair_.node.load(), node);
  }
}

TEST_P(Numa, MeetsThroughWordsThatSayTheNode) {
  expect_to_meet(kNuma, kNuma, 0);
  expect_to_meet(kNuma | kPolicy, kNuma, 0);
  expect_to_meet(kNuma, kNuma | kPolicy, 0);
}

TEST_P(Numa, MeetsOnTheNodeThatTheWaiterWasGiven) {
  pair_.node.store(kNoNode);
  Sleeper sleeper{[&] { return wait(kNuma); }};
  wait_until([&] { return wake(kNuma) == 1; }, "a sleeper on the node that was filled in");
  EXPECT_EQ(sleeper.result(), 0);
}

TEST_P(Numa, KeepsWordsWithAndWithoutANodeApart) {
  expect_apart(kNuma, kPlain);
  expect_apart(kPlain, kNuma);
  expect_apart(kNuma | kPolicy, kPlain);
}

TEST_P(Numa, KeepsPrivateAndSharedApart) {
  expect_apart(kNuma, kNuma & ~kPrivate);
  expect_apart(kPlain, kPlain & ~kPrivate);
}

TEST_P(Numa, WithoutAPolicyIsAWordWithoutANode) {
  expect_to_meet(kPlain | kPolicy, kPlain, kNoNode);
  EXPECT_EQ(pair_.node.load(), kNoNode);
  expect_to_meet(kPlain, kPlain | kPolicy, kNoNode);
}

TEST_P(Numa, MeetsFutex) {
  const Machine& machine = GetParam() == &kKernelCalls ? kKernel : kEngine;
  Sleeper sleeper{machine, pair_.word, 2};
  wait_for_sleepers(machine, pair_.word, 1);
  EXPECT_EQ(GetParam()->wake(&pair_, 1, 1, kPlain), 0);
  EXPECT_EQ(GetParam()->wake(&pair_, 3, 1, kPlain), 1);
  EXPECT_EQ(sleeper.result(), 0);
}

TEST_P(Numa, FindsWhoGivesUp) {
  for (const unsigned flags : {kPlain, kNuma}) {
    const timespec soon = in(CLOCK_MONOTONIC, 20);
    EXPECT_EQ(wait(flags, &soon), -ETIMEDOUT);
    EXPECT_EQ(GetParam()->waiting(pair_, flags), 0U);
  }
}

TEST_P(Numa, WakesAsManyAsAreAskedForAndOneForLessThanNone) {
  Sleeper first{[&] { return wait(kNuma); }};
  Sleeper second{[&] { return wait(kNuma); }};
  Sleeper third{[&] { return wait(kNuma); }};
  wait_for_sleeper(kNuma, 3);
  EXPECT_EQ(wake(kNuma, 0), 0);
  EXPECT_EQ(wake(kNuma, -1), 1);
  EXPECT_EQ(wake(kNuma, 1), 1);
  EXPECT_EQ(GetParam()->waiting(pair_, kNuma), 1U);
  EXPECT_EQ(wake(kNuma, 5), 1);
}

// A mapping whose policy prefers a node.
TEST_P(Numa, AsksThePolicyOfTheMapping) {
  constexpr std::size_t kPage = 4096;
  void* const mapping =
      mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  const unsigned long first_node = 1;
  if (syscall(SYS_mbind, mapping, kPage, MPOL_PREFERRED, &first_node, 64, 0) != 0) {
    GTEST_SKIP() << "this kernel has no memory policies";
  }
  Pair& pair = *new (mapping) Pair;
  const auto wait_there = [&](unsigned flags) {
    return GetParam()->wait(&pair, 0, kAnyBit, flags, nullptr, CLOCK_MONOTONIC);
  };
  const auto wake_there = [&](unsigned flags) {
    return GetParam()->wake(&pair, kAnyBit, INT_MAX, flags);
  };
  pair.node.store(7);  // not looked at
  Sleeper by_policy{[&] { return wait_there(kPlain | kPolicy); }};
  wait_until([&] { return wake_there(kPlain | kPolicy) == 1; }, "a sleeper, by policy");
  EXPECT_EQ(by_policy.result(), 0);
  EXPECT_EQ(pair.node.load(), 7U);
  pair.node.store(0);
  Sleeper sleeper{[&] { return wait_there(kPlain | kPolicy); }};
  wait_until([&] { return wake_there(kNuma) == 1; }, "a sleeper on node 0, by policy");
  EXPECT_EQ(sleeper.result(), 0);
  Sleeper other{[&] { return wait_there(kNuma); }};
  wait_until([&] { return GetParam()->waiting(pair, kNuma) == 1; }, "a sleeper on node 0");
  EXPECT_EQ(wake_there(kPlain), 0);
  EXPECT_EQ(wake_there(kPlain | kPolicy), 1);
  EXPECT_EQ(other.result(), 0);
  pair.node.store(kNoNode);
  EXPECT_EQ(wake_there(kNuma | kPolicy), 0);
  EXPECT_EQ(pair.node.load(), 0U);
  munmap(mapping, kPage);
}

TEST_P(Numa, StartsEmptyInAForkedChild) {
  Sleeper sleeper{[&] { return wait(kNuma); }};
  wait_for_sleeper(kNuma);
  const pid_t child = fork();
  if (child == 0) {
    const timespec soon = in(CLOCK_MONOTONIC, 1);
    const bool is_empty = wake(kNuma) == 0 && wait(kNuma, &soon) == -ETIMEDOUT && wake(kNuma) == 0;
    _exit(is_empty ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(wake(kNuma), 1);
  EXPECT_EQ(sleeper.result(), 0);
}

// Whatever is wrong together with whatever else is wrong.

TEST(NumaErrors, ComeInTheKernelsOrder) {
  const Arguments arguments;
  Pair pair;
  if (kernel_wake(&pair, kAnyBit, 0, kPlain) == -ENOSYS) GTEST_SKIP() << "no futex_wake(2) here";
  constexpr unsigned kFlags[] = {
      kPlain,       kNuma,     kPlain | kPolicy, kNuma | kPolicy,   kPrivate, kPrivate | 1,
      kPrivate | 3, kNuma | 1, kPlain | 16,      kPlain | 1U << 31, kU32,     kU32 | kNode};
  constexpr unsigned long kMasks[] = {0, 1, kAnyBit, 1UL << 32, ~0UL};
  constexpr unsigned long kValues[] = {0, 1, 1UL << 32};
  constexpr clockid_t kClocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, -1};
  // Each place twice: as it is, and 4 bytes on, where a pair may be misaligned.
  std::vector<Place> places = arguments.places();
  for (const Place& each : arguments.places()) {
    Place moved = each;
    moved.word = reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::uintptr_t>(each.word) + 4);
    places.push_back(moved);
  }
  int count = 0;
  for (const unsigned flags : kFlags) {
    for (const Place& place : places) {
      for (const unsigned long mask : kMasks) {
        for (const int nr : {0, 1, -1}) {
          SCOPED_TRACE(testing::Message() << "flags " << flags << " on " << place.name << " "
                                          << place.word << ", mask " << mask << ", nr " << nr);
          ASSERT_EQ(phutex_futex_wake(place.word, mask, nr, flags),
                    kernel_wake(place.word, mask, nr, flags));
          ++count;
        }
        for (const unsigned long value : kValues) {
          for (const clockid_t clock : kClocks) {
            for (const Time& time : arguments.times()) {
              if (time.pointer == nullptr && value == 0) continue;  // might sleep
              SCOPED_TRACE(testing::Message() << "flags " << flags << " on " << place.name << " "
                                              << place.word << ", value " << value << ", mask "
                                              << mask << ", " << time.name << ", clock " << clock);
              ASSERT_EQ(phutex_futex_wait(place.word, value, mask, flags, time.pointer, clock),
                        kernel_wait(place.word, value, mask, flags, time.pointer, clock));
              ++count;
            }
          }
        }
      }
    }
  }
  std::printf("%d combinations\n", count);
}

// A node can be read from a page that cannot be written, and not be filled in there.
TEST(NumaErrors, AreFaultsWhereTheNodeCannotBeWritten) {
  constexpr std::size_t kPage = 4096;
  void* const mapping =
      mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  Pair& known = *new (mapping) Pair;
  Pair& unknown = *new (static_cast<char*>(mapping) + 64) Pair;
  unknown.node.store(kNoNode);
  ASSERT_EQ(mprotect(mapping, kPage, PROT_READ), 0);
  const timespec past{0, 0};
  for (const Calls* const calls : kBothCalls) {
    if (calls->wake(&known, kAnyBit, 1, kPlain) == -ENOSYS) continue;
    SCOPED_TRACE(calls->name);
    EXPECT_EQ(calls->wake(&known, kAnyBit, 1, kNuma), 0);
    EXPECT_EQ(calls->wait(&known, 0, kAnyBit, kNuma, &past, CLOCK_MONOTONIC), -ETIMEDOUT);
    EXPECT_EQ(calls->wake(&unknown, kAnyBit, 1, kNuma), -EFAULT);
    EXPECT_EQ(calls->wake(&unknown, kAnyBit, 0, kNuma), -EFAULT);
    EXPECT_EQ(calls->wait(&unknown, 0, kAnyBit, kNuma, &past, CLOCK_MONOTONIC), -EFAULT);
    EXPECT_EQ(calls->wait(&unknown, 1, kAnyBit, kNuma, nullptr, CLOCK_MONOTONIC), -EFAULT);
    EXPECT_EQ(unknown.node.load(), kNoNode);
  }
  munmap(mapping, kPage);
}

}  // namespace
}  // namespace phutex::tests
