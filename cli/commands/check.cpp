// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/commands/check.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/failure.hpp"
#include "bench/output_file.hpp"
#include "checker/litmus.hpp"
#include "checker/mutants.hpp"
#include "checker/report.hpp"
#include "checker/scenarios/scenarios.hpp"
#include "cli/commands/check_options.hpp"

namespace phutex::cli {
namespace {

using bench::write_standard_output;

constexpr int kExitCounterexample = 1;
constexpr unsigned kPctDepth = 3;

std::unique_ptr<checker::Strategy> strategy_of(const CheckOptions& options,
                                               const checker::Bounds& bounds) {
  switch (options.strategy) {
    case StrategyKind::pct:
      return checker::pct(bounds, options.seed, kPctDepth);
    case StrategyKind::random:
      return checker::random(bounds, options.seed);
    case StrategyKind::exhaustive:
      break;
  }
  return checker::exhaustive(bounds);
}

/// A run that failed, for showing.
struct Found {
  const checker::Check* check;
  checker::Model model;
  checker::Counterexample counterexample;
};

void show(checker::Explorer& explorer, const Found& found) {
  const auto& [check, model, counterexample] = found;
  const checker::Minimised minimised = checker::minimise(explorer, *check, model, counterexample);
  const checker::Counterexample& smallest = minimised.counterexample;
  const checker::Story story = explorer.replay(*check, model, smallest.answers);
  write_standard_output(
      fmt::format("\n{}\n\n{}\n{}again: {}", check->name(), story_text(story),
                  checker::minimised_line(minimised),
                  checker::replay_command(*check, checker::replay_of(model, smallest))));
}

/// Nothing is said about a mode whose memory is not what it should be.
void expect_sound(const std::vector<checker::Mode>& modes) {
  for (const checker::Mode mode : modes) {
    const std::string failure = checker::litmus_failure(mode);
    if (!failure.empty()) throw bench::Failure("the checker itself is wrong: " + failure);
  }
}

int explore(const CheckOptions& options) {
  expect_sound(options.modes);
  checker::Explorer explorer;
  std::optional<Found> first;
  write_standard_output(checker::exploration_header());
  for (const checker::Check& check : options.checks) {
    for (const checker::Mode mode : options.modes) {
      for (const checker::Model& model : checker::models_for(check, mode, options.weakened)) {
        const auto strategy = strategy_of(options, check.card.bounds);
        const checker::Exploration exploration =
            explorer.explore(check, model, *strategy, options.executions_max);
        write_standard_output(checker::exploration_line(check, model, exploration));
        const auto& counterexample = exploration.counterexample;
        if (counterexample && !first) first = Found{&check, model, *counterexample};
      }
    }
  }
  if (!first) return 0;
  show(explorer, *first);
  return kExitCounterexample;
}

int replay(const CheckOptions& options) {
  checker::Explorer explorer;
  const checker::Check& check = options.checks.front();
  const checker::Replay& text = options.replay;
  const checker::Model model = checker::model_for(check, text.mode, text.counts, text.weakened);
  const checker::Story story = explorer.replay(check, model, text.answers);
  write_standard_output(story_text(story));
  return story.what.empty() ? 0 : kExitCounterexample;
}

void list(const CheckOptions& options) {
  std::string text;
  std::string_view last;
  for (const checker::Check& check : options.checks) {
    if (check.card.name != last) text += fmt::format("{}\n", check.card.claim);
    last = check.card.name;
    text += fmt::format("  {}\n", check.name());
  }
  write_standard_output(text);
}

}  // namespace

int run_check(std::span<char*> arguments) {
  const CheckOptions options = parse_check(arguments);
  switch (options.wish) {
    case CheckWish::help:
      write_standard_output(check_help());
      return 0;
    case CheckWish::list:
      list(options);
      return 0;
    case CheckWish::mutants: {
      expect_sound(options.modes);
      checker::Explorer explorer;
      write_standard_output(
          checker::mutants_table(checker::kill_mutants(explorer, checker::scenarios())));
      return 0;
    }
    case CheckWish::replay:
      return replay(options);
    case CheckWish::explore:
      break;
  }
  return explore(options);
}

}  // namespace phutex::cli
