// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What `phutex check` was asked for.
//
// Flow  argv -> parse_check -> CheckOptions -> explorations, one for each check, mode and model

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checker/registry.hpp"
#include "checker/replay.hpp"

namespace phutex::cli {

enum class CheckWish { explore, list, mutants, replay, help };
enum class StrategyKind { exhaustive, pct, random };

struct CheckOptions {
  CheckWish wish = CheckWish::explore;
  std::vector<checker::Mode> modes{checker::kAllModes.begin(), checker::kAllModes.end()};
  StrategyKind strategy = StrategyKind::exhaustive;
  std::uint64_t seed = 0;
  std::uint64_t executions_max = 0;  // of each exploration
  std::optional<std::size_t> weakened{};
  checker::Replay replay{};
  std::vector<checker::Check> checks{};
};

/// `arguments[0]` is the command's name. Throws bench::Failure for what cannot be run.
CheckOptions parse_check(std::span<char*> arguments);

/// What --help prints.
std::string check_help();

}  // namespace phutex::cli
