// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/nodes.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>
#include <string>

#include "native/global_hash.hpp"

namespace phutex::native {
namespace {

Nodes set_of(std::initializer_list<std::size_t> ids) {
  Nodes nodes;
  for (const std::size_t id : ids) nodes.add(id);
  return nodes;
}

TEST(ParseNodes, ReadsTheKernelsLists) {
  EXPECT_EQ(parse_nodes("0\n"), set_of({0}));
  EXPECT_EQ(parse_nodes("0"), set_of({0}));
  EXPECT_EQ(parse_nodes("0-3\n"), set_of({0, 1, 2, 3}));
  EXPECT_EQ(parse_nodes("0,2\n"), set_of({0, 2}));
  EXPECT_EQ(parse_nodes("1-2,5,8-8,1023"), set_of({1, 2, 5, 8, 1023}));
}

TEST(ParseNodes, RefusesWhatIsNone) {
  for (const char* const list : {"", "\n", "a", "0-", "-1", "0,", ",0", "3-2", "0-1024", "1024",
                                 "0 1", "0-1-2", "0x1", "99999999999999999999", "0\n\n"}) {
    EXPECT_EQ(parse_nodes(list), std::nullopt) << "'" << list << "'";
  }
}

TEST(PossibleNodes, IncludeTheOneThatThisRunsOn) {
  EXPECT_TRUE(possible_nodes().contains(current_node()));
}

/// A page with a memory policy.
class PolicyNode : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(page_, MAP_FAILED);
    if (!set(MPOL_DEFAULT, 0)) GTEST_SKIP() << "this kernel has no memory policies";
  }
  ~PolicyNode() override { munmap(page_, kSize); }

  bool set(int mode, unsigned long nodes) {
    return syscall(SYS_mbind, page_, kSize, mode, nodes == 0 ? nullptr : &nodes,
                   nodes == 0 ? 0 : 64, 0) == 0;
  }

  static constexpr std::size_t kSize = 4096;
  const std::size_t first_ = possible_nodes().next_from(0);  // below 64 wherever this is tested
  const unsigned long only_first_ = 1UL << first_;
  void* const page_ =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

TEST_F(PolicyNode, IsTheFirstThatIsPreferred) {
  EXPECT_EQ(policy_node(page_), std::nullopt);
  ASSERT_TRUE(set(MPOL_PREFERRED, only_first_));
  EXPECT_EQ(policy_node(page_), first_);
  ASSERT_TRUE(set(MPOL_PREFERRED | MPOL_F_STATIC_NODES, only_first_));
  EXPECT_EQ(policy_node(page_), first_);
}

TEST_F(PolicyNode, IsNoneOfAnyOtherPolicy) {
  for (const int mode : {MPOL_BIND, MPOL_INTERLEAVE}) {
    ASSERT_TRUE(set(mode, only_first_));
    EXPECT_EQ(policy_node(page_), std::nullopt) << mode;
  }
  ASSERT_TRUE(set(MPOL_PREFERRED, 0));  // wherever the caller runs
  EXPECT_EQ(policy_node(page_), std::nullopt);
}

TEST_F(PolicyNode, IsNoneWhereNothingIsMapped) {
  EXPECT_EQ(policy_node(nullptr), std::nullopt);
}

TEST_F(PolicyNode, IsWhatPreferNodeSays) {
  *static_cast<int*>(page_) = 42;
  prefer_node(page_, kSize, first_);
  EXPECT_EQ(policy_node(page_), first_);
  EXPECT_EQ(*static_cast<int*>(page_), 42);
}

TEST_F(PolicyNode, StaysIfTheNodeIsImpossible) {
  if (possible_nodes().contains(Nodes::kNumbersMax - 1)) GTEST_SKIP() << "all nodes are possible";
  prefer_node(page_, kSize, Nodes::kNumbersMax - 1);
  EXPECT_EQ(policy_node(page_), std::nullopt);
}

TEST(GlobalHash, IsMadeOnceAndHasTheMachinesNodes) {
  EXPECT_EQ(GlobalHash::get_if_used(), nullptr);
  GlobalHash* const hash = GlobalHash::get();
  ASSERT_NE(hash, nullptr);
  EXPECT_EQ(GlobalHash::get(), hash);
  EXPECT_EQ(GlobalHash::get_if_used(), hash);
  EXPECT_EQ(hash->nodes(), possible_nodes());
}

}  // namespace
}  // namespace phutex::native
