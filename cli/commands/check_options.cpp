// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/commands/check_options.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <getopt.h>

#include "bench/failure.hpp"
#include "checker/explorer.hpp"
#include "checker/scenarios/scenarios.hpp"
#include "cli/arguments.hpp"

namespace phutex::cli {
namespace {

using bench::Failure;

constexpr std::array<std::string_view, 3> kStrategies{"exhaustive", "pct", "random"};
constexpr std::uint64_t kExecutionsByLot = 10'000;
constexpr std::uint64_t kIntegerMax = std::numeric_limits<std::int64_t>::max();

// Options without a letter.
constexpr int kList = CHAR_MAX + 1;
constexpr int kMode = CHAR_MAX + 2;
constexpr int kStrategy = CHAR_MAX + 3;
constexpr int kSeed = CHAR_MAX + 4;
constexpr int kExecutions = CHAR_MAX + 5;
constexpr int kWeaken = CHAR_MAX + 6;
constexpr int kReplay = CHAR_MAX + 7;
constexpr int kMutants = CHAR_MAX + 8;

constexpr std::array kOptions{
    option{"list", no_argument, nullptr, kList},
    option{"mode", required_argument, nullptr, kMode},
    option{"strategy", required_argument, nullptr, kStrategy},
    option{"seed", required_argument, nullptr, kSeed},
    option{"executions", required_argument, nullptr, kExecutions},
    option{"weaken", required_argument, nullptr, kWeaken},
    option{"replay", required_argument, nullptr, kReplay},
    option{"mutants", no_argument, nullptr, kMutants},
    option{"help", no_argument, nullptr, 'h'},
    option{nullptr, 0, nullptr, 0},
};

void take(CheckOptions& options, int option, const char* value, std::string_view word) {
  switch (option) {
    case kList:
      options.wish = CheckWish::list;
      break;
    case kMode:
      options.modes = {*checker::parse_mode(choice_argument("--mode", value, checker::kModeNames))};
      break;
    case kStrategy: {
      const std::string name = choice_argument("--strategy", value, kStrategies);
      const auto place = std::find(kStrategies.begin(), kStrategies.end(), name);
      options.strategy = static_cast<StrategyKind>(place - kStrategies.begin());
      break;
    }
    case kSeed:
      options.seed = integer_argument("--seed", value, 0, kIntegerMax);
      break;
    case kExecutions:
      options.executions_max = integer_argument("--executions", value, 1, kIntegerMax);
      break;
    case kWeaken:
      options.weakened = checker::parse_edge(choice_argument("--weaken", value, edge::kNames));
      break;
    case kReplay: {
      const std::optional<checker::Replay> replay = checker::parse_replay(value);
      if (!replay) {
        throw Failure(fmt::format("--replay {}: not what a counterexample prints", value));
      }
      options.replay = *replay;
      options.wish = CheckWish::replay;
      break;
    }
    case kMutants:
      options.wish = CheckWish::mutants;
      break;
    case 'h':
      options.wish = CheckWish::help;
      break;
    case ':':
      throw Failure(fmt::format("{}: needs a value; see phutex check --help", word));
    default:
      throw Failure(
          fmt::format("{}: no such option, or not unique; see phutex check --help", word));
  }
}

/// All there are, if none is named.
std::vector<checker::Check> checks_of(std::span<char* const> names) {
  const checker::Registry& registry = checker::scenarios();
  if (names.empty()) return registry.checks();
  std::vector<checker::Check> checks;
  for (const char* const name : names) {
    const std::vector<checker::Check> found = registry.named(name);
    if (found.empty()) {
      throw Failure(fmt::format("{}: no such scenario; phutex check --list names them", name));
    }
    checks.insert(checks.end(), found.begin(), found.end());
  }
  return checks;
}

void complete(CheckOptions& options) {
  const bool is_by_lot = options.strategy != StrategyKind::exhaustive;
  if (options.executions_max == 0) {
    options.executions_max = is_by_lot ? kExecutionsByLot : checker::Explorer::kUnlimited;
  }
  if (options.wish == CheckWish::replay && options.checks.size() != 1) {
    throw Failure(fmt::format("--replay: of one scenario by its whole name, as in {}",
                              options.checks.front().name()));
  }
}

}  // namespace

CheckOptions parse_check(std::span<char*> arguments) {
  // getopt_long moves the operands behind the options and wants a null at the end.
  std::vector<char*> words(arguments.begin(), arguments.end());
  words.push_back(nullptr);
  const int word_count = static_cast<int>(arguments.size());
  CheckOptions options;
  opterr = 0;
  optind = 0;
  for (;;) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no other threads yet
    const int option = getopt_long(word_count, words.data(), ":h", kOptions.data(), nullptr);
    if (option == -1) break;
    take(options, option, optarg, words[static_cast<std::size_t>(optind) - 1]);
  }
  const auto first = static_cast<std::size_t>(optind);
  options.checks =
      checks_of(std::span<char* const>{words}.subspan(first, arguments.size() - first));
  complete(options);
  return options;
}

std::string check_help() {
  return "usage: phutex check [options] [scenario ...]\n"
         "\n"
         "Runs the engine's own text on virtual threads, in every order that can matter, and says\n"
         "whether what each scenario claims holds. A scenario is a name or the beginning of one:\n"
         "LostWakeup, LostWakeup/fixed, LostWakeup/fixed/locked; without one, all are run. Exit\n"
         "status 1 if a run fails; the first such run is made as small as it goes and shown step by\n"
         "step, with what to type to see it again.\n"
         "\n"
         "      --list             the scenarios, what they claim, the edges they fail without\n"
         "      --mode MODE        sc (a store is seen by all at once), tso (store buffers) or "
         "history\n"
         "                         (as C++ has it: a load may return an older store); all three\n"
         "      --strategy NAME    exhaustive (within each scenario's bounds; the default), pct "
         "or\n"
         "                         random\n"
         "      --seed N           of pct and random; 0\n"
         "      --executions N     at most N runs of each; no limit, or 10000 of pct and random\n"
         "      --weaken EDGE      break one promise; phutex edges names them\n"
         "      --mutants          break each promise in turn, and tell which scenario notices\n"
         "      --replay TEXT      repeat one run of one scenario and show its steps\n"
         "  -h, --help             this text\n";
}

}  // namespace phutex::cli
