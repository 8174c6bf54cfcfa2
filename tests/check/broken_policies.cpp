// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mistakes that others have made, each in an engine of its own, and each noticed.
//
// The engines here are as the real one but for the one thing that their comment says.

#include "checker/scenarios/scenarios.hpp"
#include "tests/check/broken_engines.hpp"
#include "tests/check/exploring.hpp"

namespace phutex::checker {
namespace {

/// How a scenario fails with another engine than its own; empty if it does not.
template <class Engine>
std::string failure_with(const char* scenario, Mode mode) {
  Check check = scenarios().named(scenario).front();
  check.kind = {.scheme = "broken", .mismatch = "broken", .make = make_engine<Engine>};
  return failure_of(explore_all(check, model_for(check, mode, Counts::restartable)));
}

TEST(BrokenWait, ComparingOutsideTheLockLosesWakes) {
  EXPECT_EQ(failure_with<broken::ComparesOutsideLock>("LostWakeup", Mode::sc),
            "asleep for ever: waiter");
}

TEST(BrokenWait, QueuingAfterTheLockLosesWakes) {
  EXPECT_EQ(failure_with<broken::QueuesAfterUnlock>("LostWakeup", Mode::sc),
            "asleep for ever: waiter");
}

TEST(BrokenWait, AnnouncingAfterTheLastReadLosesWakes) {
  EXPECT_EQ(failure_with<broken::AnnouncesTooLate>("LostWakeup", Mode::sc),
            "asleep for ever: waiter");
}

TEST(BrokenWait, GivingUpThoughTakenWastesAWake) {
  EXPECT_EQ(failure_with<broken::GivesUpThoughTaken>("TimeoutOrWake", Mode::sc),
            "not so: a wake counts exactly the waits that return woken");
}

TEST(BrokenWake, UsingAWaiterAfterLettingItGoIsARace) {
  EXPECT_EQ(failure_with<broken::UsesWaiterAfterUnpark>("LostWakeup", Mode::sc),
            "data race: waiter destroys what waker has used, and nothing orders the two");
}

TEST(BrokenWake, TakingAnybodyInTheBucketIsNoticed) {
  EXPECT_EQ(failure_with<broken::TakesAnybody>("Collision", Mode::sc),
            "not so: the wake of one word took its waiter");
}

TEST(BrokenReplacement, FreeingWithoutDrainingIsNoticed) {
  EXPECT_EQ(failure_with<broken::NeverDrains>("PinOrDrain", Mode::sc),
            "data race: resizer destroys what user has used, and nothing orders the two");
}

TEST(BrokenReplacement, PublishingBeforeDrainingIsNoticed) {
  EXPECT_EQ(failure_with<broken::PublishesFirst>("WaitOrReplacement", Mode::sc),
            "asleep for ever: waiter");
}

TEST(BrokenReplacement, ForgettingTheWaitersIsNoticed) {
  EXPECT_EQ(failure_with<broken::MovesNobody>("WaitOrReplacement", Mode::sc),
            "not so: who slept before sleeps on");
}

TEST(BrokenReplacement, TrustingAnOutdatedTableIsNoticed) {
  const std::string failure =
      failure_with<broken::TrustsOutdatedTable>("TwoReplacements", Mode::sc);
  EXPECT_EQ(failure.find("use after destruction: user"), 0U) << failure;
}

TEST(BrokenLockOrder, UnparkingUnderABucketsLockIsNoticed) {
  EXPECT_EQ(failure_with<broken::UnparksUnderLock>("LostWakeup", Mode::sc),
            "under a bucket's lock: waker unparks");
}

TEST(BrokenLockOrder, ParkingUnderABucketsLockIsNoticed) {
  EXPECT_EQ(failure_with<broken::ParksUnderLock>("LostWakeup", Mode::sc),
            "under a bucket's lock: waiter parks");
}

TEST(BrokenLockOrder, AllocatingUnderALockIsNoticed) {
  EXPECT_EQ(failure_with<broken::AllocatesUnderLock>("LostWakeup", Mode::sc),
            "under a lock: waiter allocates");
}

TEST(BrokenLockOrder, AllocatingATableUnderTheReplacementLockIsNoticed) {
  EXPECT_EQ(failure_with<broken::ReplacesHastily>("PinOrDrain", Mode::sc),
            "under a lock: resizer allocates");
}

TEST(BrokenLockOrder, DisturbingOthersUnderABucketsLockIsNoticed) {
  EXPECT_EQ(failure_with<broken::FencesHeavilyUnderLock>("LostWakeup", Mode::sc),
            "under a bucket's lock: waker fences heavily");
  EXPECT_EQ(failure_with<broken::SettlesUnderLock>("LostWakeup", Mode::sc),
            "under a bucket's lock: waker settles counts");
}

TEST(BrokenEngines, HoldWhereTheirMistakeDoesNotMatter) {
  EXPECT_EQ(failure_with<broken::TakesAnybody>("LostWakeup", Mode::sc), "");
  EXPECT_EQ(failure_with<broken::NeverDrains>("LostWakeup", Mode::sc), "");
  EXPECT_EQ(failure_with<broken::TrustsOutdatedTable>("PinOrDrain", Mode::sc), "");
}

}  // namespace
}  // namespace phutex::checker
