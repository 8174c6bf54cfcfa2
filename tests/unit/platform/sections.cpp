// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A thread's section record: nesting, and what a fork does to one whose thread was inside.

#include "engine/platform/sections.hpp"

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

using Record = SectionRecord<Direct>;

TEST(SectionRecord, IsInsideUntilTheOutermostSectionIsLeft) {
  Record record;
  EXPECT_TRUE(record.is_live());
  EXPECT_FALSE(record.is_inside());
  EXPECT_TRUE(record.enter());
  EXPECT_TRUE(record.enter());
  record.leave();
  EXPECT_TRUE(record.is_inside());
  record.leave();
  EXPECT_FALSE(record.is_inside());
}

TEST(SectionRecord, LetsNobodyInWhenDead) {
  Record record{Record::Dead{}};
  EXPECT_FALSE(record.is_live());
  EXPECT_FALSE(record.enter());
}

// As when a signal handler forks: the child leaves a section of its parent's.
TEST(SectionRecord, StaysDeadWhenASectionFromBeforeIsLeft) {
  Record record{Record::Dead{}};
  for (int depth = 0; depth < 3; ++depth) {
    record.leave();
    EXPECT_FALSE(record.is_live());
    EXPECT_FALSE(record.enter());
  }
}

}  // namespace
}  // namespace phutex
