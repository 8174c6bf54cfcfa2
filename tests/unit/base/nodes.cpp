// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/base/nodes.hpp"

#include <gtest/gtest.h>

namespace phutex {
namespace {

TEST(Nodes, AreNoneUntilOneIsAdded) {
  EXPECT_EQ(Nodes{}.count(), 0U);
  EXPECT_EQ(Nodes{}.number_count(), 0U);
  EXPECT_FALSE(Nodes{}.contains(0));
}

TEST(Nodes, KnowTheirHoles) {
  Nodes nodes;
  nodes.add(2);
  nodes.add(64);
  nodes.add(64);
  EXPECT_EQ(nodes.count(), 2U);
  EXPECT_EQ(nodes.number_count(), 65U);
  EXPECT_FALSE(nodes.contains(0));
  EXPECT_TRUE(nodes.contains(2));
  EXPECT_TRUE(nodes.contains(64));
  EXPECT_EQ(nodes.next_from(0), 2U);
  EXPECT_EQ(nodes.next_from(2), 2U);
  EXPECT_EQ(nodes.next_from(3), 64U);
}

TEST(Nodes, ContainNoNumberThatIsTooHigh) {
  Nodes nodes;
  nodes.add(Nodes::kNumbersMax - 1);
  EXPECT_EQ(nodes.number_count(), Nodes::kNumbersMax);
  EXPECT_TRUE(nodes.contains(Nodes::kNumbersMax - 1));
  EXPECT_FALSE(nodes.contains(Nodes::kNumbersMax));
  EXPECT_FALSE(nodes.contains(SIZE_MAX));
}

}  // namespace
}  // namespace phutex
