// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each promise in edges.hpp is one that some scenario cannot do without.

#include "checker/mutants.hpp"

#include <cstdio>

#include "checker/scenarios/scenarios.hpp"
#include "tests/check/exploring.hpp"

namespace phutex::checker {
namespace {

bool is_killed(const std::vector<Kill>& kills, std::size_t edge, std::string_view scheme) {
  for (const Kill& kill : kills) {
    if (kill.edge == edge && kill.check->kind.scheme == scheme) return true;
  }
  return false;
}

template <IsEdge E>
void expect_killed(const std::vector<Kill>& kills, std::initializer_list<const char*> schemes) {
  for (const char* const scheme : schemes) {
    EXPECT_TRUE(is_killed(kills, edge::index_of<E>, scheme))
        << edge::kNames[edge::index_of<E>] << " on " << scheme;
  }
}

TEST(Mutants, EveryEdgeIsKilled) {
  Explorer explorer;
  const std::vector<Kill> kills = kill_mutants(explorer, scenarios());
  std::printf("%s", mutants_table(kills).c_str());
  const auto all = {"fixed",       "shared_count", "bucket_count",
                    "per_cpu_count", "tombstone",  "split"};
  expect_killed<edge::EnqueueOrValue>(kills, all);
  expect_killed<edge::BucketHandover>(kills, all);
  expect_killed<edge::SleeperOrFree>(kills, all);
  expect_killed<edge::Woken>(kills, all);
  // On shared_count the count's own order covers it.
  expect_killed<edge::TablePublished>(kills,
                                      {"per_cpu_count", "bucket_count", "tombstone", "split"});
  expect_killed<edge::PinOrDrain>(kills, {"per_cpu_count"});
  expect_killed<edge::PinReleased>(kills, {"shared_count", "per_cpu_count", "bucket_count"});
  expect_killed<edge::SectionOrGrace>(kills, {"bucket_count", "tombstone", "split"});
  expect_killed<edge::SectionLeft>(kills, {"bucket_count", "tombstone", "split"});
  for (std::size_t edge = 0; edge < edge::All::count; ++edge) {
    bool is_any_killed = false;
    for (const Kill& kill : kills) is_any_killed = is_any_killed || kill.edge == edge;
    EXPECT_TRUE(is_any_killed) << "no scenario fails without " << edge::kNames[edge];
  }
}

TEST(Mutants, TheirScenariosHoldUnbroken) {
  Explorer explorer;
  for (const Kill& kill : kill_mutants(explorer, scenarios())) {
    Model whole = kill.model;
    whole.weakened.reset();
    const Exploration exploration = explore_all(*kill.check, whole);
    EXPECT_FALSE(exploration.counterexample) << told(*kill.check, whole, exploration);
  }
}

}  // namespace
}  // namespace phutex::checker
