// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a wake takes and what it leaves alone; who it lets go is in engine.cpp.

#include "engine/op/wake.hpp"

#include <climits>

#include "tests/unit/on_fibres.hpp"

namespace phutex::op {
namespace {

/// A scheme with one table, which counts how often a lock was taken.
class CountedLocks : public scheme::Fixed<Direct> {
 public:
  using Base = scheme::Fixed<Direct>;
  using Base::Base;
  typename Base::Locked lock_if_waiting(Key key) {
    auto locked = Base::lock_if_waiting(key);
    locks += locked ? 1 : 0;
    return locked;
  }
  int locks = 0;
};

TEST(Wake, TakesNoLockWhereNobodyWaits) {
  CountedLocks scheme{Table<Direct>::create(2)};
  EXPECT_EQ(wake<Direct>(scheme, Key{16}, INT_MAX, kMatchAny), 0);
  EXPECT_EQ(scheme.locks, 0);
}

TEST(Wake, FindsNobodyInABucketWhereOthersWait) {
  CountedLocks scheme{Table<Direct>::create(2)};
  Parker<Direct> parker;
  Waiter<Direct> stranger{Key{16}, kMatchAny, parker};
  {
    auto locked = scheme.lock(Key{16});
    locked.announce();
    locked->enqueue(stranger);
  }
  EXPECT_EQ(wake<Direct>(scheme, Key{17}, INT_MAX, kMatchAny), 0) << "the same granule";
  EXPECT_EQ(scheme.locks, 1);
  EXPECT_FALSE(parker.is_woken());
  EXPECT_EQ(wake<Direct>(scheme, Key{16}, 1, kMatchAny), 1);
  EXPECT_TRUE(parker.is_woken());
}

}  // namespace
}  // namespace phutex::op
