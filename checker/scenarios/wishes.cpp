// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Who finds a hash in the middle of a replacement leaves a wish: it is served, whenever it comes.
//
// Edges  BucketHandover, SleeperOrFree
// Bound  2 threads that grow, and 2 beside 1 that sets; 3 preemptions, 2 delayed stores

#include "checker/scenarios/scenarios.hpp"
#include "engine/control.hpp"

namespace phutex::checker {

namespace {

/// What Control wants of an engine, and nothing else: replacements must be one at a time.
struct BareEngine {
  using Platform = checker::Platform;
  Result<void> resize(std::size_t count) noexcept {
    buckets.write(static_cast<int>(count));
    return {};
  }
  void freeze() noexcept {}
  Plain<int> buckets{16};
};

class Controlling : public Scenario {
 public:
  explicit Controlling(CheckedEngine& subject)
      : Scenario(subject),
        control_(bare_, *sizing::rule_named("by_threads"), {.online = 2, .possible = 256},
                 {Origin::automatic, 16}) {}

 protected:
  /// A thread that announces another beside so many that `buckets` are wanted.
  void spawn_growth(const char* name, std::size_t buckets) {
    spawn(name, [this, buckets] {
      expect(static_cast<bool>(control_.follow({.threads = buckets / 4})), "there is memory");
    });
  }
  void spawn_user(std::size_t buckets) {
    spawn("user", [this, buckets] {
      expect(static_cast<bool>(control_.set(buckets)), "there is memory");
      expect(control_.hash() == Hash{Origin::custom, buckets}, "set when it returns");
    });
  }
  void expect_in_the_end(Hash hash) {
    expect(control_.hash() == hash, "it is what was wanted most");
    expect(bare_.buckets.read() == static_cast<int>(hash.buckets), "and so is the table");
  }

 private:
  BareEngine bare_;
  Control<BareEngine> control_;
};

struct TwoGrow : Controlling {
  using Controlling::Controlling;

  void threads() {
    spawn_growth("one", 32);
    spawn_growth("other", 64);
  }
  void finally() { expect_in_the_end({Origin::automatic, 64}); }
};

struct TwoGrowAndAUserSets : Controlling {
  using Controlling::Controlling;

  void threads() {
    spawn_growth("one", 32);
    spawn_growth("other", 64);
    spawn_user(8);
  }
  void finally() { expect_in_the_end({Origin::custom, 8}); }
};

}  // namespace

void add_wishes(Registry& registry) {
  registry.add<TwoGrow>({.name = "TwoGrow",
                         .claim = "Of two that want a hash to grow at once, it ends as big as the "
                                  "one that wants more says.",
                         .which = Which::one,
                         .bounds = kDeepInPlace,
                         .kills = kills<edge::BucketHandover, edge::SleeperOrFree>()});
  registry.add<TwoGrowAndAUserSets>(
      {.name = "TwoGrowAndAUserSets",
       .claim = "What a user sets stays, whatever wishes are left before, meanwhile and after.",
       .which = Which::one,
       .bounds = kInPlace,
       .kills = kills<edge::BucketHandover, edge::SleeperOrFree>()});
}

}  // namespace phutex::checker
