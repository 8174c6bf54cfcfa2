// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What is compared, and in which order the samples are taken: so that neither what drifts with
// time nor what came just before favours one of them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/sample.hpp"

namespace phutex::bench {

struct Plan {
  std::vector<SampleSpec> rows;  // what is compared; ratios are to the first
  unsigned rounds = 1;           // samples of each row
  std::uint32_t seed = 0;        // of the order
};

struct Choices {
  std::vector<std::string> on;
  std::vector<std::string> schemes;
  std::vector<std::string> mismatches;
};

/// Every combination, in the order given. A kernel has neither scheme nor mismatch and is one row.
std::vector<SampleSpec> rows_of(const SampleSpec& common, const Choices& choices);

/// What to call each row: unlike any other, even if two are the same.
std::vector<std::string> row_names(const std::vector<SampleSpec>& rows);

/// Which row each sample is of: in every round each row once, in an order drawn for every other
/// round; the round after it runs the other way round (A B, B A).
std::vector<std::size_t> sampling_order(std::size_t rows, unsigned rounds, std::uint32_t seed);

}  // namespace phutex::bench
