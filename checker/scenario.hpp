// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a checked test is: a few threads that call the engine, and what must hold when all is over.
//
// Flow  a scenario is made -> threads() spawns -> all end -> finally() -> it is destroyed
//
//   struct LostWakeup : Scenario {
//     using Scenario::Scenario;
//     Word word{0};
//     void threads() { spawn("waiter", [this] { ... }); spawn("waker", [this] { ... }); }
//     void finally() { expect(engine.waiting(word) == 0, "nobody is left queued"); }
//   };
//
// A run fails if an expectation does, if anybody is left asleep, at a data race, at a use after
// destruction, at a failed check of the engine's, at what the lock order forbids under a lock, and if
// storage is left over.

#include <functional>

#include "checker/checked_engine.hpp"

namespace phutex::checker {

class Scenario {
 public:
  static constexpr std::size_t kBuckets = 2;  // of the first table

  explicit Scenario(CheckedEngine& subject) noexcept : engine(subject) {}
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;

  void finally() {}

 protected:
  ~Scenario() = default;

  /// Returns the thread's number.
  unsigned spawn(const char* name, std::function<void()> body);

  /// Lets one signal handler interrupt that thread's sleep, at any time or never.
  void may_be_interrupted(unsigned thread) {
    World::current().runtime().allow_interruptions(thread, 1);
  }

  static void expect(bool is_so, const char* what) {
    if (!is_so) World::current().runtime().fail({"not so: ", what});
  }

  CheckedEngine& engine;
};

/// Waits for all threads, in thread 0.
void join_all();

/// Thread 0 of a run.
template <class S>
void run_scenario(const EngineKind& kind) {
  {
    const CheckedEngine::Owner engine = kind.make(S::kBuckets);
    S scenario{*engine};
    scenario.threads();
    join_all();
    scenario.finally();
    PHUTEX_CHECK(engine->is_sound(), "queues and counts are as they must be when all is over");
  }
  PHUTEX_CHECK(World::current().pieces() == 0, "all storage is given back");
}

}  // namespace phutex::checker
