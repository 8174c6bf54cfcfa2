// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/text_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace phutex::bench {
namespace {

/// Characters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::vector<std::size_t> widths_of(const std::vector<Cells>& table) {
  std::vector<std::size_t> widths(table.front().size(), 0);
  for (const Cells& cells : table) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(cells[column]));
    }
  }
  return widths;
}

std::string ratio_number(double ratio) {
  const int places = ratio < 10 ? 3 : ratio < 100 ? 2 : 1;
  return fmt::format("{:.{}f}", ratio, places);
}

}  // namespace

std::string aligned(const std::vector<Cells>& table, LastColumn last) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::string text;
  for (const Cells& cells : table) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string padding(widths[column] - width_of(cells[column]), ' ');
      const bool is_last = column + 1 == cells.size();
      const bool is_number = column > 0 && (!is_last || last == LastColumn::numbers);
      if (column > 0) text += "  ";
      if (is_number) text += padding;
      text += cells[column];
      if (!is_number && !is_last) text += padding;
    }
    text += '\n';
  }
  return text;
}

std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (std::size_t left = digits.size(); left > 3; left -= 3) digits.insert(left - 3, 1, ',');
  return digits;
}

std::string ratio_cell(const std::optional<Ratio>& ratio) {
  if (!ratio) return std::string(kNothing);
  if (!ratio->interval) return fmt::format("{} [-, -]", ratio_number(ratio->ratio));
  return fmt::format("{} [{}, {}]", ratio_number(ratio->ratio), ratio_number(ratio->interval->low),
                     ratio_number(ratio->interval->high));
}

std::string duration_cell(const std::optional<double>& ns) {
  constexpr std::array<std::string_view, 4> kUnits{"ns", "µs", "ms", "s"};
  constexpr double kNextUnitFrom = 999.5;  // which would be shown as 1000
  if (!ns) return std::string(kNothing);
  double number = *ns;
  std::size_t unit = 0;
  for (; number >= kNextUnitFrom && unit + 1 < kUnits.size(); ++unit) number /= 1000;
  const int places = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", number, places, kUnits[unit]);
}

}  // namespace phutex::bench
