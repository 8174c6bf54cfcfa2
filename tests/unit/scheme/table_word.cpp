// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/scheme/table_word.hpp"

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

TEST(TableWord, KeepsTheTableUnderItsMarks) {
  const auto table = Table<Direct>::create(2);
  const TableWord<Direct> plain{table.get()};
  EXPECT_FALSE(plain.is_draining() || plain.is_frozen());
  EXPECT_TRUE(plain.draining().is_draining());
  EXPECT_FALSE(plain.draining().is_frozen());
  EXPECT_TRUE(plain.frozen().is_frozen());
  EXPECT_FALSE(plain.frozen().is_draining());
  for (const TableWord<Direct> word : {plain, plain.draining(), plain.frozen()}) {
    EXPECT_EQ(&word.table(), table.get());
    EXPECT_EQ(&TableWord<Direct>::from_raw(word.raw()).table(), table.get());
  }
}

}  // namespace
}  // namespace phutex
