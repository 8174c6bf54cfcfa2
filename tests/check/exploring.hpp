// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the tests of the checker share: one scenario, explored to the end.

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "checker/explorer.hpp"
#include "checker/report.hpp"

namespace phutex::checker {

/// How GoogleTest names a parameter.
inline void PrintTo(const Check& check, std::ostream* out) {
  *out << check.name();
}

/// A scenario of a test's own; the engine it is given is the first configuration's.
template <class S>
Check check_of(const Card& card = {.name = "here", .which = Which::one}) {
  Registry registry;
  registry.add<S>(card, engine_kinds().front());
  return registry.checks().front();
}

inline Exploration explore_all(const Check& check, const Model& model) {
  Explorer explorer;
  const auto strategy = exhaustive(check.card.bounds);
  return explorer.explore(check, model, *strategy);
}

template <class S>
Exploration explore_all(Mode mode, const Bounds& bounds = {.preemptions = 3}) {
  return explore_all(check_of<S>({.name = "here", .which = Which::one, .bounds = bounds}),
                     Model{.mode = mode});
}

/// Why some run fails; empty if none does.
inline std::string failure_of(const Exploration& exploration) {
  return exploration.counterexample ? exploration.counterexample->what : "";
}

/// The steps of a failing run, as small as it goes, and how to see them again.
inline std::string told(const Check& check, const Model& model, const Exploration& exploration) {
  if (!exploration.counterexample) return "";
  Explorer explorer;
  const Counterexample smallest =
      minimise(explorer, check, model, *exploration.counterexample).counterexample;
  const Story story = explorer.replay(check, model, smallest.answers);
  return story_text(story) + replay_command(check, replay_of(model, smallest));
}

}  // namespace phutex::checker
