// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How often each length of time was seen, in memory that does not grow.
//
// Values below 2^kPrecisionBits have a count each. Above, each doubling is cut into as many equal
// parts, so that no part is wider than 1/128 of what is in it.
//
// Invariant  [I1] total() and max() are exact; value_at() is off by 0.4 % at most.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace phutex::bench {

class LatencyHistogram {
 public:
  /// What value_at() counts in: 5000 of these parts are the median, 9999 are 99.99 percent.
  static constexpr unsigned kParts = 10'000;

  /// Allocates, and touches, all it will ever need.
  LatencyHistogram() : counts_(kCounts, 0) {}

  /// Allocates nothing.
  void record(std::uint64_t value) noexcept {
    ++counts_[index_of(value)];
    ++count_;
    total_ += value;
    max_ = std::max(max_, value);
  }

  void merge(const LatencyHistogram& other) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }

  /// The least value that at least `parts` of kParts values do not exceed [I1]. Empty without
  /// values. `parts` is from 1 to kParts.
  [[nodiscard]] std::optional<double> value_at(unsigned parts) const noexcept;

 private:
  static constexpr unsigned kPrecisionBits = 7;
  static constexpr std::size_t kPartsOfADoubling = std::size_t{1} << kPrecisionBits;
  static constexpr std::size_t kCounts = (64 - kPrecisionBits + 1) * kPartsOfADoubling;

  static std::size_t index_of(std::uint64_t value) noexcept {
    constexpr std::uint64_t kExactBelow = 2 * kPartsOfADoubling;
    if (value < kExactBelow) return static_cast<std::size_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - (kPrecisionBits + 1);
    return shift * kPartsOfADoubling + static_cast<std::size_t>(value >> shift);
  }

  static double middle_of(std::size_t index) noexcept;

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace phutex::bench
