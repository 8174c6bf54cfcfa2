// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The words that workers wait on, and what came of their work on them.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/failure.hpp"
#include "bench/sample.hpp"
#include "bench/workers.hpp"

namespace phutex::bench {

/// Words of its own for each thread.
template <class Word>
class ThreadWords {
 public:
  /// Throws Failure if memory does not hold them.
  explicit ThreadWords(const SampleSpec& spec) {
    try {
      for (unsigned thread = 0; thread < spec.threads; ++thread) words_.emplace_back(spec.futexes);
    } catch (const std::bad_alloc&) {
      throw Failure(fmt::format("-f {}: no memory for {} times as many futexes; ask for fewer",
                                spec.futexes, spec.threads));
    }
  }

  std::span<Word> operator()(std::size_t index) noexcept { return words_[index]; }

 private:
  std::vector<std::vector<Word>> words_;
};

/// The result of workers that did `done`, each on `words(index)`.
template <class Words>
SampleResult result_of(const WorkDone& done, Words&& words) {
  SampleResult result{.threads = {},
                      .elapsed_s = done.elapsed_s,
                      .buckets_before = done.buckets_before,
                      .buckets_after = done.buckets_after,
                      .pid = getpid()};
  for (std::size_t index = 0; index < done.tallies.size(); ++index) {
    const workload::Tally& tally = done.tallies[index];
    if (result.unexpected == 0) result.unexpected_first = tally.unexpected_first;
    result.unexpected += tally.unexpected;
    const auto span = words(index);
    result.threads.push_back({tally.operations, reinterpret_cast<std::uintptr_t>(&span.front()),
                              reinterpret_cast<std::uintptr_t>(&span.back())});
  }
  return result;
}

}  // namespace phutex::bench
