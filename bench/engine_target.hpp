// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One sample on phutex's own engine.

#include <span>
#include <string_view>

#include "bench/sample.hpp"

namespace phutex::bench {

/// What --scheme and --mismatch may name.
std::span<const std::string_view> engine_schemes();
std::span<const std::string_view> engine_mismatches();

/// Is there an engine of both? Not every mismatch check comes with every scheme.
bool has_engine(std::string_view scheme, std::string_view mismatch);

/// Can a table of this scheme be replaced? One of engine_schemes().
bool is_replaceable(std::string_view scheme);

/// What runs if they are left out.
inline constexpr std::string_view kDefaultScheme = "split";
inline constexpr std::string_view kDefaultMismatch = "locked";

/// Gives the process's engine the scheme and the buckets asked for, then runs the workload.
/// Once in a process, before any thread is made. Throws Failure, for buckets that memory cannot
/// hold with a line that names -b and how many.
SampleResult run_on_engine(const SampleSpec& spec);

}  // namespace phutex::bench
