// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fibers/runtime.hpp"

#include <stdexcept>
#include <vector>

#include "tests/unit/on_fibres.hpp"

namespace phutex::fibers {
namespace {

std::string failure_of(const std::function<void()>& body) {
  Runtime runtime;
  FirstChoice chooser;
  EXPECT_FALSE(runtime.run(chooser, body));
  return runtime.failure();
}

TEST(Runtime, RunsAThreadUntilItMustWait) {
  std::vector<int> order;
  on_fibres([&order] {
    spawn("one", [&order] { order.insert(order.end(), {1, 1}); });
    spawn("two", [&order] { order.insert(order.end(), {2, 2}); });
    order.push_back(0);
    join_all();
    order.push_back(3);
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 1, 2, 2, 3}));
}

TEST(Runtime, RunsAgainAndAgain) {
  Runtime runtime;
  FirstChoice chooser;
  int count = 0;
  for (int turn = 0; turn < 100; ++turn) {
    EXPECT_TRUE(runtime.run(chooser, [&] {
      for (unsigned thread = 1; thread < kThreadsMax; ++thread) spawn("it", [&] { ++count; });
      join_all();
    }));
  }
  EXPECT_EQ(count, 100 * static_cast<int>(kThreadsMax - 1));
}

TEST(Runtime, NamesWhoSleepsForEver) {
  EXPECT_EQ(failure_of([] {
              static int place;
              spawn("one", [] { Runtime::current()->sleep(&place, Deadline::never()); });
              spawn("two", [] {});
              spawn("three", [] { Runtime::current()->sleep(&place, Deadline::never()); });
              join_all();
            }),
            "asleep for ever: one, three");
}

TEST(Runtime, InterruptsASleeper) {
  Awoken awoken = Awoken::roused;
  on_fibres([&awoken] {
    static int place;
    const unsigned sleeper =
        spawn("one", [&] { awoken = Runtime::current()->sleep(&place, Deadline::never()); });
    Runtime::current()->interrupt(sleeper);
    let_others_run();
    Runtime::current()->interrupt(sleeper);
    join_all();
  });
  EXPECT_EQ(awoken, Awoken::interrupted);
}

TEST(Runtime, DoesNotCountOnASignal) {
  EXPECT_EQ(failure_of([] {
              static int place;
              const unsigned sleeper =
                  spawn("one", [] { Runtime::current()->sleep(&place, Deadline::never()); });
              Runtime::current()->allow_interruptions(sleeper, 1);
              join_all();
            }),
            "asleep for ever: one");
}

TEST(Runtime, RousesOneSleeperOfThePlaceTheLongestAsleep) {
  std::vector<int> order;
  on_fibres([&order] {
    static int places[2];
    for (const int number : {1, 2, 3}) {
      spawn("sleeper", [&order, number] {
        Runtime::current()->step();
        EXPECT_EQ(Runtime::current()->sleep(&places[number % 2], Deadline::never()),
                  Awoken::roused);
        order.push_back(number);
      });
    }
    let_others_run();
    Runtime::current()->rouse(&order);
    for (const int place : {1, 0, 1}) {
      Runtime::current()->rouse(&places[place]);
      let_others_run();
    }
    join_all();
  });
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Runtime, FindsThatNobodyWillEndASpin) {
  const std::string failure = failure_of([] {
    for (;;) Runtime::current()->back_off();
  });
  EXPECT_EQ(failure.find("no progress: main"), 0U) << failure;
}

TEST(Runtime, FindsThatTwoSpinForEver) {
  const std::string failure = failure_of([] {
    for (const char* const name : {"one", "two"}) {
      spawn(name, [] {
        for (;;) Runtime::current()->back_off();
      });
    }
    join_all();
  });
  EXPECT_EQ(failure.find("no end"), 0U) << failure;
}

TEST(Runtime, ReportsAFailedCheckAndAnException) {
  const std::string failure = failure_of([] { PHUTEX_CHECK(1 > 2, "numbers are in order"); });
  EXPECT_EQ(failure.find("numbers are in order (1 > 2 at "), 0U) << failure;
  EXPECT_EQ(failure_of([] { throw std::runtime_error("thrown"); }),
            "an exception ended a thread: thrown");
}

TEST(Runtime, StartsAfreshAfterAFailure) {
  Runtime runtime;
  FirstChoice chooser;
  EXPECT_FALSE(runtime.run(chooser, [] {
    spawn("other", [] { Runtime::current()->back_off(); });
    Runtime::current()->back_off();
    Runtime::current()->fail({"on purpose"});
  }));
  EXPECT_EQ(runtime.failure(), "on purpose");
  EXPECT_TRUE(runtime.run(chooser, [] { spawn("other", [] {}), join_all(); }));
  EXPECT_EQ(runtime.failure(), "");
  EXPECT_EQ(Runtime::current(), nullptr);
}

TEST(Arena, GivesZeroedPiecesApartAndTakesAllBack) {
  Arena arena;
  for (int turn = 0; turn < 3; ++turn) {
    auto* const one = static_cast<unsigned char*>(arena.allocate(100));
    auto* const other = static_cast<unsigned char*>(arena.allocate(1));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(other) % 64, 0U);
    EXPECT_GE(other - one, 100);
    for (int index = 0; index < 100; ++index) {
      EXPECT_EQ(one[index], 0);
      one[index] = 0xff;
    }
    arena.clear();
  }
  EXPECT_EQ(arena.allocate(std::size_t{1} << 40), nullptr);
}

}  // namespace
}  // namespace phutex::fibers
