// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One replacement of the table, under everything that can go on meanwhile.
//
// Edges  TablePublished, PinOrDrain, PinReleased, and those of waiting and waking
// Bound  2 or 3 threads, 1 to 4 operations each; 3 preemptions of 2 threads, 2 of 3; 2 delayed
//        stores, 1 migration; none for TimeoutOrReplacement, 1 store and none for SplitBucket: the
//        longest
// See    Linux' own list of hazards: stale table (1), bias (2), get and put on different CPUs (4),
//        bucket of a sleeper (6), last put (7); the numbers are those of its mailing list's thread

#include "checker/scenarios/scenarios.hpp"

namespace phutex::checker {

namespace {

/// Hazards 4 and 7: the smallest user of a table there is.
struct PinOrDrain : Scenario {
  using Scenario::Scenario;
  Word word{0};

  void threads() {
    spawn("user", [this] { expect(engine.wake(word, 1) == 0, "nobody waits"); });
    spawn("resizer", [this] { expect(static_cast<bool>(engine.resize(4)), "replaced"); });
  }
  void finally() { expect(engine.bucket_count() == 4, "the new table is current"); }
};

/// Hazards 2 and 4: who comes while the table drains, and who comes when it is closed.
struct Newcomers : Scenario {
  using Scenario::Scenario;
  Word word{0};

  void threads() {
    spawn("one", [this] { expect(engine.waiting(word) == 0, "nobody waits"); });
    spawn("other", [this] { expect(engine.wake(word, 1) == 0, "nobody waits"); });
    spawn("resizer", [this] { expect(static_cast<bool>(engine.resize(4)), "replaced"); });
  }
  void finally() { expect(engine.bucket_count() == 4, "the new table is current"); }
};

/// Hazard 6: who sleeps stays asleep, and is found in the next table.
struct WaitOrReplacement : Scenario {
  using Scenario::Scenario;
  Word word{0};
  bool is_over = false;

  void threads() {
    spawn("waiter", [this] {
      const Result<void> result = engine.wait(word, 0);
      expect(result || result.error() == Errno::again, "woken, or the word has changed");
      is_over = true;
    });
    spawn("resizer", [this] {
      const std::size_t before = engine.waiting(word);
      expect(static_cast<bool>(engine.resize(4)), "replaced");
      expect(engine.waiting(word) >= before && !is_over, "who slept before sleeps on");
      word.store(1);
      engine.wake(word, 1);
    });
  }
};

/// Hazard 6: two who share a bucket are both found where the next table has them, apart.
struct SplitBucket : Scenario {
  using Scenario::Scenario;
  Word one{0};
  Word between{0};  // so that the other two collide in the table of two buckets
  Word other{0};

  void threads() {
    spawn("one", [this] { (void)engine.wait(one, 0); });
    spawn("other", [this] { (void)engine.wait(other, 0); });
    spawn("resizer", [this] {
      expect(static_cast<bool>(engine.resize(4)), "replaced");
      expect(engine.is_sound(), "who is queued is queued and counted in the right bucket");
      other.store(1);
      engine.wake(other, 1);
      one.store(1);
      engine.wake(one, 1);
    });
  }
};

/// A wake meets a replacement: it finds the waiter in the old table or in the new one.
struct WakeOrReplacement : Scenario {
  using Scenario::Scenario;
  Word word{0};

  void threads() {
    spawn("waiter", [this] { (void)engine.wait(word, 0); });
    spawn("waker", [this] {
      word.store(1);
      engine.wake(word, 1);
    });
    spawn("resizer", [this] { expect(static_cast<bool>(engine.resize(4)), "replaced"); });
  }
};

/// Hazard 6: who gives up while its queue moves looks for itself where it is now.
struct TimeoutOrReplacement : Scenario {
  using Scenario::Scenario;
  Word word{0};

  void threads() {
    spawn("waiter", [this] {
      const Deadline soon = Deadline::at(Clock::monotonic, 1, 0);
      expect(engine.wait(word, 0, kMatchAny, soon).error() == Errno::timed_out, "too late");
    });
    spawn("resizer", [this] { expect(static_cast<bool>(engine.resize(4)), "replaced"); });
  }
  void finally() { expect(engine.waiting(word) == 0, "nobody is left queued"); }
};

/// A replacement that gets no memory changes nothing.
struct NoMemory : Scenario {
  using Scenario::Scenario;
  Word word{0};
  bool is_replaced = false;

  void threads() {
    spawn("waiter", [this] {
      const Result<void> result = engine.wait(word, 0);
      expect(result || result.error() == Errno::again || result.error() == Errno::no_memory,
             "woken, the word has changed, or there is no parker");
    });
    spawn("resizer", [this] {
      const Result<void> result = engine.resize(4);
      expect(result || result.error() == Errno::no_memory, "replaced, or no memory");
      is_replaced = static_cast<bool>(result);
      word.store(1);
      engine.wake(word, 1);
    });
  }
  void finally() { expect(engine.bucket_count() == (is_replaced ? 4U : 2U), "all or nothing"); }
};

/// Once frozen, a table stays; whoever was quicker has replaced it before.
struct Freeze : Scenario {
  using Scenario::Scenario;
  Word word{0};
  bool is_replaced = false;

  void threads() {
    spawn("freezer", [this] {
      engine.freeze();
      expect(engine.resize(8).error() == Errno::busy, "a frozen table stays");
    });
    spawn("resizer", [this] {
      const Result<void> result = engine.resize(4);
      expect(result || result.error() == Errno::busy, "replaced, or frozen");
      is_replaced = static_cast<bool>(result);
    });
    spawn("user", [this] { expect(engine.wake(word, 1) == 0, "nobody waits"); });
  }
  void finally() {
    expect(engine.bucket_count() == (is_replaced ? 4U : 2U), "the table that was frozen");
  }
};

}  // namespace

void add_replacement(Registry& registry) {
  registry.add<PinOrDrain>(
      {.name = "PinOrDrain",
       .claim = "No table is freed under a user, on whatever processors it comes and goes.",
       .which = Which::locked,
       .bounds = {.preemptions = 3, .migrations = 2},
       .kills = kills<edge::TablePublished, edge::PinOrDrain, edge::PinReleased,
                       edge::SectionOrGrace, edge::SectionLeft>()});
  registry.add<Newcomers>(
      {.name = "Newcomers",
       .claim = "Who comes during a replacement gets the old table or the new.",
       .which = Which::locked,
       .kills = kills<edge::TablePublished, edge::PinOrDrain, edge::PinReleased,
                       edge::SectionOrGrace, edge::SectionLeft>()});
  registry.add<WaitOrReplacement>({.name = "WaitOrReplacement",
                                   .claim = "Sleepers stay asleep and move to the next table.",
                                   .which = Which::replaceable,
                                   .bounds = kDeep});
  registry.add<SplitBucket>({.name = "SplitBucket",
                             .claim = "Those of one bucket move to where the next table has them.",
                             .which = Which::locked,
                             .bounds = {.delayed_stores = 1, .migrations = 0}});
  registry.add<WakeOrReplacement>({.name = "WakeOrReplacement",
                                   .claim = "A wake finds its waiter on either side.",
                                   .which = Which::replaceable});
  registry.add<TimeoutOrReplacement>({.name = "TimeoutOrReplacement",
                                      .claim = "Who gives up finds itself in whatever table.",
                                      .which = Which::replaceable,
                                      .bounds = kDeepInPlace});
  registry.add<NoMemory>({.name = "NoMemory",
                          .claim = "A replacement without memory leaves everything as it was.",
                          .which = Which::replaceable,
                          .bounds = {.preemptions = 3, .allocation_failures = 2}});
  registry.add<Freeze>({.name = "Freeze",
                        .claim = "A frozen table is never replaced.",
                        .which = Which::locked,
                        .kills = kills<edge::TablePublished>()});
}

}  // namespace phutex::checker
