// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace phutex::bench {
namespace {

constexpr std::string_view kEraseLine = "\r\033[K";

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Progress::Progress(std::size_t sample_count, double sample_s, Talk talk)
    : is_shown_(talk == Talk::usual && isatty(STDERR_FILENO) == 1),
      sample_count_(sample_count),
      sample_s_(sample_s) {}

Progress::~Progress() {
  if (is_shown_) fmt::print(stderr, "{}", kEraseLine);
}

void Progress::begin_sample(std::string_view row_name) {
  row_name_ = row_name;
  sample_begun_ = Clock::now();
  tick();
}

void Progress::tick() {
  if (!is_shown_) return;
  fmt::print(stderr, "{}{}/{} {}, {:.0f} s left", kEraseLine, samples_done_, sample_count_,
             row_name_, std::ceil(left_s()));
  std::fflush(stderr);
}

void Progress::end_sample() {
  ++samples_done_;
}

double Progress::left_s() const {
  double each_s = sample_s_;
  if (samples_done_ > 0) {
    const std::chrono::duration<double> taken = sample_begun_ - begun_;
    each_s = taken.count() / static_cast<double>(samples_done_);
  }
  const auto left = static_cast<double>(sample_count_ - samples_done_);
  return std::max(0.0, left * each_s - seconds_since(sample_begun_));
}

}  // namespace phutex::bench
