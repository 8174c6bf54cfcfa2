// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the one thread does that replaces the hash: slices of the runtime with and without
// replacements, in turn, so that what drifts with time favours neither.
//
// Flow  run_resize -> replace_in_turn -> a slice each of Phase::undisturbed, disturbed, disturbed,
//       undisturbed, and over again -> Replaced
// See   phases.hpp, for what belongs to which phase

#include <array>
#include <cstdint>
#include <functional>

#include "bench/latency_histogram.hpp"
#include "bench/phases.hpp"

namespace phutex::bench {

struct ReplacingPlan {
  double runtime_s = 1;
  unsigned rate = 100;          // replacements a second; 0 is as many as can be
  std::array<long, 2> sizes{};  // which take turns
  /// Gives the hash that many buckets. 0, or an errno.
  std::function<int(long buckets)> replace;
  /// How many buckets there are now.
  std::function<long()> bucket_count;
};

struct Replaced {
  LatencyHistogram durations_ns;
  double elapsed_s = 0;          // all disturbed slices together
  std::uint64_t unexpected = 0;  // replacements refused, or without effect
  int unexpected_first = 0;      // the errno of the first of them; 0 is one without effect
};

/// Blocks for the runtime and, if a replacement takes longer than its slice, as long as that
/// takes. A replacement that is late delays those after it; none is made up for.
Replaced replace_in_turn(const ReplacingPlan& plan, Phases& phases);

}  // namespace phutex::bench
