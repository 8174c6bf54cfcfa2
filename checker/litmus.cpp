// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/litmus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <sstream>
#include <vector>

#include "checker/memory.hpp"
#include "checker/strategy.hpp"
#include "engine/base/check.hpp"

namespace phutex::checker {

namespace {

constexpr unsigned kWords = 4;  // w, x, y, z

constexpr Bounds kWide{.preemptions = 2, .delayed_stores = 2, .migrations = 0};

enum class Action { load, store, exchange, fence, light_fence, heavy_fence };

struct Step {
  Action action = Action::load;
  unsigned word = 0;
  std::uint32_t value = 0;
  bool acquires = false;
  bool releases = false;
};

struct Program {
  std::vector<std::vector<Step>> threads;
  std::vector<unsigned> looked_at;  // words, when all is over
};

Step parse_step(std::string_view text) {
  if (text == "fence") return {.action = Action::fence};
  if (text == "light") return {.action = Action::light_fence};
  if (text == "heavy") return {.action = Action::heavy_fence};
  Step step{.word = static_cast<unsigned>(text[0] - 'w')};
  PHUTEX_CHECK(step.word < kWords, "a litmus program's words are w, x, y and z");
  const std::size_t dot = text.find('.');
  const std::string_view order = dot == std::string_view::npos ? "" : text.substr(dot + 1);
  const std::string_view access = text.substr(0, dot);
  step.acquires = order == "acquire" || order == "acq_rel";
  step.releases = order == "release" || order == "acq_rel";
  if (access.size() == 1) return step;
  step.action = access[1] == '=' ? Action::store : Action::exchange;
  step.value = static_cast<std::uint32_t>(access.back() - '0');
  return step;
}

Program parse(std::string_view text) {
  Program program;
  program.threads.emplace_back();
  bool is_over = false;
  std::istringstream words{std::string{text}};
  for (std::string word; words >> word;) {
    if (word == "||") {
      is_over = true;
    } else if (word == "|") {
      program.threads.emplace_back();
    } else if (is_over) {
      program.looked_at.push_back(parse_step(word).word);
    } else {
      program.threads.back().push_back(parse_step(word));
    }
  }
  return program;
}

std::set<std::string> parse_outcomes(std::string_view text) {
  std::set<std::string> outcomes;
  std::istringstream words{std::string{text}};
  for (std::string word; words >> word;) outcomes.insert(word);
  return outcomes;
}

using Word = Atomic<std::uint32_t>;

std::uint32_t exchange(Word& word, const Step& step) {
  if (step.acquires && step.releases) return word.exchange(step.value, acq_rel<edge::Woken>);
  if (step.acquires) return word.exchange(step.value, acquire<edge::Woken>);
  if (step.releases) return word.exchange(step.value, release<edge::Woken>);
  return word.exchange(step.value, relaxed<why::Hint>);
}

/// One run of a program.
class Run {
 public:
  explicit Run(const Program& program) : program_(program), found_(program.threads.size()) {}

  /// As thread 0.
  void operator()() {
    World& world = World::current();
    for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
      world.fork(world.runtime().spawn("litmus", [this, thread] {
        for (const Step& step : program_.threads[thread]) take(step, found_[thread]);
        World::current().drain_in_step();
      }));
    }
    world.drain();
    world.runtime().join_all();
    world.join_all();
    for (const std::string& found : found_) outcome_ += found;
    for (const unsigned word : program_.looked_at) add(outcome_, words_[word].load(kNone));
  }

  const std::string& outcome() const noexcept { return outcome_; }

 private:
  static constexpr auto kNone = relaxed<why::Hint>;

  static void add(std::string& found, std::uint32_t value) {
    found += static_cast<char>('0' + value);
  }

  void take(const Step& step, std::string& found) {
    Word& word = words_[step.word];
    switch (step.action) {
      case Action::load:
        return add(found, step.acquires ? word.load(acquire<edge::Woken>) : word.load(kNone));
      case Action::store:
        return step.releases ? word.store(step.value, release<edge::Woken>)
                             : word.store(step.value, kNone);
      case Action::exchange:
        return add(found, exchange(word, step));
      case Action::fence:
        return Memory::fence(seq_cst<edge::EnqueueOrValue>);
      case Action::light_fence:
        return Memory::light_fence(asymmetric<edge::SleeperOrFree>);
      case Action::heavy_fence:
        return Memory::heavy_fence(asymmetric<edge::SleeperOrFree>);
    }
  }

  const Program& program_;
  std::array<Word, kWords> words_;
  std::vector<std::string> found_;  // by each thread
  std::string outcome_;
};

// The outcomes are those of all executions that the axioms allow: of sequential consistency, of
// x86-TSO, and for Mode::history of RC11 (Lahav, Vafeiadis, Kang, Hur and Dreyer, Repairing
// Sequential Consistency in C/C++11, 2017) with the release sequences of C++20. RC11 is C++
// without reading from the future, so load buffering has no place here. Nor has a program in which
// an exchange could find another value than the youngest: the checker does not try that.
constexpr std::array kSuite{
    Litmus{"SB", "x=1 y | y=1 x", "01 10 11", "00"},
    Litmus{"SB+release+acquire", "x=1.release y.acquire | y=1.release x.acquire", "01 10 11", "00"},
    Litmus{"SB+fences", "x=1 fence y | y=1 fence x", "01 10 11"},
    Litmus{"SB+fence", "x=1 fence y | y=1 x", "01 10 11", "00"},
    Litmus{"SB+exchanges", "x=1 w<-1.acq_rel y | y=1 z<-1.acq_rel x", "0001 0100 0101", "", "0000"},
    Litmus{"SB+exchanges of one word", "x=1 z<-1.acq_rel y | y=1 z<-1.acq_rel x",
           "0011 0111 1100 1101"},
    Litmus{"SB+asymmetric", "x=1 heavy y | y=1 light x", "01 10 11"},
    Litmus{"SB+light+light", "x=1 light y | y=1 light x", "01 10 11", "00"},
    Litmus{"MP", "x=1 y=1 | y x", "00 01 11", "", "10"},
    Litmus{"MP+release+acquire", "x=1 y=1.release | y.acquire x", "00 01 11"},
    Litmus{"MP+release", "x=1 y=1.release | y x", "00 01 11", "", "10"},
    Litmus{"MP+acquire", "x=1 y=1 | y.acquire x", "00 01 11", "", "10"},
    Litmus{"MP+fences", "x=1 fence y=1 | y fence x", "00 01 11"},
    Litmus{"MP+fence+acquire", "x=1 fence y=1 | y.acquire x", "00 01 11"},
    Litmus{"MP+release+fence", "x=1 y=1.release | y fence x", "00 01 11"},
    Litmus{"MP+exchange between", "x=1 y=1.release | y<-2 | y.acquire x",
           "000 001 011 020 021 100 101 111 121"},
    Litmus{"MP+store between", "x=1 y=1.release | y y=2 | y.acquire x",
           "000 001 011 020 021 100 101 111 121", "", "120"},
    Litmus{"MP+own store after", "x=1 y=1.release y=2 | y.acquire x", "00 01 11 21", "", "20"},
    Litmus{"exchanges", "x<-1 | x<-2 || x", "012 201"},
    Litmus{"CoRR", "x=1 | x x", "00 01 11"},
    Litmus{"CoRR2", "x=1 | x=2 | x x | x x",
           "0000 0001 0002 0011 0012 0021 0022 0100 0101 0102 0111 0112 0121 0122 0200 0201 0202 "
           "0211 0212 0221 0222 1100 1101 1102 1111 1112 1121 1122 1200 1201 1202 1211 1212 1222 "
           "2100 2101 2102 2111 2121 2122 2200 2201 2202 2211 2212 2221 2222"},
    Litmus{"CoWW", "x=1 x=2 || x", "2"},
    Litmus{"CoRW", "x x=1 || x", "01"},
    Litmus{"CoRW2", "x x=2 | x=1 || x", "01 02 12"},
    Litmus{"CoWR", "x=1 x | x=2 || x", "11 12 22"},
    Litmus{"IRIW", "x=1 | y=1 | x y | y x",
           "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111", "",
           "1010"},
    Litmus{"IRIW+acquires", "x=1.release | y=1.release | x.acquire y.acquire | y.acquire x.acquire",
           "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111", "",
           "1010"},
    Litmus{"IRIW+fences", "x=1 | y=1 | x fence y | y fence x",
           "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111"},
    Litmus{"2+2W", "x=1 y=2 | y=1 x=2 || x y", "12 21 22", "", "11"},
    Litmus{"2+2W+releases", "x=1 y=2.release | y=1 x=2.release || x y", "12 21 22", "", "11"},
    Litmus{"2+2W+fences", "x=1 fence y=2 | y=1 fence x=2 || x y", "12 21 22"},
    Litmus{"R", "x=1 y=1 | y=2 x || y", "01 11 12", "02"},
    Litmus{"R+fences", "x=1 fence y=1 | y=2 fence x || y", "01 11 12"},
    Litmus{"S", "x=2 y=1 | y x=1 || x", "01 02 11", "", "12"},
    Litmus{"S+release+acquire", "x=2 y=1.release | y.acquire x=1 || x", "01 02 11"},
    Litmus{"S+fences", "x=2 fence y=1 | y fence x=1 || x", "01 02 11"},
    Litmus{"WRC", "x=1 | x y=1 | y x", "000 001 010 011 100 101 111", "", "110"},
    Litmus{"WRC+release+acquire", "x=1 | x y=1.release | y.acquire x",
           "000 001 010 011 100 101 111"},
    Litmus{"WRC+fences", "x=1 | x fence y=1 | y fence x", "000 001 010 011 100 101 111"},
    Litmus{"WRC+acquire without release", "x=1 | x.acquire y=1 | y.acquire x",
           "000 001 010 011 100 101 111", "", "110"},
    Litmus{"ISA2", "x=1 y=1 | y z=1 | z x", "000 001 010 011 100 101 111", "", "110"},
    Litmus{"ISA2+releases+acquires", "x=1 y=1.release | y.acquire z=1.release | z.acquire x",
           "000 001 010 011 100 101 111"},
};

}  // namespace

std::span<const Litmus> litmus_suite() {
  return kSuite;
}

std::set<std::string> outcomes_of(const Litmus& litmus, Mode mode) {
  const Program program = parse(litmus.program);
  std::set<std::string> outcomes;
  fibers::Runtime runtime;
  World world{runtime, Model{.mode = mode}};
  World* const outer = World::exchange_current(&world);
  const std::unique_ptr<Strategy> strategy = exhaustive(kWide);
  while (strategy->next_run()) {
    world.begin();
    const bool is_good = runtime.run(*strategy, [&] {
      Run run{program};
      run();
      outcomes.insert(run.outcome());
    });
    if (!is_good) outcomes.insert(runtime.failure());
  }
  World::exchange_current(outer);
  return outcomes;
}

std::string litmus_failure(const Litmus& litmus, Mode mode) {
  std::set<std::string> allowed = parse_outcomes(litmus.sc);
  if (mode != Mode::sc) allowed.merge(parse_outcomes(litmus.tso));
  if (mode == Mode::history) allowed.merge(parse_outcomes(litmus.history));
  const std::set<std::string> found = outcomes_of(litmus, mode);
  if (found == allowed) return "";
  return fmt::format("{} ({}) in mode {} ends in {}, and should in {}", litmus.name, litmus.program,
                     name_of(mode), fmt::join(found, " "), fmt::join(allowed, " "));
}

std::string litmus_failure(Mode mode) {
  for (const Litmus& litmus : kSuite) {
    std::string failure = litmus_failure(litmus, mode);
    if (!failure.empty()) return failure;
  }
  return "";
}

}  // namespace phutex::checker
