// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the workload resize adds to a sample: what it asks for, and what came of it. Both travel
// between two processes inside the sample's line of JSON.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phutex::bench {

struct ResizeSpec {
  unsigned rate = 100;    // replacements a second; 0 is as many as can be
  unsigned sleepers = 0;  // threads that sleep all the while

  bool operator==(const ResizeSpec&) const = default;
};

/// The smaller of the two sizes, which is half the other, must be one a hash can have.
inline constexpr long kResizeBucketsMin = 4;

/// The percentiles that are reported, in LatencyHistogram::kParts, and how people write them.
inline constexpr std::array<unsigned, 5> kPercentileParts{5000, 9000, 9900, 9990, 9999};
inline constexpr std::array kPercentileNames{"50", "90", "99", "99.9", "99.99"};

struct Latency {
  std::array<double, kPercentileParts.size()> percentiles_ns{};
  double max_ns = 0;  // the largest stop

  bool operator==(const Latency&) const = default;
};

/// One of a sample's phases, all its slices taken together.
struct PhaseResult {
  std::uint64_t operations = 0;
  std::vector<double> rates;         // operations per second, by thread
  std::optional<Latency> latency{};  // empty without operations

  bool operator==(const PhaseResult&) const = default;
};

struct Replacements {
  std::uint64_t made = 0;
  double elapsed_s = 0;               // the time there was for them
  std::optional<double> median_ns{};  // of their durations; empty if none was made
  std::optional<double> max_ns{};

  bool operator==(const Replacements&) const = default;
};

struct ResizeResult {
  PhaseResult undisturbed;
  PhaseResult disturbed;
  Replacements replacements{};
  unsigned sleepers_missed = 0;  // that the wake at the end did not find, or did not wake

  bool operator==(const ResizeResult&) const = default;
};

/// The mean over threads; 0 if nothing was measured.
double mean_rate(const PhaseResult& phase);

/// Replacements per second; 0 if nothing was measured.
double rate_of(const Replacements& replacements);

nlohmann::json json_of(const ResizeSpec& spec);
nlohmann::json json_of(const ResizeResult& result);

/// The way back. Throw nlohmann::json::exception for what is neither.
ResizeSpec resize_spec_of(const nlohmann::json& json);
ResizeResult resize_result_of(const nlohmann::json& json);

}  // namespace phutex::bench
