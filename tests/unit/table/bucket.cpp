// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/table/bucket.hpp"

#include <type_traits>

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

using Locked = Bucket<Direct>::Locked;

// A proof is moved, never copied, and cannot be made up.
static_assert(!std::is_copy_constructible_v<Locked> && std::is_move_constructible_v<Locked>);
static_assert(!std::is_constructible_v<Locked, Bucket<Direct>*>);
static_assert(alignof(Bucket<Direct>) == 64);

TEST(BucketLocked, HoldsTheLockAsLongAsItLives) {
  Bucket<Direct> bucket;
  {
    Locked locked = bucket.lock();
    EXPECT_TRUE(static_cast<bool>(locked));
    EXPECT_FALSE(static_cast<bool>(bucket.try_lock()));
    const Locked moved = std::move(locked);
    EXPECT_FALSE(static_cast<bool>(bucket.try_lock()));
  }
  EXPECT_TRUE(static_cast<bool>(bucket.try_lock()));
}

TEST(BucketLocked, CanEndEarlyAndOnlyOnce) {
  Bucket<Direct> bucket;
  Locked locked = bucket.lock();
  locked.unlock();
  EXPECT_FALSE(static_cast<bool>(locked));
  const Locked again = bucket.try_lock();
  EXPECT_TRUE(static_cast<bool>(again));
  locked.unlock();
  EXPECT_FALSE(static_cast<bool>(bucket.try_lock()));
}

class BucketCount : public testing::Test {
 protected:
  void enqueue(Waiter<Direct>& waiter) {
    Locked locked = bucket_.lock();
    locked.announce();
    locked.enqueue(waiter);
  }

  Bucket<Direct> bucket_;
  Parker<Direct> parkers_[2];
  Waiter<Direct> one_{Key{1}, 1, parkers_[0]};
  Waiter<Direct> two_{Key{1}, 2, parkers_[1]};
};

TEST_F(BucketCount, SaysWhetherAnybodyMayWait) {
  EXPECT_FALSE(bucket_.maybe_waiting());
  {
    Locked locked = bucket_.lock();
    locked.announce();
    EXPECT_TRUE(bucket_.maybe_waiting()) << "from before the word is read for the last time";
    locked.withdraw();
  }
  EXPECT_FALSE(bucket_.maybe_waiting());
}

TEST_F(BucketCount, FallsWhenWaitersAreTaken) {
  enqueue(one_);
  enqueue(two_);
  WakeList<Direct> list;
  bucket_.lock().take(Key{1}, 1, 9, list);
  EXPECT_EQ(list.count(), 1);
  EXPECT_TRUE(bucket_.maybe_waiting());
  bucket_.lock().take(Key{1}, 1, 9, list);
  EXPECT_TRUE(bucket_.maybe_waiting()) << "nobody was taken";
  bucket_.lock().take(Key{1}, kMatchAny, 9, list);
  EXPECT_FALSE(bucket_.maybe_waiting());
  list.unpark_all();
}

TEST_F(BucketCount, FallsWhenAWaiterLeavesOnce) {
  enqueue(one_);
  EXPECT_TRUE(bucket_.lock().leave(one_));
  EXPECT_FALSE(bucket_.maybe_waiting());
  EXPECT_FALSE(bucket_.lock().leave(one_));
  EXPECT_FALSE(bucket_.maybe_waiting());
}

TEST_F(BucketCount, MovesWithItsQueue) {
  enqueue(one_);
  enqueue(two_);
  Bucket<Direct> other;
  Waiter<Direct>* const first = bucket_.lock().detach_any();
  EXPECT_EQ(first, &one_);
  EXPECT_FALSE(bucket_.maybe_waiting());
  EXPECT_EQ(bucket_.lock().detach_any(), nullptr);
  other.lock().attach(*first);
  EXPECT_TRUE(other.maybe_waiting());
  EXPECT_TRUE(other.lock().leave(one_));
  EXPECT_TRUE(other.maybe_waiting());
  EXPECT_TRUE(other.lock().leave(two_));
  EXPECT_FALSE(other.maybe_waiting());
}

}  // namespace
}  // namespace phutex
