// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Wakes are not lost, and not invented: one waiter, two on one word, a mutex that sleeps.
//
// Edges  EnqueueOrValue, BucketHandover, Woken, SleeperOrFree
// Bound  2 or 3 threads, 1 or 2 operations each; 3 preemptions of 2 threads, 2 of 3; 2 delayed
// stores

#include <climits>

#include "checker/scenarios/scenarios.hpp"

namespace phutex::checker {

namespace {

struct LostWakeup : Scenario {
  using Scenario::Scenario;
  Word word{0};

  void threads() {
    spawn("waiter", [this] {
      const Result<void> result = engine.wait(word, 0);
      expect(result || result.error() == Errno::again, "woken, or the word has changed");
    });
    spawn("waker", [this] {
      word.store(1);
      engine.wake(word, 1);
    });
  }

  void finally() { expect(engine.waiting(word) == 0, "nobody is left queued"); }
};

struct TwoWaiters : Scenario {
  using Scenario::Scenario;
  Word word{0};
  int returned_woken = 0;
  int said_woken = 0;

  void threads() {
    spawn("one", [this] { returned_woken += engine.wait(word, 0) ? 1 : 0; });
    spawn("other", [this] { returned_woken += engine.wait(word, 0) ? 1 : 0; });
    spawn("waker", [this] {
      word.store(1);
      said_woken = engine.wake(word, 1) + engine.wake(word, 1);
    });
  }

  void finally() { expect(returned_woken == said_woken, "as many return as wakes were counted"); }
};

/// One wake lets all go: it reads from each waiter what it needs before that one may be gone.
struct WakeAll : Scenario {
  using Scenario::Scenario;
  Word word{0};
  int returned_woken = 0;
  int said_woken = 0;

  void threads() {
    spawn("one", [this] { returned_woken += engine.wait(word, 0) ? 1 : 0; });
    spawn("other", [this] { returned_woken += engine.wait(word, 0) ? 1 : 0; });
    spawn("waker", [this] {
      word.store(1);
      said_woken = engine.wake(word, INT_MAX);
    });
  }

  void finally() { expect(returned_woken == said_woken, "as many return as wakes were counted"); }
};

/// The mutex everybody writes on futexes: 0 free, 1 held, 2 held and somebody may sleep.
struct Mutex : Scenario {
  using Scenario::Scenario;
  Word word{0};
  Plain<int> guarded{0};

  void threads() {
    for (const char* const name : {"one", "other"}) {
      spawn(name, [this] {
        lock();
        guarded.write(guarded.read() + 1);
        unlock();
      });
    }
  }

  void finally() { expect(guarded.read() == 2, "one at a time"); }

 private:
  void lock() {
    if (word.exchange_if(0, 1)) return;
    while (word.exchange(2) != 0) (void)engine.wait(word, 2);
  }
  void unlock() {
    if (word.exchange(0) == 2) engine.wake(word, 1);
  }
};

}  // namespace

void add_lost_wakeup(Registry& registry) {
  registry.add<LostWakeup>(
      {.name = "LostWakeup",
       .claim = "A waker that finds nobody and a waiter that sleeps never coexist.",
       .bounds = kDeepInPlace,
       .kills =
           kills<edge::EnqueueOrValue, edge::BucketHandover, edge::SleeperOrFree, edge::Woken>()});
  registry.add<TwoWaiters>({.name = "TwoWaiters",
                            .claim = "Two wakes of one let two waiters go, and count them.",
                            .bounds = kInPlace});
  registry.add<WakeAll>({.name = "WakeAll",
                         .claim = "One wake of all lets all waiters go, and counts them.",
                         .bounds = kInPlace,
                         .kills = kills<edge::Woken>()});
  registry.add<Mutex>({.name = "Mutex",
                       .claim = "A mutex that sleeps on a word is exclusive and never stuck.",
                       .bounds = kDeepInPlace});
}

}  // namespace phutex::checker
