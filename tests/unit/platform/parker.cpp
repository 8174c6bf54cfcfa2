// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/platform/parker.hpp"

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

TEST(Parker, SleepsUntilUnparked) {
  on_fibres([] {
    Parker<Direct> parker;
    parker.prepare();
    bool is_over = false;
    spawn("sleeper", [&] {
      EXPECT_EQ(parker.park(Deadline::never()), Awoken::roused);
      is_over = true;
    });
    let_others_run();
    EXPECT_FALSE(is_over);
    EXPECT_FALSE(parker.is_woken());
    parker.unpark();
    join_all();
    EXPECT_TRUE(is_over && parker.is_woken());
  });
}

TEST(Parker, DoesNotSleepWhenUnparkedBefore) {
  on_fibres([] {
    Parker<Direct> parker;
    parker.prepare();
    parker.unpark();
    EXPECT_EQ(parker.park(Deadline::never()), Awoken::roused);
  });
}

TEST(Parker, GivesUpAtTheDeadline) {
  on_fibres([] {
    Parker<Direct> parker;
    parker.prepare();
    EXPECT_EQ(parker.park(kSoon), Awoken::timed_out);
    EXPECT_FALSE(parker.is_woken());
  });
}

TEST(Parker, IsReadyForTheNextWaitWhateverEndedTheLast) {
  on_fibres([] {
    Parker<Direct> parker;
    for (int turn = 0; turn < 3; ++turn) {
      parker.prepare();
      parker.unpark();
      EXPECT_EQ(parker.park(kSoon), Awoken::roused);
      parker.prepare();
      EXPECT_EQ(parker.park(kSoon), Awoken::timed_out);
      EXPECT_EQ(parker.park(kSoon), Awoken::timed_out) << "and again";
    }
  });
}

}  // namespace
}  // namespace phutex
