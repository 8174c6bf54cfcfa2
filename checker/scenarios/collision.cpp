// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A wake takes the waiters it names and no others, though they share a bucket or a word.
//
// Edges  EnqueueOrValue, BucketHandover, Woken
// Bound  3 threads, 1 or 2 operations each; 2 preemptions, 2 delayed stores

#include <climits>

#include "checker/scenarios/scenarios.hpp"

namespace phutex::checker {

namespace {

struct Collision : Scenario {
  using Scenario::Scenario;
  Word one{0};
  Word between{0};  // so that the other two collide in a table of two buckets
  Word other{0};
  bool is_one_woken = false;
  bool is_other_woken = false;

  void threads() {
    spawn("one", [this] { is_one_woken = static_cast<bool>(engine.wait(one, 0)); });
    spawn("other", [this] { is_other_woken = static_cast<bool>(engine.wait(other, 0)); });
    spawn("waker", [this] {
      other.store(1);
      const int others = engine.wake(other, 1);
      expect(!is_one_woken, "nobody has woken this word");
      one.store(1);
      const int ones = engine.wake(one, 1);
      said_woken_[0] = ones;
      said_woken_[1] = others;
    });
  }

  void finally() {
    expect(said_woken_[0] == (is_one_woken ? 1 : 0), "the wake of one word took its waiter");
    expect(said_woken_[1] == (is_other_woken ? 1 : 0), "the wake of the other took its own");
  }

 private:
  int said_woken_[2] = {0, 0};
};

struct Bitsets : Scenario {
  using Scenario::Scenario;
  Word word{0};
  bool is_left_woken = false;
  bool is_right_woken = false;

  void threads() {
    spawn("left", [this] { is_left_woken = static_cast<bool>(engine.wait(word, 0, 1)); });
    spawn("right", [this] { is_right_woken = static_cast<bool>(engine.wait(word, 0, 2)); });
    spawn("waker", [this] {
      word.store(1);
      rights_ = engine.wake(word, INT_MAX, 2);
      expect(!is_left_woken, "no bit of this waiter was named");
      lefts_ = engine.wake(word, INT_MAX, 1);
    });
  }

  void finally() {
    expect(rights_ == (is_right_woken ? 1 : 0), "the first wake took who shares its bit");
    expect(lefts_ == (is_left_woken ? 1 : 0), "the second wake took the other");
  }

 private:
  int lefts_ = 0;
  int rights_ = 0;
};

}  // namespace

void add_collision(Registry& registry) {
  registry.add<Collision>({.name = "Collision",
                           .claim = "A wake takes no waiter of another word in its bucket.",
                           .bounds = kInPlace});
  registry.add<Bitsets>({.name = "Bitsets",
                         .claim = "A wake takes exactly the waiters that share a bit with it.",
                         .bounds = kInPlace});
}

}  // namespace phutex::checker
