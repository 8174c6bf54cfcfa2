// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/replacing.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

namespace phutex::bench {
namespace {

using Clock = std::chrono::steady_clock;
using workload::Phase;

constexpr std::array kTurns{Phase::undisturbed, Phase::disturbed,   Phase::disturbed,
                            Phase::undisturbed, Phase::undisturbed, Phase::disturbed,
                            Phase::disturbed,   Phase::undisturbed};

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

class Replacer {
 public:
  explicit Replacer(const ReplacingPlan& plan)
      : plan_(plan),
        slice_(seconds(plan.runtime_s / static_cast<double>(kTurns.size()))),
        period_(plan.rate == 0 ? Clock::duration{} : seconds(1.0 / plan.rate)),
        until_due_(period_ / 2) {}

  void leave_alone() const { std::this_thread::sleep_for(slice_); }

  /// The time between two replacements is time in disturbed slices: what is left of it at the end
  /// of one is waited for in the next.
  void disturb() {
    const Clock::time_point begun = Clock::now();
    const Clock::time_point end = begun + slice_;
    Clock::time_point due = begun + until_due_;
    while (due < end) {
      std::this_thread::sleep_until(due);
      replace();
      due = std::max(due + period_, Clock::now());
    }
    std::this_thread::sleep_until(end);
    const Clock::time_point ended = Clock::now();
    until_due_ = std::max(due - ended, Clock::duration{});
    replaced_.elapsed_s += std::chrono::duration<double>(ended - begun).count();
  }

  [[nodiscard]] const Replaced& replaced() const { return replaced_; }

 private:
  void replace() {
    const long size = plan_.sizes[turn_];
    turn_ = (turn_ + 1) % plan_.sizes.size();
    const Clock::time_point begun = Clock::now();
    const int error = plan_.replace(size);
    const Clock::duration taken = Clock::now() - begun;
    if (error == 0 && plan_.bucket_count() == size) {
      replaced_.durations_ns.record(
          static_cast<std::uint64_t>(std::chrono::nanoseconds(taken).count()));
    } else if (replaced_.unexpected++ == 0) {
      replaced_.unexpected_first = error;
    }
  }

  const ReplacingPlan& plan_;
  const Clock::duration slice_;
  const Clock::duration period_;
  Clock::duration until_due_;
  std::size_t turn_ = 0;
  Replaced replaced_;
};

}  // namespace

Replaced replace_in_turn(const ReplacingPlan& plan, Phases& phases) {
  Replacer replacer{plan};
  for (const Phase phase : kTurns) {
    phases.begin(phase);
    if (phase == Phase::disturbed) {
      replacer.disturb();
    } else {
      replacer.leave_alone();
    }
  }
  return replacer.replaced();
}

}  // namespace phutex::bench
