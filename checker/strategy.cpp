// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/strategy.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace phutex::checker {

namespace {

using fibers::Candidate;
using fibers::Choice;

/// Depth first. A branch is a choice that had more than one answer within bounds.
class Exhaustive : public Strategy {
 public:
  using Strategy::Strategy;

  bool next_run() override {
    if (!is_first_) {
      while (!branches_.empty() && branches_.back().answer + 1U == branches_.back().count) {
        branches_.pop_back();
      }
      if (branches_.empty()) return false;
      ++branches_.back().answer;
    }
    is_first_ = false;
    place_ = 0;
    begin_run();
    return true;
  }

 private:
  struct Branch {
    std::uint8_t answer;
    std::uint8_t count;
  };

  unsigned decide(Choice kind, unsigned count) override {
    if (!may_vary(kind)) return 0;
    if (place_ == branches_.size()) branches_.push_back({0, static_cast<std::uint8_t>(count)});
    return branches_[place_++].answer;
  }

  std::vector<Branch> branches_;
  std::size_t place_ = 0;
  bool is_first_ = true;
};

/// What the two strategies by lot share: the lots, and everything but who runs.
class ByLot : public Strategy {
 public:
  ByLot(const Bounds& bounds, std::uint64_t seed) : Strategy(bounds), lots_(seed) {}

 protected:
  unsigned lot(unsigned count) { return static_cast<unsigned>(lots_() % count); }

  unsigned decide(Choice kind, unsigned count) override {
    constexpr unsigned kLeaning = 4;
    if (!may_vary(kind) || (kind != Choice::next && lot(kLeaning) != 0)) return 0;
    return lot(count);
  }

 private:
  std::mt19937_64 lots_;
};

class Random : public ByLot {
 public:
  using ByLot::ByLot;

  bool next_run() override {
    begin_run();
    return true;
  }
};

class Pct : public ByLot {
 public:
  Pct(const Bounds& bounds, std::uint64_t seed, unsigned depth)
      : ByLot(bounds, seed), changes_(std::max(depth, 1U) - 1) {}

  bool next_run() override {
    begin_run();
    steps_max_ = std::max(steps_max_, std::exchange(step_, 0));
    for (std::size_t index = 0; index < priorities_.size(); ++index) {
      const unsigned other = lot(static_cast<unsigned>(index) + 1);
      priorities_[index] = std::exchange(priorities_[other], static_cast<int>(index));
    }
    for (unsigned& change : changes_) change = lot(steps_max_);
    lowest_ = 0;
    return true;
  }

 private:
  unsigned decide_thread(Choice kind, std::span<const Candidate> candidates) override {
    if (kind == Choice::preempt) {
      const unsigned now = step_++;
      if (std::count(changes_.begin(), changes_.end(), now) != 0) {
        priorities_[candidates[0].thread] = --lowest_;
      }
    }
    const auto highest = std::max_element(
        candidates.begin(), candidates.end(), [this](Candidate one, Candidate other) {
          return priorities_[one.thread] < priorities_[other.thread];
        });
    return static_cast<unsigned>(highest - candidates.begin());
  }

  std::vector<unsigned> changes_;  // the steps at which the running thread falls behind
  std::array<int, fibers::kThreadsMax> priorities_{};
  int lowest_ = 0;
  unsigned step_ = 0;
  unsigned steps_max_ = 1;
};

class Repeat : public Strategy {
 public:
  explicit Repeat(Answers answers) : Strategy(Bounds{}), repeated_(std::move(answers)) {}

  bool next_run() override {
    begin_run();
    return std::exchange(is_first_, false);
  }

 private:
  unsigned decide(Choice, unsigned count) override {
    const std::size_t place = answers().size();
    const unsigned answer = place < repeated_.size() ? repeated_[place] : 0;
    return std::min(answer, count - 1);
  }

  const Answers repeated_;
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<Strategy> exhaustive(const Bounds& bounds) {
  return std::make_unique<Exhaustive>(bounds);
}
std::unique_ptr<Strategy> pct(const Bounds& bounds, std::uint64_t seed, unsigned depth) {
  return std::make_unique<Pct>(bounds, seed, depth);
}
std::unique_ptr<Strategy> random(const Bounds& bounds, std::uint64_t seed) {
  return std::make_unique<Random>(bounds, seed);
}
std::unique_ptr<Strategy> repeat(Answers answers) {
  return std::make_unique<Repeat>(std::move(answers));
}

}  // namespace phutex::checker
