// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buckets that move while they are used: who helps, who comes too early, who comes too late.
//
// Edges  EnqueueOrValue, TablePublished, SectionOrGrace, SectionLeft
// Bound  2 or 3 threads, 1 to 3 operations each; 3 preemptions of 2 threads, 2 of 3; 1 or 2 delayed
//        stores
// See    engine/scheme/split.hpp; the others pass as well, since a claim is about every scheme

#include "checker/scenarios/scenarios.hpp"

namespace phutex::checker {

namespace {

/// The waiter comes at any moment of the replacement; the wake comes after it, and is to find the
/// waiter in the next table, or the waiter the new value.
struct WaitWhileMoving : Scenario {
  using Scenario::Scenario;
  Word word{0};

  void threads() {
    spawn("waiter", [this] { (void)engine.wait(word, 0); });
    spawn("resizer", [this] {
      expect(static_cast<bool>(engine.resize(4)), "replaced");
      word.store(1);
      engine.wake(word, 1);
    });
  }
  void finally() { expect(engine.waiting(word) == 0, "nobody is left queued"); }
};

/// Two words of one bucket: a waiter on one, and another thread that moves the bucket for the
/// other's sake.
struct HelperMoves : Scenario {
  using Scenario::Scenario;
  Word one{0};
  Word between{0};  // so that the other two collide in the table of two buckets
  Word other{0};

  void threads() {
    spawn("waiter", [this] { (void)engine.wait(one, 0); });
    spawn("helper", [this] {
      expect(engine.waiting(other) == 0, "nobody waits");
      one.store(1);
      engine.wake(one, 1);
    });
    spawn("resizer", [this] { expect(static_cast<bool>(engine.resize(4)), "replaced"); });
  }
};

/// Who came first is woken first, in whatever table.
struct OrderWhileMoving : Scenario {
  using Scenario::Scenario;
  Word word{0};
  bool is_first_over = false;

  void threads() {
    spawn("first", [this] { is_first_over = static_cast<bool>(engine.wait(word, 0)); });
    spawn("second", [this] {
      if (engine.waiting(word) == 0) return;
      const Result<void> result = engine.wait(word, 0);
      expect(!result || is_first_woken_, "not before the first");
    });
    spawn("resizer", [this] {
      expect(static_cast<bool>(engine.resize(4)), "replaced");
      word.store(1);
      is_first_woken_ = engine.wake(word, 1) == 1;
      engine.wake(word, 1);
    });
  }

 private:
  bool is_first_woken_ = false;
};

/// Two buckets become one.
struct MergeBuckets : Scenario {
  using Scenario::Scenario;
  static constexpr std::size_t kBuckets = 4;
  Word one{0};
  Word next{0};

  void threads() {
    spawn("one", [this] { (void)engine.wait(one, 0); });
    spawn("next", [this] { (void)engine.wait(next, 0); });
    spawn("resizer", [this] {
      expect(static_cast<bool>(engine.resize(2)), "replaced");
      expect(engine.is_sound(), "who is queued is queued and counted in the right bucket");
      next.store(1);
      engine.wake(next, 1);
      one.store(1);
      engine.wake(one, 1);
    });
  }
};

}  // namespace

void add_splitting(Registry& registry) {
  registry.add<WaitWhileMoving>({.name = "WaitWhileMoving",
                                 .claim = "Who waits while its bucket moves is found.",
                                 .which = Which::locked,
                                 .bounds = kDeepInPlace});
  registry.add<HelperMoves>({.name = "HelperMoves",
                             .claim = "A bucket can be moved by who came for another word.",
                             .which = Which::locked,
                             .bounds = {.delayed_stores = 1, .migrations = 0}});
  registry.add<OrderWhileMoving>({.name = "OrderWhileMoving",
                                  .claim = "A word's waiters keep their order through a move.",
                                  .which = Which::locked,
                                  .bounds = {.delayed_stores = 1, .migrations = 0}});
  registry.add<MergeBuckets>({.name = "MergeBuckets",
                              .claim = "Those of two buckets are all found when they become one.",
                              .which = Which::locked,
                              .bounds = {.delayed_stores = 1, .migrations = 0}});
}

}  // namespace phutex::checker
