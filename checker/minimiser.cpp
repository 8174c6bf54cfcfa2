// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/minimiser.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace phutex::checker {

namespace {

using Places = std::vector<std::size_t>;

/// Of the answers that are not the first choice.
Places varied_places(const Answers& answers) {
  Places places;
  for (std::size_t place = 0; place < answers.size(); ++place) {
    if (answers[place] != 0) places.push_back(place);
  }
  return places;
}

class Minimiser {
 public:
  Minimiser(Explorer& explorer, const Check& check, const Model& model,
            const Counterexample& counterexample, std::uint64_t executions_max)
      : explorer_(explorer),
        check_(check),
        model_(model),
        what_(counterexample.what),
        executions_max_(executions_max) {
    std::optional<Run> run = failing_run(counterexample.answers);
    PHUTEX_CHECK(run.has_value(), "a counterexample's answers repeat its failure");
    smallest_ = std::move(*run);
  }

  // Every success makes the run smaller, so this ends.
  void minimise() {
    while (leave_out_chunk() || leave_out_and_shift() || lower() || leave_out_pair()) continue;
  }

  const Answers& answers() const noexcept { return smallest_.answers; }
  const RunSize& size() const noexcept { return smallest_.size; }
  std::uint64_t executions() const noexcept { return executions_; }

 private:
  struct Run {
    Answers answers;
    RunSize size;
  };

  // In the very same words, places and threads of a race included: a scenario has many ways to
  // fail, and a smaller run that fails in another way does not explain the failure that was found.
  std::optional<Run> failing_run(const Answers& answers) {
    const std::unique_ptr<Strategy> strategy = repeat(answers);
    const Exploration exploration = explorer_.explore(check_, model_, *strategy, 1);
    ++executions_;
    const auto& counterexample = exploration.counterexample;
    if (!counterexample || counterexample->what != what_) return std::nullopt;
    const Answers& given = counterexample->answers;  // only as far as the run went
    return Run{.answers = given,
               .size = {.answers = varied_places(given).size(),
                        .preemptions = strategy->varied(fibers::Choice::preempt),
                        .steps = exploration.steps,
                        .sum = std::accumulate(given.begin(), given.end(), std::uint64_t{0})}};
  }

  bool accept(const Answers& answers) {
    if (executions_ >= executions_max_) return false;
    std::optional<Run> run = failing_run(answers);
    if (!run || run->size >= smallest_.size) return false;
    smallest_ = std::move(*run);
    return true;
  }

  bool accept_without(std::span<const std::size_t> places) {
    Answers answers = smallest_.answers;
    for (const std::size_t place : places) answers[place] = 0;
    return accept(answers);
  }

  // Delta debugging: Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input,
  // 2002. All answers first, then smaller and smaller chunks, single ones last; the end of the run
  // before its beginning, since leaving out an answer changes what the later ones are about.
  bool leave_out_chunk() {
    const Places places = varied_places(smallest_.answers);
    for (std::size_t size = places.size(); size != 0; size = size == 1 ? 0 : (size + 1) / 2) {
      for (std::size_t end = places.size(); end != 0;) {
        const std::size_t count = std::min(end, size);
        end -= count;
        if (accept_without(std::span{places}.subspan(end, count))) return true;
      }
    }
    return false;
  }

  // Without an answer the run may come a little sooner or later to the questions that the later
  // answers were given to.
  bool leave_out_and_shift() {
    constexpr std::size_t kShiftMax = 8;
    for (const std::size_t place : varied_places(smallest_.answers)) {
      for (std::size_t shift = 1; shift <= kShiftMax; ++shift) {
        if (accept(sooner_without(place, shift)) || accept(later_without(place, shift))) {
          return true;
        }
      }
    }
    return false;
  }
  Answers sooner_without(std::size_t place, std::size_t shift) const {
    Answers answers = smallest_.answers;
    answers[place] = 0;
    const auto begin = answers.begin() + static_cast<std::ptrdiff_t>(place);
    const auto left = answers.end() - begin;
    answers.erase(begin, begin + std::min(left, static_cast<std::ptrdiff_t>(shift)));
    return answers;
  }
  Answers later_without(std::size_t place, std::size_t shift) const {
    Answers answers = smallest_.answers;
    answers[place] = 0;
    answers.insert(answers.begin() + static_cast<std::ptrdiff_t>(place), shift, 0);
    return answers;
  }

  bool leave_out_pair() {
    const Places places = varied_places(smallest_.answers);
    for (std::size_t one = 0; one < places.size(); ++one) {
      for (std::size_t other = one + 1; other < places.size(); ++other) {
        if (accept_without(std::array{places[one], places[other]})) return true;
      }
    }
    return false;
  }

  bool lower() {
    for (const std::size_t place : varied_places(smallest_.answers)) {
      Answers answers = smallest_.answers;
      const std::uint8_t answer = answers[place];
      for (answers[place] = 1; answers[place] < answer; ++answers[place]) {
        if (accept(answers)) return true;
      }
    }
    return false;
  }

  Explorer& explorer_;
  const Check& check_;
  const Model& model_;
  const std::string what_;
  const std::uint64_t executions_max_;
  Run smallest_;
  std::uint64_t executions_ = 0;
};

}  // namespace

Minimised minimise(Explorer& explorer, const Check& check, const Model& model,
                   const Counterexample& counterexample, std::uint64_t executions_max) {
  Minimiser minimiser{explorer, check, model, counterexample, executions_max};
  const RunSize before = minimiser.size();
  minimiser.minimise();
  return {
      {counterexample.what, minimiser.answers()}, before, minimiser.size(), minimiser.executions()};
}

}  // namespace phutex::checker
