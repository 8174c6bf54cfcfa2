// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A line on standard error that says how far a run is and how long it still takes; only on a
// terminal, and gone when the run is over.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace phutex::bench {

/// How much is said beside the result.
enum class Talk { usual, silent };

class Progress {
 public:
  /// `sample_s`: how long a sample takes at least.
  Progress(std::size_t sample_count, double sample_s, Talk talk);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void begin_sample(std::string_view row_name);
  void tick();
  void end_sample();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] double left_s() const;

  const bool is_shown_;
  const std::size_t sample_count_;
  const double sample_s_;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point sample_begun_ = begun_;
  std::size_t samples_done_ = 0;
  std::string row_name_;
};

}  // namespace phutex::bench
