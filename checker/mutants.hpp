// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Promises broken one at a time, to see whether a scenario notices.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "checker/explorer.hpp"

namespace phutex::checker {

/// A scenario that fails when an edge is weakened.
struct Kill {
  std::size_t edge;
  const Check* check;
  Model model;
  Exploration exploration;
};

/// For each edge and each scheme, the first of the scenarios that claim to kill the edge and do.
std::vector<Kill> kill_mutants(Explorer& explorer, const Registry& registry);

/// The models a check is run on in a mode: one, or one for each way of counting.
std::vector<Model> models_for(const Check& check, Mode mode,
                              std::optional<std::size_t> weakened = std::nullopt);

}  // namespace phutex::checker
