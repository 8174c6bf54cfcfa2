// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A thread that replaces the hash again and again while others use it.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include <fmt/format.h>

#include "selftest/crew.hpp"
#include "selftest/findings.hpp"

namespace phutex::selftest {

/// Smaller and larger in turn; all are different from the one before.
inline constexpr std::array kReplacementSizes{2UL, 4UL, 8UL, 256UL, 16UL, 1024UL, 2UL};

class Replacer {
 public:
  explicit Replacer(Findings& findings) : findings_(findings), crew_(findings.machine()) {
    crew_.start([this] { live(); });
  }
  Replacer(const Replacer&) = delete;
  Replacer& operator=(const Replacer&) = delete;
  ~Replacer() { is_over_.store(true); }

  /// That were asked for and have ended, well or not.
  [[nodiscard]] unsigned long count() const { return count_.load(); }

  /// The longest that one of them took. After finish().
  [[nodiscard]] std::chrono::milliseconds longest() const { return longest_; }

  /// Ends it, and tells what was refused. Blocks until the last replacement has ended.
  void finish() {
    is_over_.store(true);
    crew_.join();
    if (refused_ == 0) return;
    const Machine& machine = findings_.machine();
    findings_.fail(fmt::format("{} = {} expected, {} found", call_text(machine, set(refused_)),
                               result_text(machine, 0), result_text(machine, refusal_)));
  }

 private:
  using Clock = std::chrono::steady_clock;

  void live() {
    for (std::size_t index = 0; !is_over_.load(); ++index) {
      const unsigned long size = kReplacementSizes[index % (kReplacementSizes.size() - 1)];
      const Clock::time_point before = Clock::now();
      const long result = findings_.machine().hash(set(size));
      longest_ =
          std::max(longest_, std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - before));
      if (result != 0 && refused_ == 0) {
        refused_ = size;
        refusal_ = result;
      }
      count_.fetch_add(1);
    }
  }

  Findings& findings_;
  std::atomic<unsigned long> count_{0};   // written by the thread
  std::atomic<bool> is_over_{false};      // set by who has made it
  std::chrono::milliseconds longest_{0};  // of the thread; read after the join
  unsigned long refused_ = 0;             // the same
  long refusal_ = 0;                      // the same
  Crew crew_;
};

}  // namespace phutex::selftest
