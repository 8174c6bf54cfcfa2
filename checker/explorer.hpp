// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs one check again and again, with every answer a strategy gives, until one run fails.
//
// Flow  Check x Model x Strategy -> explore -> Exploration -> Counterexample -> replay -> events

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "checker/registry.hpp"
#include "checker/strategy.hpp"

namespace phutex::checker {

/// A run that failed, and how to repeat it.
struct Counterexample {
  std::string what;
  Answers answers;
};

struct Exploration {
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  double seconds = 0;
  std::optional<Counterexample> counterexample{};
};

/// One run, told step by step.
struct Story {
  std::string what;  // why it failed; empty if it did not
  std::vector<fibers::Event> events;
  std::vector<std::string> threads;  // their names
};

class Explorer {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  Exploration explore(const Check& check, const Model& model, Strategy& strategy,
                      std::uint64_t executions_max = kUnlimited);

  Story replay(const Check& check, const Model& model, const Answers& answers);

 private:
  bool run(const Check& check, World& world, Strategy& strategy);

  fibers::Runtime runtime_;
};

/// The machine of a check in a mode.
Model model_for(const Check& check, Mode mode, Counts counts,
                std::optional<std::size_t> weakened = std::nullopt);

}  // namespace phutex::checker
