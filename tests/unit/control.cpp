// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Who may say how big a hash is: users against rules, and no memory.
//
// See  tests/unit/control_at_once.cpp

#include "engine/control.hpp"

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

constexpr sizing::Cpus kMany{.online = 256, .possible = 256};

TEST(Hash, FitsAWord) {
  for (const Origin origin :
       {Origin::none, Origin::automatic, Origin::custom, Origin::immutable, Origin::global}) {
    for (std::size_t buckets = kBucketsMin; buckets <= kBucketsMax; buckets *= 2) {
      EXPECT_EQ(Hash::unpacked(Hash{origin, buckets}.packed()), (Hash{origin, buckets}));
    }
  }
  EXPECT_EQ(Hash{}.packed(), 0U);
  EXPECT_EQ(Hash::unpacked(0), Hash{});
}

TEST(Hash, IsReportedOnceItIsSomebodys) {
  EXPECT_EQ((Hash{Origin::none, 16}.reported()), 0U);
  EXPECT_EQ((Hash{Origin::automatic, 16}.reported()), 16U);
  EXPECT_EQ((Hash{Origin::custom, 2}.reported()), 2U);
  EXPECT_EQ((Hash{Origin::immutable, 64}.reported()), 64U);
  EXPECT_EQ((Hash{Origin::global, 65536}.reported()), 0U);
}

TEST(Better, IsWhatAUserSet) {
  const Hash automatic{Origin::automatic, 1024};
  const Hash custom{Origin::custom, 2};
  EXPECT_EQ(better(automatic, custom), custom);
  EXPECT_EQ(better(custom, automatic), custom);
  EXPECT_EQ(better(Hash{}, automatic), automatic) << "anything is better than no wish";
}

TEST(Better, IsTheGlobalTable) {
  const Hash custom{Origin::custom, 1 << 20};
  const Hash global{Origin::global, 512};
  EXPECT_EQ(better(custom, global), global);
  EXPECT_EQ(better(global, custom), global);
  EXPECT_EQ(better(Hash{Origin::automatic, 1 << 20}, global), global);
}

TEST(Better, IsTheLargerOrElseTheEarlier) {
  const Hash small{Origin::custom, 64};
  const Hash large{Origin::custom, 128};
  EXPECT_EQ(better(small, large), large);
  EXPECT_EQ(better(large, small), large);
  const Hash fixed{Origin::immutable, 64};
  EXPECT_EQ(better(small, fixed), small);
  EXPECT_EQ(better(fixed, small), fixed);
}

// On every engine: what is said is also what is done.

template <class C>
class ControlTest : public testing::Test {
 protected:
  static constexpr bool kIsReplaceable = !std::is_same_v<typename C::Scheme, scheme::Fixed<Direct>>;

  ControlTest() { EXPECT_TRUE(engine_.prepare()); }

  void expect(Hash hash) {
    EXPECT_EQ(control_.hash(), hash);
    EXPECT_EQ(engine_.bucket_count(), hash.buckets);
  }
  Errno set(std::size_t count, Permanence permanence = Permanence::replaceable) {
    return control_.set(count, permanence).error();
  }
  Errno follow(std::size_t threads) { return control_.follow({.threads = threads}).error(); }

  Engine<C> engine_{Table<Direct>::create(16)};
  Control<Engine<C>> control_{engine_, sizing::kRules.front(), kMany, {Origin::none, 16}};
};

TYPED_TEST_SUITE(ControlTest, AllConfigs, ConfigNames);

TYPED_TEST(ControlTest, FollowsTheRuleUntilAUserSetsASize) {
  on_fibres([this] {
    this->expect({Origin::none, 16});
    EXPECT_EQ(this->follow(1), Errno::none);
    this->expect({Origin::automatic, 16});
    if (!this->kIsReplaceable) return;
    EXPECT_EQ(this->follow(5), Errno::none);
    this->expect({Origin::automatic, 32});
    EXPECT_EQ(this->follow(1), Errno::none);
    this->expect({Origin::automatic, 32});
    EXPECT_EQ(this->set(2), Errno::none);
    this->expect({Origin::custom, 2});
    EXPECT_EQ(this->follow(1000), Errno::none);
    this->expect({Origin::custom, 2});
    EXPECT_EQ(this->set(64), Errno::none);
    this->expect({Origin::custom, 64});
  });
}

TYPED_TEST(ControlTest, IsGlobalForGood) {
  on_fibres([this] {
    if (!this->kIsReplaceable) {
      EXPECT_EQ(this->set(0), Errno::busy);
      EXPECT_EQ(this->set(64), Errno::busy);
      EXPECT_EQ(this->follow(1000), Errno::none) << "what cannot be is no error for a rule";
      this->expect({Origin::none, 16});
      return;
    }
    EXPECT_EQ(this->set(0), Errno::none);
    this->expect({Origin::global, 65536});
    for (const std::size_t count : {0U, 2U, 65536U}) EXPECT_EQ(this->set(count), Errno::busy);
    EXPECT_EQ(this->follow(1000), Errno::none) << "silently";
    EXPECT_EQ(this->control_.reserve(65536).error(), Errno::none) << "there is room";
    EXPECT_EQ(this->control_.reserve(65537).error(), Errno::busy);
    this->expect({Origin::global, 65536});
  });
}

TYPED_TEST(ControlTest, IsImmutableForGood) {
  if (!this->kIsReplaceable) return;
  on_fibres([this] {
    EXPECT_EQ(this->set(32, Permanence::immutable), Errno::none);
    this->expect({Origin::immutable, 32});
    EXPECT_EQ(this->set(32, Permanence::immutable), Errno::busy);
    EXPECT_EQ(this->set(64), Errno::busy);
    EXPECT_EQ(this->set(0), Errno::busy);
    EXPECT_EQ(this->follow(1000), Errno::none);
    EXPECT_EQ(this->engine_.resize(64).error(), Errno::busy) << "the engine itself is frozen";
    this->expect({Origin::immutable, 32});
  });
}

TYPED_TEST(ControlTest, IsUnchangedWhereThereIsNoMemory) {
  if (!this->kIsReplaceable) return;
  on_fibres([this] {
    const auto without_memory = [](auto&& act) {
      fibers::DirectMemory::storage.left = 0;
      EXPECT_EQ(act(), Errno::no_memory);
      fibers::DirectMemory::storage.left = SIZE_MAX;
    };
    without_memory([this] { return this->follow(5); });
    this->expect({Origin::none, 16});
    EXPECT_EQ(this->follow(1), Errno::none);
    without_memory([this] { return this->follow(5); });
    this->expect({Origin::automatic, 16});
    without_memory([this] { return this->set(64); });
    without_memory([this] { return this->set(0); });
    without_memory([this] { return this->set(64, Permanence::immutable); });
    without_memory([this] { return this->control_.reserve(64).error(); });
    this->expect({Origin::automatic, 16});
    EXPECT_EQ(this->follow(5), Errno::none) << "and a rule may still choose";
    this->expect({Origin::automatic, 32});
    EXPECT_EQ(this->set(64), Errno::none);
    without_memory([this] { return this->set(16); });
    this->expect({Origin::custom, 64});
  });
}

TYPED_TEST(ControlTest, ReservesWithoutDeciding) {
  if (!this->kIsReplaceable) return;
  on_fibres([this] {
    EXPECT_EQ(this->control_.reserve(33).error(), Errno::none);
    this->expect({Origin::none, 64});
    EXPECT_EQ(this->control_.reserve(1).error(), Errno::none);
    this->expect({Origin::none, 64});
    EXPECT_EQ(this->follow(1), Errno::none);
    this->expect({Origin::automatic, 64});
    EXPECT_EQ(this->set(2), Errno::none);
    EXPECT_EQ(this->control_.reserve(100).error(), Errno::none);
    this->expect({Origin::custom, 128});
    EXPECT_EQ(this->control_.reserve(0).error(), Errno::none);
    this->expect({Origin::custom, 128});
    EXPECT_EQ(this->control_.reserve(SIZE_MAX).error(), Errno::no_memory);
  });
}

}  // namespace
}  // namespace phutex
