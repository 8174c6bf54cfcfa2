// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which of its phases a sample is in, as all its workers know.
//
// Invariant  [I1] when begin() returns, every operation that begins from then on begins in the new
//            phase; so a stop that a replacement makes never counts as an undisturbed one.

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "workload/resize.hpp"

namespace phutex::bench {

class Phases {
 public:
  class View;

  /// Begins undisturbed.
  explicit Phases(std::size_t workers) : seen_(workers) {}

  /// What worker `index` sees; used by its thread only.
  [[nodiscard]] View view_of(std::size_t index) noexcept;

  /// Blocks until every worker has seen the new phase [I1]; all of them have to be at work.
  void begin(workload::Phase phase) noexcept {
    now_.store(phase);
    for (const Seen& seen : seen_) {
      while (seen.phase.load() != phase) std::this_thread::yield();
    }
  }

 private:
  struct alignas(128) Seen {
    std::atomic<workload::Phase> phase{workload::Phase::undisturbed};  // written by its worker [I1]
  };

  // Set by the thread that calls begin(); every worker keeps asking, so it is alone on its line.
  alignas(128) std::atomic<workload::Phase> now_{workload::Phase::undisturbed};
  alignas(128) std::vector<Seen> seen_;
};

class Phases::View {
 public:
  View(const std::atomic<workload::Phase>& now, std::atomic<workload::Phase>& seen) noexcept
      : now_(now), seen_(seen) {}

  workload::Phase operator()() noexcept {
    const workload::Phase now = now_.load();
    if (now != last_) [[unlikely]] {
      last_ = now;
      seen_.store(now);
    }
    return now;
  }

 private:
  const std::atomic<workload::Phase>& now_;
  std::atomic<workload::Phase>& seen_;
  workload::Phase last_ = workload::Phase::undisturbed;
};

inline Phases::View Phases::view_of(std::size_t index) noexcept {
  return View{now_, seen_[index].phase};
}

}  // namespace phutex::bench
