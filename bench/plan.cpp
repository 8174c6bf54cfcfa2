// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/plan.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/format.h>

namespace phutex::bench {

std::vector<SampleSpec> rows_of(const SampleSpec& common, const Choices& choices) {
  std::vector<SampleSpec> rows;
  for (const std::string& on : choices.on) {
    SampleSpec row = common;
    row.on = on;
    if (on != kOnEngine) {
      rows.push_back(row);
      continue;
    }
    for (const std::string& scheme : choices.schemes) {
      for (const std::string& mismatch : choices.mismatches) {
        row.scheme = scheme;
        row.mismatch = mismatch;
        rows.push_back(row);
      }
    }
  }
  return rows;
}

std::vector<std::string> row_names(const std::vector<SampleSpec>& rows) {
  std::vector<std::string> names;
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const SampleSpec& row = rows[index];
    std::string name = row.on;
    if (row.on == kOnEngine) name += fmt::format(" {} {}", row.scheme, row.mismatch);
    const auto earlier = rows.begin() + static_cast<std::ptrdiff_t>(index);
    const auto same = std::count(rows.begin(), earlier, row);
    names.push_back(same == 0 ? name : fmt::format("{} #{}", name, same + 1));
  }
  return names;
}

std::vector<std::size_t> sampling_order(std::size_t rows, unsigned rounds, std::uint32_t seed) {
  std::mt19937 random{seed};
  std::vector<std::size_t> round(rows);
  std::iota(round.begin(), round.end(), 0);
  std::vector<std::size_t> order;
  for (unsigned index = 0; index < rounds; ++index) {
    if (index % 2 == 0) {
      std::shuffle(round.begin(), round.end(), random);
    } else {
      std::reverse(round.begin(), round.end());
    }
    order.insert(order.end(), round.begin(), round.end());
  }
  return order;
}

}  // namespace phutex::bench
