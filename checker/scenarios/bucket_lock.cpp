// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bucket's lock alone: one holder at a time, and nobody asleep while it is free.
//
// Edges  BucketHandover, SleeperOrFree
// Bound  2 threads locking twice, 3 locking once; 3 preemptions, 2 delayed stores

#include "checker/scenarios/scenarios.hpp"

namespace phutex::checker {

namespace {

class Locking : public Scenario {
 public:
  using Scenario::Scenario;

 protected:
  void lock_and_count() {
    const BucketLockGuard<Platform> guard{lock_};
    guarded_.write(guarded_.read() + 1);
  }
  int counted() const { return guarded_.read(); }

 private:
  BucketLock<Platform> lock_;
  Plain<int> guarded_{0};
};

struct LockTwice : Locking {
  using Locking::Locking;

  void threads() {
    for (const char* const name : {"one", "other"}) {
      spawn(name, [this] {
        lock_and_count();
        lock_and_count();
      });
    }
  }
  void finally() { expect(counted() == 4, "one at a time"); }
};

struct LockedByThree : Locking {
  using Locking::Locking;

  void threads() {
    for (const char* const name : {"one", "two", "three"})
      spawn(name, [this] { lock_and_count(); });
  }
  void finally() { expect(counted() == 3, "one at a time"); }
};

}  // namespace

void add_bucket_lock(Registry& registry) {
  registry.add<LockTwice>({.name = "LockTwice",
                           .claim = "A bucket's lock has one holder, and wakes who sleeps on it.",
                           .which = Which::one,
                           .bounds = kDeepInPlace,
                           .kills = kills<edge::BucketHandover, edge::SleeperOrFree>()});
  registry.add<LockedByThree>({.name = "LockedByThree",
                               .claim = "Several sleepers on a bucket's lock all get it.",
                               .which = Which::one,
                               .bounds = kDeepInPlace,
                               .kills = kills<edge::BucketHandover, edge::SleeperOrFree>()});
}

}  // namespace phutex::checker
