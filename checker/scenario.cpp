// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/scenario.hpp"

#include <utility>

#include "checker/platform.hpp"

namespace phutex::checker {

unsigned Scenario::spawn(const char* name, std::function<void()> body) {
  World& world = World::current();
  const unsigned child = world.runtime().spawn(name, [body = std::move(body)] {
    body();
    World::current().drain_in_step();
    World::current().runtime().note({.what = "ends"});
  });
  Platform::provide_section_record(child);
  world.fork(child);
  return child;
}

void join_all() {
  World::current().drain();
  World::current().runtime().join_all();
  World::current().join_all();
}

}  // namespace phutex::checker
