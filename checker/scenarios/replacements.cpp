// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several replacements of the table: one after the other, and two at once.
//
// Edges  TablePublished, PinOrDrain, PinReleased, SleeperOrFree
// Bound  2 or 3 threads, 1 or 2 operations each; 3 preemptions of 2 threads, 2 of 3; 2 delayed
//        stores, 1 or 2 migrations
// See    replacement.cpp for the numbers of the hazards

#include "checker/scenarios/scenarios.hpp"

namespace phutex::checker {

namespace {

/// Hazard 1: a user that comes with a table from before the last replacement but one.
struct TwoReplacements : Scenario {
  using Scenario::Scenario;
  Word word{0};

  void threads() {
    spawn("user", [this] { expect(engine.wake(word, 1) == 0, "nobody waits"); });
    spawn("resizer", [this] {
      expect(static_cast<bool>(engine.resize(4)), "replaced");
      expect(static_cast<bool>(engine.resize(2)), "replaced again");
    });
  }
  void finally() { expect(engine.bucket_count() == 2, "the last table is current"); }
};

/// Hazard 6: the same with a user that sleeps.
struct WaitThroughTwo : Scenario {
  using Scenario::Scenario;
  Word word{0};

  void threads() {
    spawn("waiter", [this] { (void)engine.wait(word, 0); });
    spawn("resizer", [this] {
      expect(static_cast<bool>(engine.resize(4)), "replaced");
      word.store(1);
      expect(static_cast<bool>(engine.resize(2)), "replaced again");
      engine.wake(word, 1);
    });
  }
};

/// Hazard 8: two that want to replace do so one after the other.
struct TwoResizers : Scenario {
  using Scenario::Scenario;
  Word word{0};

  void threads() {
    spawn("one", [this] { expect(static_cast<bool>(engine.resize(4)), "replaced"); });
    spawn("other", [this] { expect(static_cast<bool>(engine.resize(8)), "replaced"); });
    spawn("user", [this] { expect(engine.wake(word, 1) == 0, "nobody waits"); });
  }
  void finally() {
    const std::size_t count = engine.bucket_count();
    expect(count == 4 || count == 8, "one of the two was the last");
  }
};

}  // namespace

void add_replacements(Registry& registry) {
  registry.add<TwoReplacements>(
      {.name = "TwoReplacements",
       .claim = "A user that comes with an outdated table is never counted on the next.",
       .which = Which::locked,
       .bounds = {.preemptions = 3, .migrations = 2},
       .kills = kills<edge::TablePublished, edge::PinOrDrain, edge::PinReleased,
                       edge::SectionOrGrace, edge::SectionLeft>()});
  registry.add<WaitThroughTwo>({.name = "WaitThroughTwo",
                                .claim = "A sleeper is found after two replacements.",
                                .which = Which::locked,
                                .bounds = kDeep});
  registry.add<TwoResizers>({.name = "TwoResizers",
                             .claim = "Two replacements at once come one after the other.",
                             .which = Which::locked,
                             .kills = kills<edge::PinReleased>()});
}

}  // namespace phutex::checker
