// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A wait that ends early: timed out or interrupted, and a wake at the same time.
//
// Edges  EnqueueOrValue, BucketHandover, Woken
// Bound  2 or 3 threads, 1 operation each, 1 deadline or signal each; 3 preemptions of 2
//        threads, 2 of 3; 2 delayed stores

#include "checker/scenarios/scenarios.hpp"

namespace phutex::checker {

namespace {

constexpr Deadline kSoon = Deadline::at(Clock::monotonic, 1, 0);

struct TimeoutOrWake : Scenario {
  using Scenario::Scenario;
  Word word{0};
  int said_woken = 0;
  Result<void> result{Errno::invalid};

  void threads() {
    spawn("waiter", [this] { result = engine.wait(word, 0, kMatchAny, kSoon); });
    spawn("waker", [this] {
      word.store(1);
      said_woken = engine.wake(word, 1);
    });
  }

  void finally() {
    expect(said_woken == (result ? 1 : 0), "a wake counts exactly the waits that return woken");
    expect(result || result.error() == Errno::timed_out || result.error() == Errno::again,
           "woken, too late, or the word has changed");
    expect(engine.waiting(word) == 0, "nobody is left queued");
  }
};

/// One of two gives up: the wake must not be spent on it.
struct TimeoutBesideWaiter : Scenario {
  using Scenario::Scenario;
  Word word{0};
  int said_woken = 0;
  int returned_woken = 0;

  void threads() {
    spawn("hasty", [this] { returned_woken += engine.wait(word, 0, kMatchAny, kSoon) ? 1 : 0; });
    spawn("patient", [this] { returned_woken += engine.wait(word, 0) ? 1 : 0; });
    spawn("waker", [this] {
      word.store(1);
      said_woken = engine.wake(word, 1) + engine.wake(word, 1);
    });
  }

  void finally() { expect(said_woken == returned_woken, "no wake is spent on who gives up"); }
};

struct SignalOrWake : Scenario {
  using Scenario::Scenario;
  Word word{0};
  int said_woken = 0;
  Result<void> result{Errno::invalid};

  void threads() {
    may_be_interrupted(spawn("waiter", [this] { result = engine.wait(word, 0); }));
    spawn("waker", [this] {
      word.store(1);
      said_woken = engine.wake(word, 1);
    });
  }

  void finally() {
    expect(said_woken == (result ? 1 : 0), "a wake counts exactly the waits that return woken");
    expect(result || result.error() == Errno::interrupted || result.error() == Errno::again,
           "woken, interrupted, or the word has changed");
    expect(engine.waiting(word) == 0, "nobody is left queued");
  }
};

/// The parker of a wait serves the next one; a rousing meant for the first may come in the second.
struct ParkerReuse : Scenario {
  using Scenario::Scenario;
  Word word{0};
  int said_woken = 0;
  int returned_woken = 0;

  void threads() {
    spawn("waiter", [this] {
      returned_woken += engine.wait(word, 0, kMatchAny, kSoon) ? 1 : 0;
      returned_woken += engine.wait(word, 1) ? 1 : 0;
    });
    spawn("waker", [this] {
      word.store(1);
      said_woken += engine.wake(word, 1);
      word.store(2);
      said_woken += engine.wake(word, 1);
    });
  }

  void finally() { expect(said_woken == returned_woken, "each wake ended one wait"); }
};

}  // namespace

void add_giving_up(Registry& registry) {
  registry.add<TimeoutOrWake>({.name = "TimeoutOrWake",
                               .claim = "A wait is timed out or woken, and a wake counts which.",
                               .bounds = kDeepInPlace,
                               .kills = kills<edge::Woken>()});
  registry.add<TimeoutBesideWaiter>({.name = "TimeoutBesideWaiter",
                                     .claim = "Who gives up takes no wake from who waits on.",
                                     .bounds = kInPlace});
  registry.add<SignalOrWake>({.name = "SignalOrWake",
                              .claim = "A wait is interrupted or woken, and a wake counts which.",
                              .bounds = kDeepInPlace});
  registry.add<ParkerReuse>({.name = "ParkerReuse",
                             .claim = "A late rousing does not end the thread's next wait.",
                             .bounds = kDeepInPlace});
}

}  // namespace phutex::checker
