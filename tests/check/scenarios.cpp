// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every scenario holds, on every configuration it is for, in every mode and with both ways of
// counting: exhaustively within its bounds, and deeper by lot.

#include <algorithm>

#include "checker/scenarios/scenarios.hpp"
#include "tests/check/exploring.hpp"

namespace phutex::checker {
namespace {

struct Case {
  Check check;
  Model model;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.check.name();
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Check& check : scenarios().checks()) {
    for (const Mode mode : kAllModes) {
      for (const Model& model : models_for(check, mode)) all.push_back({check, model});
    }
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& one = info.param;
  std::string name = one.check.name();
  if (one.check.counts_locally()) name += "_" + std::string{name_of(one.model.counts)};
  name += "_" + std::string{name_of(one.model.mode)};
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

class Scenarios : public testing::TestWithParam<Case> {};

TEST_P(Scenarios, Hold) {
  const auto& [check, model] = GetParam();
  const Exploration exploration = explore_all(check, model);
  EXPECT_FALSE(exploration.counterexample) << told(check, model, exploration);
  EXPECT_GT(exploration.executions, 1U);
}

TEST_P(Scenarios, HoldByLot) {
  const auto& [check, model] = GetParam();
  constexpr std::uint64_t kSeed = 1;
  constexpr std::uint64_t kExecutions = 1000;
  constexpr Bounds kFar{.preemptions = Bounds::kUnlimited, .delayed_stores = 6, .migrations = 4};
  for (const unsigned depth : {0U, 2U, 3U}) {
    Bounds bounds = kFar;
    bounds.allocation_failures = check.card.bounds.allocation_failures;
    Explorer explorer;
    const auto strategy = depth == 0 ? random(bounds, kSeed) : pct(bounds, kSeed, depth);
    const Exploration exploration = explorer.explore(check, model, *strategy, kExecutions);
    EXPECT_FALSE(exploration.counterexample) << told(check, model, exploration);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Scenarios, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace phutex::checker
