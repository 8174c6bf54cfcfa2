// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every scheme with a table that can be replaced must do, whatever way it counts.

#include "engine/scheme/replaceable.hpp"

#include <memory>
#include <vector>

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

static_assert(IsUseCount<scheme::PerCpuUse<Direct>, Direct>);
static_assert(IsUseCount<scheme::SharedUse<Direct>, Direct>);
static_assert(IsUseCount<scheme::BucketUse<Direct>, Direct>);
static_assert(IsUseCount<scheme::SectionUse<Direct>, Direct>);

template <class Scheme>
class ReplaceableTest : public testing::Test {
 protected:
  ReplaceableTest() { EXPECT_TRUE(scheme_.prepare()); }
  Scheme scheme_{Table<Direct>::create(2)};
};

using Schemes = testing::Types<scheme::PerCpuCount<Direct>, scheme::SharedCount<Direct>,
                               scheme::BucketCount<Direct>, scheme::Tombstone<Direct>,
                               scheme::Split<Direct>>;

/// Those that let a newcomer in as long as an old user is there.
template <class Scheme>
inline constexpr bool kLetsNewcomersIn =
    !std::is_same_v<Scheme, scheme::BucketCount<Direct>> &&
    !std::is_same_v<Scheme, scheme::Tombstone<Direct>>;
struct SchemeNames {
  template <class S>
  static std::string GetName(int) {
    return std::string{kName<S>};
  }
};
TYPED_TEST_SUITE(ReplaceableTest, Schemes, SchemeNames);

TYPED_TEST(ReplaceableTest, HasTheBucketsOfTheLastReplacement) {
  on_fibres([this] {
    for (const std::size_t count : {2U, 4U, 1024U, 2U, 16U}) {
      EXPECT_TRUE(static_cast<bool>(this->scheme_.resize(count)));
      EXPECT_EQ(this->scheme_.bucket_count(), count);
    }
  });
}

TYPED_TEST(ReplaceableTest, FreesEveryTableButTheLast) {
  on_fibres([this] {
    const std::size_t before = fibers::DirectMemory::storage.in_use;
    for (int turn = 0; turn < 10; ++turn) (void)this->scheme_.resize(turn % 2 == 0 ? 64 : 2);
    EXPECT_EQ(fibers::DirectMemory::storage.in_use, before);
  });
}

TYPED_TEST(ReplaceableTest, IsUnchangedWhereThereIsNoMemory) {
  on_fibres([this] {
    fibers::DirectMemory::storage.left = 0;
    EXPECT_EQ(this->scheme_.resize(64).error(), Errno::no_memory);
    fibers::DirectMemory::storage.left = SIZE_MAX;
    EXPECT_EQ(this->scheme_.bucket_count(), 2U);
    EXPECT_TRUE(static_cast<bool>(this->scheme_.resize(64)));
  });
}

TYPED_TEST(ReplaceableTest, RefusesWhenFrozenAndKeepsWorking) {
  on_fibres([this] {
    EXPECT_TRUE(static_cast<bool>(this->scheme_.resize(8)));
    const std::size_t before = fibers::DirectMemory::storage.in_use;
    this->scheme_.freeze();
    EXPECT_EQ(this->scheme_.resize(16).error(), Errno::busy);
    EXPECT_EQ(this->scheme_.bucket_count(), 8U);
    EXPECT_EQ(fibers::DirectMemory::storage.in_use, before) << "the refused table is freed";
    EXPECT_TRUE(static_cast<bool>(this->scheme_.lock(Key{16})));
  });
}

TYPED_TEST(ReplaceableTest, WaitsForWhoUsesTheTable) {
  on_fibres([this] {
    bool is_replaced = false;
    auto locked = this->scheme_.lock(Key{16});
    spawn("resizer", [&] {
      EXPECT_TRUE(static_cast<bool>(this->scheme_.resize(4)));
      is_replaced = true;
    });
    let_others_run();
    let_others_run();
    EXPECT_FALSE(is_replaced);
    locked.unlock();
    join_all();
    EXPECT_TRUE(is_replaced);
  });
}

TYPED_TEST(ReplaceableTest, LetsNewcomersInWhileItDrainsIfItCan) {
  on_fibres([this] {
    auto locked = this->scheme_.lock(Key{16});
    spawn("resizer", [this] { EXPECT_TRUE(static_cast<bool>(this->scheme_.resize(4))); });
    let_others_run();
    if (!kLetsNewcomersIn<TypeParam>) {
      bool is_in = false;
      spawn("newcomer", [&] { is_in = static_cast<bool>(this->scheme_.lock(Key{32})); });
      let_others_run();
      EXPECT_FALSE(is_in);
      locked.unlock();
      join_all();
      EXPECT_TRUE(is_in);
      return;
    }
    EXPECT_FALSE(static_cast<bool>(this->scheme_.lock_if_waiting(Key{32})));
    EXPECT_TRUE(static_cast<bool>(this->scheme_.lock(Key{32}))) << "in the other bucket";
    locked.unlock();
    join_all();
    EXPECT_EQ(this->scheme_.bucket_count(), 4U);
  });
}

TYPED_TEST(ReplaceableTest, GivesUpOnABusyLockIfToldTo) {
  on_fibres([this] {
    int asked = 0;
    const auto says = [&](bool answer) { return [&asked, answer] { return ++asked, answer; }; };
    EXPECT_TRUE(static_cast<bool>(this->scheme_.lock_or(Key{16}, says(true)))) << "free";
    EXPECT_EQ(asked, 0);
    auto locked = this->scheme_.lock(Key{16});
    EXPECT_FALSE(static_cast<bool>(this->scheme_.lock_or(Key{16}, says(true))));
    EXPECT_EQ(asked, 1);
    spawn("other",
          [&] { EXPECT_TRUE(static_cast<bool>(this->scheme_.lock_or(Key{16}, says(false)))); });
    let_others_run();
    EXPECT_EQ(asked, 2);
    locked.unlock();
    join_all();
    EXPECT_TRUE(static_cast<bool>(this->scheme_.resize(4))) << "all pins are given back";
  });
}

TYPED_TEST(ReplaceableTest, LetsTwoReplaceOneAfterTheOther) {
  on_fibres([this] {
    auto locked = this->scheme_.lock(Key{16});
    std::vector<std::size_t> done;
    for (const std::size_t count : {4U, 8U}) {
      spawn("resizer", [this, &done, count] {
        EXPECT_TRUE(static_cast<bool>(this->scheme_.resize(count)));
        done.push_back(count);
      });
    }
    let_others_run();
    EXPECT_TRUE(done.empty());
    locked.unlock();
    join_all();
    EXPECT_EQ(done.size(), 2U);
    EXPECT_EQ(this->scheme_.bucket_count(), done.back());
  });
}

}  // namespace
}  // namespace phutex
