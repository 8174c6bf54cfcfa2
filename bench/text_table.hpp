// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Columns of text for people, and the numbers in them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/statistics.hpp"

namespace phutex::bench {

inline constexpr std::string_view kNothing = "-";

/// One line of a table. The first cell is its name.
using Cells = std::vector<std::string>;

/// Names stand on the left, numbers on the right. A last column of words stands on the left, too.
enum class LastColumn { numbers, words };

/// All lines have as many cells as the first. Each ends with a newline.
std::string aligned(const std::vector<Cells>& table, LastColumn last);

/// 1234567 as 1,234,567.
std::string grouped(double number);

/// "2.000 [1.900, 2.100]", with as many places as make sense beside an interval.
std::string ratio_cell(const std::optional<Ratio>& ratio);

/// "12.3 µs": three digits, in the unit that suits them.
std::string duration_cell(const std::optional<double>& ns);

}  // namespace phutex::bench
