// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/scheme/global.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "engine/op/wait.hpp"
#include "engine/op/wake.hpp"
#include "engine/snapshot.hpp"
#include "tests/unit/on_fibres.hpp"

namespace phutex::scheme {
namespace {

static_assert(IsScheme<Global<Direct>, Direct>);

using Ids = std::vector<std::size_t>;

Nodes set_of(const Ids& ids) {
  Nodes nodes;
  for (const std::size_t id : ids) nodes.add(id);
  return nodes;
}

Errno wait_in(auto& scheme, const std::uint32_t& word, const Deadline& until = Deadline::never()) {
  return op::wait<Direct, mismatch::TryLock>(scheme, WordOf{word}, word, kMatchAny, until).error();
}

int wake_in(auto& scheme, const std::uint32_t& word) {
  return op::wake<Direct>(scheme, key_of(word), 1, kMatchAny);
}

/// A word that shares its hash with no other.
struct alignas(Key::kGranule) Granule {
  std::uint32_t word = 0;
};

class GlobalTest : public testing::TestWithParam<Ids> {
 protected:
  static constexpr std::size_t kBuckets = 64;

  GlobalTest() { EXPECT_TRUE(scheme_.prepare()); }

  /// How many of the keys at multiples of `stride` go to each node.
  std::vector<std::size_t> spread(std::uintptr_t stride, std::size_t keys) {
    std::vector<std::size_t> counts(scheme_.nodes().number_count());
    for (std::size_t index = 0; index < keys; ++index) {
      ++counts[scheme_.node_of(Key{0x7f00'0000'0000 + index * stride})];
    }
    return counts;
  }

  /// Numbers that end up at a node: its own, and those of the holes before it.
  std::size_t numbers_of(std::size_t node) const {
    std::size_t count = 1;
    while (count <= node && !scheme_.nodes().contains(node - count)) ++count;
    return count;
  }

  void expect_nobody_elsewhere(const std::uint32_t& word, std::size_t node) {
    for (const std::size_t other : GetParam()) {
      if (other == node) continue;
      EXPECT_EQ(wake_in(scheme_.on_node(other), word), 0) << "node " << other;
    }
  }

  Global<Direct> scheme_{Table<Direct>::create(kBuckets), set_of(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(Topologies, GlobalTest,
                         testing::Values(Ids{0}, Ids{0, 1}, Ids{0, 1, 2, 3},
                                         Ids{0, 1, 2, 3, 4, 5, 6, 7}, Ids{0, 2}, Ids{1, 5, 6}),
                         [](const auto& tested) {
                           std::string name = "nodes";
                           for (const std::size_t id : tested.param) {
                             name += "_" + std::to_string(id);
                           }
                           return name;
                         });

TEST_P(GlobalTest, HasATableForEachNodeAndKeepsThem) {
  EXPECT_EQ(scheme_.bucket_count(), kBuckets * GetParam().size());
  EXPECT_EQ(scheme_.resize(2 * kBuckets).error(), Errno::busy);
  scheme_.freeze();
  EXPECT_EQ(scheme_.resize(2 * kBuckets).error(), Errno::busy);
  for (const std::size_t node : GetParam()) {
    EXPECT_EQ(scheme_.on_node(node).bucket_count(), kBuckets);
  }
}

TEST_P(GlobalTest, SpreadsKeysWithoutANodeOverTheNumbers) {
  constexpr std::size_t kKeys = 40000;
  const std::size_t numbers = scheme_.nodes().number_count();
  for (const std::uintptr_t stride : {32U, 64U, 96U, 4096U, 65536U}) {
    const auto counts = spread(stride, kKeys);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), kKeys);
    for (const std::size_t node : GetParam()) {
      const double share = double(kKeys) * double(numbers_of(node)) / double(numbers);
      EXPECT_NEAR(double(counts[node]), share, 0.05 * share) << "node " << node << ", " << stride;
    }
  }
}

// The bits that choose the node are not those that choose the bucket.
TEST_P(GlobalTest, UsesEveryBucketOfEveryNode) {
  constexpr std::size_t kKeysOfEach = 64;
  const std::size_t keys = kKeysOfEach * kBuckets * scheme_.nodes().number_count();
  std::vector<Bucket<Direct>*> used;
  for (std::size_t index = 0; index < keys; ++index) {
    const Key key{0x7f00'0000'0000 + index * 4096};
    used.push_back(&scheme_.pin(key).bucket(key));
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  EXPECT_EQ(used.size(), scheme_.bucket_count());
}

TEST_P(GlobalTest, BringsTogetherThoseOnOneNode) {
  for (const std::size_t node : GetParam()) {
    on_fibres([this, node] {
      const std::uint32_t word = 0;
      spawn("waiter", [&] { EXPECT_EQ(wait_in(scheme_.on_node(node), word), Errno::none); });
      let_others_run();
      EXPECT_EQ(wake_in(scheme_.on_node(node), word), 1);
    });
  }
}

TEST_P(GlobalTest, KeepsNodesApart) {
  for (const std::size_t node : GetParam()) {
    on_fibres([this, node] {
      const std::uint32_t word = 0;
      spawn("waiter", [&] { EXPECT_EQ(wait_in(scheme_.on_node(node), word), Errno::none); });
      let_others_run();
      expect_nobody_elsewhere(word, node);
      EXPECT_EQ(wake_in(scheme_.on_node(node), word), 1);
    });
  }
}

TEST_P(GlobalTest, FindsWhoGivesUpOnItsNode) {
  on_fibres([this] {
    for (const std::size_t node : GetParam()) {
      const std::uint32_t word = 0;
      EXPECT_EQ(wait_in(scheme_.on_node(node), word, kSoon), Errno::timed_out);
      EXPECT_FALSE(static_cast<bool>(scheme_.on_node(node).lock_if_waiting(key_of(word))));
    }
  });
}

TEST_P(GlobalTest, TakesAKeyWithoutANodeToTheNodeOfItsHash) {
  std::vector<Granule> granules(64);
  for (Granule& granule : granules) {
    const std::uint32_t& word = granule.word;
    const std::size_t node = scheme_.node_of(key_of(word));
    on_fibres([&] {
      spawn("waiter", [&] { EXPECT_EQ(wait_in(scheme_, word), Errno::none); });
      let_others_run();
      expect_nobody_elsewhere(word, node);
      EXPECT_EQ(wake_in(scheme_.on_node(node), word), 1);
    });
    on_fibres([&] {
      spawn("waiter", [&] { EXPECT_EQ(wait_in(scheme_.on_node(node), word), Errno::none); });
      let_others_run();
      EXPECT_EQ(wake_in(scheme_, word), 1);
    });
  }
}

TEST_P(GlobalTest, IsSeenWholeBySnapshots) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    for (const std::size_t node : {GetParam().front(), GetParam().back()}) {
      spawn("waiter", [&, node] { EXPECT_EQ(wait_in(scheme_.on_node(node), word), Errno::none); });
    }
    let_others_run();
    const Snapshot seen = snapshot_of<Direct>(scheme_, Patience::waits);
    EXPECT_EQ(seen.buckets, scheme_.bucket_count());
    EXPECT_EQ(seen.waiters, 2U);
    EXPECT_EQ(wake_in(scheme_.on_node(GetParam().front()), word), 1);
    EXPECT_EQ(wake_in(scheme_.on_node(GetParam().back()), word), 1);
  });
}

// So many buckets that their bits and the node's would overlap if either were taken from one end.
TEST(Global, ChoosesNodesByOtherBitsThanBucketsHoweverManyThereAre) {
  constexpr unsigned kBits = 17;
  const Global<Direct> scheme{Table<Direct>::create(std::size_t{1} << kBits), set_of({0, 1})};
  std::vector<bool> used(std::size_t{2} << kBits);
  for (std::size_t index = 0; index < std::size_t{1} << (kBits + 3); ++index) {
    const Key key{index * Key::kGranule};
    used[(key.hash() >> (64 - kBits)) << 1 | scheme.node_of(key)] = true;
  }
  EXPECT_EQ(std::count(used.begin(), used.end(), true), std::ptrdiff_t{2} << kBits);
}

TEST(Global, GivesEverythingBackWhenMemoryRunsOut) {
  const Nodes nodes = set_of({0, 2, 3, 5});
  auto& storage = fibers::DirectMemory::storage;
  const std::size_t before = storage.in_use;
  // The list of tables, and three tables beside the first.
  for (std::size_t left = 0; left <= 4; ++left) {
    {
      Global<Direct> scheme{Table<Direct>::create(4), nodes};
      storage.left = left;
      EXPECT_EQ(scheme.prepare(), left == 4) << left;
      storage.left = SIZE_MAX;
    }
    EXPECT_EQ(storage.in_use, before) << left;
  }
}

TEST(Global, OfAMachineWithoutNodesHasOne) {
  Global<Direct> scheme{Table<Direct>::create(8)};
  ASSERT_TRUE(scheme.prepare());
  EXPECT_EQ(scheme.nodes(), Nodes::only_first());
  EXPECT_EQ(scheme.bucket_count(), 8U);
}

TEST(Global, CanBeThrownAwayUnprepared) {
  const std::size_t before = fibers::DirectMemory::storage.in_use;
  { Global<Direct> scheme{Table<Direct>::create(8)}; }
  EXPECT_EQ(fibers::DirectMemory::storage.in_use, before);
}

}  // namespace
}  // namespace phutex::scheme
