// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/wait/wake_list.hpp"

#include "engine/wait/wait_queue.hpp"
#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

TEST(WakeList, LetsGoInTheOrderOfAdding) {
  Parker<Direct> parkers[3];
  Waiter<Direct> one{Key{1}, kMatchAny, parkers[0]};
  Waiter<Direct> two{Key{2}, kMatchAny, parkers[1]};
  Waiter<Direct> three{Key{3}, kMatchAny, parkers[2]};
  WakeList<Direct> list;
  EXPECT_EQ(list.count(), 0);
  list.add(two);
  list.add(three);
  list.add(one);
  EXPECT_EQ(list.count(), 3);
  for (const auto& parker : parkers) EXPECT_FALSE(parker.is_woken());
  list.unpark_all();
  for (const auto& parker : parkers) EXPECT_TRUE(parker.is_woken());
  EXPECT_EQ(list.count(), 3) << "how many were added, not how many are left";
}

TEST(WakeList, OfNobodyDoesNothing) {
  WakeList<Direct> list;
  list.unpark_all();
  EXPECT_EQ(list.count(), 0);
}

}  // namespace
}  // namespace phutex
