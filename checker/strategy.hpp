// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A Chooser for many runs of the same program, which remembers its answers.
//
// Flow  next_run() -> choose ... choose -> answers() -> next_run() -> ...

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "checker/bounds.hpp"
#include "fibers/chooser.hpp"

namespace phutex::checker {

using Answers = std::vector<std::uint8_t>;

class Strategy : public fibers::Chooser {
 public:
  explicit Strategy(const Bounds& bounds) noexcept : bounds_(bounds) {}

  /// Makes ready for another run; false if there is none to be tried.
  virtual bool next_run() = 0;

  /// Of the run so far.
  const Answers& answers() const noexcept { return answers_; }
  /// How many of the answers of a kind are not the first choice.
  unsigned varied(fibers::Choice kind) const noexcept {
    return varied_[static_cast<std::size_t>(kind)];
  }

  unsigned choose(fibers::Choice kind, unsigned count) final {
    return remember(kind, decide(kind, count));
  }
  unsigned choose_thread(fibers::Choice kind, std::span<const fibers::Candidate> candidates) final {
    return remember(kind, decide_thread(kind, candidates));
  }

 protected:
  virtual unsigned decide(fibers::Choice kind, unsigned count) = 0;
  virtual unsigned decide_thread(fibers::Choice kind,
                                 std::span<const fibers::Candidate> candidates) {
    return decide(kind, static_cast<unsigned>(candidates.size()));
  }

  void begin_run() noexcept {
    answers_.clear();
    varied_ = {};
  }
  /// Is another answer than the first still within bounds?
  bool may_vary(fibers::Choice kind) const noexcept { return varied(kind) < bounds_.of(kind); }

 private:
  unsigned remember(fibers::Choice kind, unsigned answer) {
    answers_.push_back(static_cast<std::uint8_t>(answer));
    varied_[static_cast<std::size_t>(kind)] += answer != 0;
    return answer;
  }

  const Bounds bounds_;
  Answers answers_;
  std::array<unsigned, fibers::kChoiceKinds> varied_{};
};

/// Every run within the bounds, one after the other.
std::unique_ptr<Strategy> exhaustive(const Bounds& bounds);

/// The thread with the highest of random priorities runs; at `depth - 1` random steps the one that
/// runs falls behind all others. Finds a bug that needs `depth` ordered events with a probability
/// of at least 1 / (threads * steps^(depth - 1)): Burckhardt et al., A Randomized Scheduler with
/// Probabilistic Guarantees of Finding Bugs, 2010.
std::unique_ptr<Strategy> pct(const Bounds& bounds, std::uint64_t seed, unsigned depth);

/// Every choice by lot, with a leaning towards the first.
std::unique_ptr<Strategy> random(const Bounds& bounds, std::uint64_t seed);

/// One run, with these answers; the first choice where there are no more.
std::unique_ptr<Strategy> repeat(Answers answers);

}  // namespace phutex::checker
