// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One measurement: what is to be run, and what came of it. Both travel between two processes as
// one line of JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/resize_sample.hpp"

namespace phutex::bench {

inline constexpr std::string_view kHash = "hash";
inline constexpr std::string_view kWaitWake = "wait-wake";
inline constexpr std::string_view kResize = "resize";
inline constexpr std::string_view kOnKernel = "kernel";
inline constexpr std::string_view kOnEngine = "engine";
inline constexpr std::string_view kNoPolicy = "-";  // scheme and mismatch of a kernel sample
inline constexpr long kBucketsAsTheyAre = -1;
inline constexpr long kBucketsGlobal = 0;

struct SampleSpec {
  std::string workload{kHash};
  std::string on{kOnKernel};
  std::string scheme{kNoPolicy};
  std::string mismatch{kNoPolicy};
  unsigned threads = 1;
  unsigned futexes = 1;  // words a thread waits on; wait-wake has one word for all threads
  long buckets = kBucketsAsTheyAre;
  bool is_immutable = false;
  bool is_shared = false;
  bool locks_memory = false;
  double runtime_s = 1;
  std::optional<ResizeSpec> resize{};  // of the workload resize

  bool operator==(const SampleSpec&) const = default;
};

struct ThreadResult {
  std::uint64_t operations = 0;
  std::uint64_t word_first = 0;  // addresses
  std::uint64_t word_last = 0;

  bool operator==(const ThreadResult&) const = default;
};

struct SampleResult {
  std::vector<ThreadResult> threads;
  double elapsed_s = 0;          // from the workers' release to their being told to stop
  std::uint64_t unexpected = 0;  // results that the workload does not provoke
  int unexpected_first = 0;      // the errno of one of them
  long buckets_before = 0;       // when the workers were released; 0 is the global hash
  long buckets_after = 0;        // when they were told to stop
  bool is_immutable = false;
  long pid = 0;  // the process that measured
  std::optional<ResizeResult> resize{};

  bool operator==(const SampleResult&) const = default;
};

/// Operations per second of each thread; of the workload resize, while the hash was being replaced.
/// Empty if nothing was measured.
std::vector<double> rates(const SampleResult& result);

/// The mean of rates(): the number that this sample stands for. 0 if nothing was measured.
double mean_rate(const SampleResult& result);

/// One line of JSON each, without a newline.
std::string to_json(const SampleSpec& spec);
std::string to_json(const SampleResult& result);
std::string failure_to_json(std::string_view line);

/// The way back. Throw Failure for text that is neither; sample_from_json also rethrows what
/// failure_to_json was given.
SampleSpec spec_from_json(std::string_view text);
SampleResult sample_from_json(std::string_view text);

}  // namespace phutex::bench
