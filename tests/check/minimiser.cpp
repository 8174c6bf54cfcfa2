// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A minimised counterexample is the same failure, no larger, and nothing in it can be left out.

#include "checker/minimiser.hpp"

#include <algorithm>

#include "checker/scenarios/scenarios.hpp"
#include "tests/check/broken_engines.hpp"
#include "tests/check/exploring.hpp"

namespace phutex::checker {
namespace {

/// More than any scenario's own bounds: failures by lot should have much that can be left out.
constexpr Bounds kFar{.preemptions = Bounds::kUnlimited, .delayed_stores = 6, .migrations = 4};

/// How a run with these answers fails; empty if it does not.
std::string what_of(const Check& check, const Model& model, const Answers& answers) {
  Explorer another;
  return another.replay(check, model, answers).what;
}

void expect_minimal(const Check& check, const Model& model, const Counterexample& original) {
  Explorer explorer;
  const Minimised minimised = minimise(explorer, check, model, original);
  const auto& [what, answers] = minimised.counterexample;
  EXPECT_EQ(what, original.what);
  EXPECT_EQ(what_of(check, model, answers), original.what);
  EXPECT_LE(minimised.after, minimised.before);
  EXPECT_EQ(minimise(explorer, check, model, original).counterexample.answers, answers);
  for (std::size_t place = 0; place < answers.size(); ++place) {
    if (answers[place] == 0) continue;
    Answers without = answers;
    without[place] = 0;
    EXPECT_NE(what_of(check, model, without), original.what)
        << check.name() << ": " << text_of(replay_of(model, {what, answers})) << " needs no answer "
        << place;
  }
}

/// Of the check's failures, one that each strategy finds. Returns how many that are.
unsigned expect_minimal_failures(const Check& check, const Model& model) {
  constexpr std::uint64_t kExecutionsMax = 10'000;
  constexpr std::uint64_t kSeed = 5;
  unsigned failures = 0;
  const auto by_exhaustion = exhaustive(check.card.bounds);
  const auto by_priority = pct(kFar, kSeed, 3);
  const auto by_lot = random(kFar, kSeed);
  for (Strategy* const strategy : {by_exhaustion.get(), by_priority.get(), by_lot.get()}) {
    Explorer explorer;
    const auto found = explorer.explore(check, model, *strategy, kExecutionsMax).counterexample;
    if (!found) continue;
    ++failures;
    expect_minimal(check, model, *found);
  }
  return failures;
}

class MinimisedMutants : public testing::TestWithParam<std::size_t> {};

TEST_P(MinimisedMutants, LeaveNothingOut) {
  unsigned failures = 0;
  for (const Check& check : scenarios().checks()) {
    const auto& kills = check.card.kills;
    if (std::find(kills.begin(), kills.end(), GetParam()) == kills.end()) continue;
    for (const Mode mode : kAllModes) {
      for (const Model& model : models_for(check, mode, GetParam())) {
        failures += expect_minimal_failures(check, model);
      }
    }
  }
  EXPECT_GT(failures, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, MinimisedMutants, testing::Range(std::size_t{0}, edge::All::count),
                         [](const auto& tested) {
                           return std::string{edge::kNames[tested.param]};
                         });

template <class Engine>
void expect_minimal_on(const char* scenario) {
  Check check = scenarios().named(scenario).front();
  check.kind = {.scheme = "broken", .mismatch = "broken", .make = make_engine<Engine>};
  for (const Mode mode : kAllModes) {
    EXPECT_GT(expect_minimal_failures(check, model_for(check, mode, Counts::restartable)), 0U)
        << scenario;
  }
}

TEST(MinimisedBrokenEngines, LeaveNothingOut) {
  expect_minimal_on<broken::ComparesOutsideLock>("LostWakeup");
  expect_minimal_on<broken::QueuesAfterUnlock>("LostWakeup");
  expect_minimal_on<broken::AnnouncesTooLate>("LostWakeup");
  expect_minimal_on<broken::GivesUpThoughTaken>("TimeoutOrWake");
  expect_minimal_on<broken::UsesWaiterAfterUnpark>("LostWakeup");
  expect_minimal_on<broken::TakesAnybody>("Collision");
  expect_minimal_on<broken::NeverDrains>("PinOrDrain");
  expect_minimal_on<broken::PublishesFirst>("WaitOrReplacement");
  expect_minimal_on<broken::MovesNobody>("WaitOrReplacement");
  expect_minimal_on<broken::TrustsOutdatedTable>("TwoReplacements");
}

/// Fails if the second thread comes between two given accesses of the first's many, among much
/// that does not matter.
struct Interposed : Scenario {
  using Scenario::Scenario;
  Atomic<std::uint32_t> turn{0};
  Atomic<std::uint32_t> noise{0};

  void threads() {
    spawn("one", [this] {
      make_noise();
      turn.store(1, relaxed<why::Hint>);
      turn.store(2, relaxed<why::Hint>);
      make_noise();
    });
    spawn("other", [this] {
      make_noise();
      expect(turn.load(relaxed<why::Hint>) != 1, "nobody sees the first");
    });
    spawn("third", [this] { make_noise(); });
  }

 private:
  void make_noise() {
    for (int round = 0; round < 10; ++round) noise.fetch_add(1, relaxed<why::Hint>);
  }
};

TEST(Minimise, FindsTheOnePreemptionThatMatters) {
  const Check check = check_of<Interposed>();
  const Model model{};
  Explorer explorer;
  const auto strategy = random(kFar, 1);
  const auto found = explorer.explore(check, model, *strategy).counterexample;
  ASSERT_TRUE(found);
  const Minimised minimised = minimise(explorer, check, model, *found);
  EXPECT_GT(minimised.before.answers, 1U);
  EXPECT_GT(minimised.before.preemptions, 1U);
  EXPECT_EQ(minimised.after.answers, 1U);
  EXPECT_EQ(minimised.after.preemptions, 1U);
  EXPECT_LT(minimised.after.steps, minimised.before.steps);
}

TEST(Minimise, StopsAfterSoManyRuns) {
  const Check check = check_of<Interposed>();
  Explorer explorer;
  const auto strategy = random(kFar, 1);
  const auto found = explorer.explore(check, Model{}, *strategy).counterexample;
  ASSERT_TRUE(found);
  const Minimised at_once = minimise(explorer, check, Model{}, *found, 1);
  EXPECT_EQ(at_once.counterexample.answers, found->answers);
  EXPECT_EQ(at_once.executions, 1U);
  EXPECT_EQ(at_once.after, at_once.before);
  const Minimised soon = minimise(explorer, check, Model{}, *found, 7);
  EXPECT_EQ(soon.executions, 7U);
  EXPECT_EQ(what_of(check, Model{}, soon.counterexample.answers), found->what);
}

/// Two ways to fail, of which the smaller is not the one that was found.
struct TwoFailures : Scenario {
  using Scenario::Scenario;
  Atomic<std::uint32_t> word{0};

  void threads() {
    spawn("one", [this] {
      word.store(1, relaxed<why::Hint>);
      word.store(2, relaxed<why::Hint>);
    });
    spawn("other", [this] {
      const std::uint32_t found = word.load(relaxed<why::Hint>);
      expect(found != 2, "this needs no preemption");
      expect(found != 1, "this needs one");
    });
  }
};

TEST(Minimise, KeepsToTheFailureThatWasFound) {
  const Check check = check_of<TwoFailures>();
  const Counterexample found{"not so: this needs one", {0, 0, 1}};
  ASSERT_EQ(what_of(check, Model{}, found.answers), found.what);
  ASSERT_EQ(what_of(check, Model{}, {}), "not so: this needs no preemption");
  expect_minimal(check, Model{}, found);
}

}  // namespace
}  // namespace phutex::checker
