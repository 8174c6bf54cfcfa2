// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/table/bucket_lock.hpp"

#include <vector>

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

TEST(BucketLock, IsTakenOnceAtATime) {
  BucketLock<Direct> lock;
  lock.acquire();
  EXPECT_FALSE(lock.try_acquire());
  lock.release();
  EXPECT_TRUE(lock.try_acquire());
  lock.release();
}

TEST(BucketLock, WakesWhoSleepsOnIt) {
  on_fibres([] {
    BucketLock<Direct> lock;
    std::vector<int> order;
    lock.acquire();
    for (const int number : {1, 2, 3}) {
      spawn("locker", [&lock, &order, number] {
        const BucketLockGuard<Direct> guard{lock};
        order.push_back(number);
      });
    }
    let_others_run();
    EXPECT_TRUE(order.empty());
    lock.release();
    join_all();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  });
}

}  // namespace
}  // namespace phutex
