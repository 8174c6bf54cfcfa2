// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every scenario holds, on every configuration it is for, in every mode and with both ways of
// counting: exhaustively within its bounds, and deeper by lot.

#include <algorithm>
#include <memory>

#include "checker/litmus.hpp"
#include "checker/scenarios/scenarios.hpp"
#include "tests/check/exploring.hpp"

namespace phutex::checker {
namespace {

std::string name_of(const testing::TestParamInfo<Check>& info) {
  std::string name = info.param.name();
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

class Scenarios : public testing::TestWithParam<Check> {
 protected:
  /// Explores the scenario on every machine there is for it, with a strategy made for each.
  template <class MakeStrategy>
  void explore(std::uint64_t executions_max, MakeStrategy&& make_strategy) {
    const Check& check = GetParam();
    for (const Mode mode : kAllModes) {
      ASSERT_EQ(litmus_failure(mode), "") << "what holds in this mode says nothing";
      for (const Model& model : models_for(check, mode)) {
        Explorer explorer;
        const std::unique_ptr<Strategy> strategy = make_strategy();
        const Exploration exploration = explorer.explore(check, model, *strategy, executions_max);
        EXPECT_FALSE(exploration.counterexample) << told(check, model, exploration);
        EXPECT_GT(exploration.executions, 1U);
      }
    }
  }
};

TEST_P(Scenarios, Hold) {
  explore(Explorer::kUnlimited, [] { return exhaustive(GetParam().card.bounds); });
}

TEST_P(Scenarios, HoldByLot) {
  constexpr std::uint64_t kSeed = 1;
  constexpr std::uint64_t kExecutions = 1000;
  Bounds far{.preemptions = Bounds::kUnlimited, .delayed_stores = 6, .migrations = 4};
  far.allocation_failures = GetParam().card.bounds.allocation_failures;
  for (const unsigned depth : {2U, 3U}) {
    explore(kExecutions, [&] { return pct(far, kSeed, depth); });
  }
  explore(kExecutions, [&] { return random(far, kSeed); });
}

INSTANTIATE_TEST_SUITE_P(All, Scenarios, testing::ValuesIn(scenarios().checks()), name_of);

}  // namespace
}  // namespace phutex::checker
