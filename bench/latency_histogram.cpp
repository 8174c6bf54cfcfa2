// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/latency_histogram.hpp"

#include <cmath>

namespace phutex::bench {

void LatencyHistogram::merge(const LatencyHistogram& other) noexcept {
  for (std::size_t index = 0; index < kCounts; ++index) counts_[index] += other.counts_[index];
  count_ += other.count_;
  total_ += other.total_;
  max_ = std::max(max_, other.max_);
}

std::optional<double> LatencyHistogram::value_at(unsigned parts) const noexcept {
  if (count_ == 0) return std::nullopt;
  // In whole numbers, since 99.99 percent of 10000 must be 9999 and not one more.
  const std::uint64_t whole = count_ / kParts * parts;
  const std::uint64_t rest = (count_ % kParts * parts + kParts - 1) / kParts;
  const std::uint64_t rank = whole + rest;
  std::uint64_t passed = 0;
  for (std::size_t index = 0; index < kCounts; ++index) {
    passed += counts_[index];
    if (passed >= rank) return std::min(middle_of(index), static_cast<double>(max_));
  }
  return static_cast<double>(max_);
}

double LatencyHistogram::middle_of(std::size_t index) noexcept {
  if (index < 2 * kPartsOfADoubling) return static_cast<double>(index);
  const std::size_t shift = index / kPartsOfADoubling - 1;
  const double width = std::exp2(static_cast<double>(shift));
  const auto least = static_cast<double>(index - shift * kPartsOfADoubling);
  return (least + 0.5) * width - 0.5;
}

}  // namespace phutex::bench
