// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/table/table.hpp"

#include <set>

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

static_assert(!is_bucket_count(0) && !is_bucket_count(1) && !is_bucket_count(3));
static_assert(is_bucket_count(2) && is_bucket_count(1024) && is_bucket_count(kBucketsMax));
static_assert(!is_bucket_count(kBucketsMax * 2));

TEST(Table, HasTheBucketsItWasMadeWith) {
  for (std::size_t count = 2; count <= 4096; count *= 2) {
    const auto table = Table<Direct>::create(count);
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->bucket_count(), count);
  }
}

TEST(Table, LeadsAKeyToOneOfItsBucketsAlwaysTheSame) {
  const auto table = Table<Direct>::create(8);
  std::set<const void*> buckets;
  for (std::size_t index = 0; index < 8; ++index) buckets.insert(&table->bucket_at(index));
  EXPECT_EQ(buckets.size(), 8U);
  std::set<const void*> led_to;
  for (std::uintptr_t identity = 0; identity < 1024; identity += 16) {
    const Key key{identity};
    EXPECT_TRUE(buckets.contains(&table->bucket_of(key)));
    EXPECT_EQ(&table->bucket_of(key), &table->bucket_of(key));
    led_to.insert(&table->bucket_of(key));
  }
  EXPECT_EQ(led_to, buckets) << "none stays unused";
}

TEST(Table, PutsEachBucketOnCacheLinesOfItsOwn) {
  const auto table = Table<Direct>::create(4);
  for (std::size_t index = 0; index < 4; ++index) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&table->bucket_at(index)) % 64, 0U);
  }
}

TEST(Table, IsNoneWhereThereIsNoMemory) {
  fibers::DirectMemory::storage.left = 0;
  EXPECT_EQ(Table<Direct>::create(2), nullptr);
  fibers::DirectMemory::storage.left = SIZE_MAX;
}

TEST(Table, GivesItsStorageBack) {
  const std::size_t before = fibers::DirectMemory::storage.in_use;
  {
    const auto table = Table<Direct>::create(16);
    EXPECT_EQ(fibers::DirectMemory::storage.in_use, before + 1);
  }
  EXPECT_EQ(fibers::DirectMemory::storage.in_use, before);
}

}  // namespace
}  // namespace phutex
