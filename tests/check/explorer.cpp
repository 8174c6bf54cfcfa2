// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The strategies try what they say they try.

#include "checker/explorer.hpp"

#include <set>

#include "tests/check/exploring.hpp"

namespace phutex::checker {
namespace {

constexpr Bounds kAll{.preemptions = Bounds::kUnlimited, .delayed_stores = 0, .migrations = 0};

/// Two threads of three accesses; an order is a word of two letters.
struct Orders : Scenario {
  using Scenario::Scenario;
  static inline std::set<std::string> seen;
  Atomic<std::uint32_t> word{0};
  std::string order;

  void threads() {
    for (const char* const name : {"a", "b"}) {
      spawn(name, [this, name] {
        for (int turn = 0; turn < 3; ++turn) {
          word.fetch_add(1, relaxed<why::Hint>);
          order += name;
        }
      });
    }
  }
  void finally() { seen.insert(order); }
};

TEST(Explorer, TriesEveryOrder) {
  Orders::seen.clear();
  EXPECT_EQ(failure_of(explore_all<Orders>(Mode::sc, kAll)), "");
  EXPECT_EQ(Orders::seen.size(), 20U);  // 6 over 3
}

TEST(Explorer, KeepsToTheBoundOnPreemptions) {
  Orders::seen.clear();
  explore_all<Orders>(Mode::sc, {.preemptions = 0});
  EXPECT_EQ(Orders::seen, (std::set<std::string>{"aaabbb", "bbbaaa"}));
  Orders::seen.clear();
  explore_all<Orders>(Mode::sc, {.preemptions = 1});
  EXPECT_EQ(Orders::seen,
            (std::set<std::string>{"aaabbb", "abbbaa", "aabbba", "bbbaaa", "baaabb", "bbaaab"}));
}

TEST(Explorer, StopsAtTheFirstFailure) {
  struct Fails : Scenario {
    using Scenario::Scenario;
    void threads() {
      spawn("one", [] { expect(false, "this"); });
    }
  };
  const Exploration exploration = explore_all<Fails>(Mode::sc);
  EXPECT_EQ(exploration.executions, 1U);
  EXPECT_EQ(failure_of(exploration), "not so: this");
}

TEST(Explorer, RunsNoMoreThanItMay) {
  Explorer explorer;
  const Check check = check_of<Orders>();
  const auto strategy = random(kAll, 1);
  EXPECT_EQ(explorer.explore(check, Model{}, *strategy, 17).executions, 17U);
}

TEST(Explorer, DrawsTheSameLotsFromTheSameSeed) {
  const auto orders_of = [](std::uint64_t seed, bool is_pct) {
    Explorer explorer;
    const Check check = check_of<Orders>();
    Orders::seen.clear();
    const auto strategy = is_pct ? pct(kAll, seed, 3) : random(kAll, seed);
    explorer.explore(check, Model{}, *strategy, 5);
    return Orders::seen;
  };
  for (const bool is_pct : {false, true}) {
    EXPECT_EQ(orders_of(1, is_pct), orders_of(1, is_pct));
    EXPECT_NE(orders_of(1, is_pct), orders_of(2, is_pct));
  }
}

TEST(Explorer, PctReachesOrdersOfItsDepth) {
  Orders::seen.clear();
  Explorer explorer;
  const Check check = check_of<Orders>();
  const auto strategy = pct(kAll, 1, 3);
  explorer.explore(check, Model{}, *strategy, 2000);
  EXPECT_TRUE(Orders::seen.contains("abbbaa"));  // one preemption: depth 2
  EXPECT_TRUE(Orders::seen.contains("abbaab"));  // two preemptions: depth 3
}

}  // namespace
}  // namespace phutex::checker
