// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/explorer.hpp"

#include <chrono>

namespace phutex::checker {

Exploration Explorer::explore(const Check& check, const Model& model, Strategy& strategy,
                              std::uint64_t executions_max) {
  const auto start = std::chrono::steady_clock::now();
  World world{runtime_, model};
  Exploration result;
  while (result.executions < executions_max && strategy.next_run()) {
    const bool is_good = run(check, world, strategy);
    ++result.executions;
    result.steps += runtime_.steps();
    if (is_good) continue;
    result.counterexample = {runtime_.failure(), strategy.answers()};
    break;
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  result.seconds = passed.count();
  return result;
}

Story Explorer::replay(const Check& check, const Model& model, const Answers& answers) {
  World world{runtime_, model};
  const std::unique_ptr<Strategy> strategy = repeat(answers);
  strategy->next_run();
  Story story;
  runtime_.events = &story.events;
  run(check, world, *strategy);
  runtime_.events = nullptr;
  story.what = runtime_.failure();
  for (unsigned thread = 0; thread < runtime_.thread_count(); ++thread) {
    story.threads.emplace_back(runtime_.name_of(thread));
  }
  return story;
}

bool Explorer::run(const Check& check, World& world, Strategy& strategy) {
  World* const outer = World::exchange_current(&world);
  world.begin();
  const bool is_good = runtime_.run(strategy, [&check] { check.body(check.kind); });
  World::exchange_current(outer);
  return is_good;
}

Model model_for(const Check& check, Mode mode, Counts counts, std::optional<std::size_t> weakened) {
  return {mode, counts, weakened, check.memory_may_run_out()};
}

}  // namespace phutex::checker
