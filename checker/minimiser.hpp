// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// From a run that fails to a smaller one that fails in the same way.
//
// Flow  Counterexample -> without some answers, one of them, two of them; with lower ones; again
//       after each success -> Minimised

#include <compare>
#include <cstddef>
#include <cstdint>

#include "checker/explorer.hpp"

namespace phutex::checker {

/// How much there is to read in a run: of two sizes, the first difference says which is smaller.
struct RunSize {
  std::size_t answers = 0;  // that are not the first choice
  unsigned preemptions = 0;
  std::uint64_t steps = 0;
  std::uint64_t sum = 0;  // of all answers
  auto operator<=>(const RunSize&) const = default;
};

struct Minimised {
  Counterexample counterexample;  // as it was, or smaller
  RunSize before;
  RunSize after;
  std::uint64_t executions = 0;  // that it took
};

inline constexpr std::uint64_t kMinimisingExecutionsMax = 20'000;

/// Deterministic. If any one of the answers that are left is made the first choice, the run does
/// not fail in this way any more; unless `executions_max` runs (at least 1) were not enough.
Minimised minimise(Explorer& explorer, const Check& check, const Model& model,
                   const Counterexample& counterexample,
                   std::uint64_t executions_max = kMinimisingExecutionsMax);

}  // namespace phutex::checker
