// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a look at a hash says of it, on every scheme.

#include "engine/snapshot.hpp"

#include <array>

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

template <class C>
class SnapshotTest : public testing::Test {
 protected:
  SnapshotTest() { EXPECT_TRUE(engine_.prepare()); }

  void sleep(const std::uint32_t& word) {
    spawn("sleeper",
          [this, &word] { EXPECT_TRUE(static_cast<bool>(engine_.wait(WordOf{word}, word))); });
    let_others_run();
  }

  static constexpr bool kIsReplaceable = !std::is_same_v<typename C::Scheme, scheme::Fixed<Direct>>;

  Engine<C> engine_{Table<Direct>::create(2)};
};

TYPED_TEST_SUITE(SnapshotTest, AllConfigs, ConfigNames);

TYPED_TEST(SnapshotTest, CountsNobodyWhereNobodyWaits) {
  on_fibres([this] {
    const Snapshot snapshot = this->engine_.snapshot();
    EXPECT_EQ(snapshot.buckets, 2U);
    EXPECT_EQ(snapshot.buckets_used, 0U);
    EXPECT_EQ(snapshot.waiters, 0U);
    EXPECT_EQ(snapshot.addresses, 0U);
    EXPECT_EQ(snapshot.replacements.count, 0U);
  });
}

TYPED_TEST(SnapshotTest, CountsWaitersAddressesAndCollisions) {
  // The first two share a granule, and with it a bucket in every table.
  struct alignas(32) Granule {
    std::array<std::uint32_t, 8> words{};
  };
  on_fibres([this] {
    const std::array<Granule, 1> granules{};
    const std::uint32_t& one = granules[0].words[0];
    const std::uint32_t& other = granules[0].words[1];
    for (int turn = 0; turn < 3; ++turn) this->sleep(one);
    this->sleep(other);
    const Snapshot snapshot = this->engine_.snapshot();
    EXPECT_EQ(snapshot.waiters, 4U);
    EXPECT_EQ(snapshot.addresses, 2U);
    EXPECT_EQ(snapshot.addresses_chained, 2U);
    EXPECT_EQ(snapshot.chain_max, 2U);
    EXPECT_EQ(snapshot.waiters_per_address_max, 3U);
    EXPECT_EQ(snapshot.buckets_used, 1U);
    EXPECT_EQ(this->engine_.wake(key_of(other), 1), 1);
    EXPECT_EQ(this->engine_.snapshot().addresses_chained, 0U);
    EXPECT_EQ(this->engine_.wake(key_of(one), 3), 3);
    join_all();
    EXPECT_EQ(this->engine_.snapshot().waiters, 0U);
  });
}

TYPED_TEST(SnapshotTest, CountsReplacements) {
  on_fibres([this] {
    const std::uint64_t made = this->kIsReplaceable ? 3 : 0;
    for (const std::size_t buckets : {4U, 8U, 4U}) (void)this->engine_.resize(buckets);
    EXPECT_EQ(this->engine_.snapshot().replacements.count, made);
  });
}

TYPED_TEST(SnapshotTest, SeesTheSameWithoutPatienceWhereNothingIsBusy) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    this->sleep(word);
    const Snapshot snapshot = this->engine_.snapshot(Patience::none);
    EXPECT_EQ(snapshot.waiters, 1U);
    EXPECT_EQ(snapshot.buckets_skipped, 0U);
    EXPECT_EQ(this->engine_.wake(key_of(word), 1), 1);
    join_all();
  });
}

TEST(Snapshot, SkipsBusyBucketsWithoutPatience) {
  on_fibres([] {
    scheme::Split<Direct> scheme{Table<Direct>::create(2)};
    auto locked = scheme.lock(Key{32});
    locked.announce();
    const Snapshot hasty = snapshot_of<Direct>(scheme, Patience::none);
    EXPECT_EQ(hasty.buckets, 2U);
    EXPECT_EQ(hasty.buckets_skipped, 1U);
    locked->withdraw();
  });
}

TEST(Snapshot, SeesNoBucketsWithoutPatienceDuringAReplacement) {
  on_fibres([] {
    scheme::Split<Direct> scheme{Table<Direct>::create(2)};
    auto locked = scheme.lock(Key{32});
    spawn("resizer", [&] { EXPECT_TRUE(static_cast<bool>(scheme.resize(4))); });
    let_others_run();
    EXPECT_EQ(snapshot_of<Direct>(scheme, Patience::none).buckets, 0U);
    locked.unlock();
    join_all();
    EXPECT_EQ(snapshot_of<Direct>(scheme, Patience::none).buckets, 4U);
  });
}

}  // namespace
}  // namespace phutex
