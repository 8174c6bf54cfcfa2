// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the checker found, for people: tables, and a counterexample with a column for each thread.

#include <string>
#include <vector>

#include "checker/minimiser.hpp"
#include "checker/mutants.hpp"
#include "checker/replay.hpp"

namespace phutex::checker {

/// The table of explorations, line by line: each as soon as it is known.
std::string exploration_header();
std::string exploration_line(const Check& check, const Model& model,
                             const Exploration& exploration);

/// Which scenario noticed which broken promise.
std::string mutants_table(const std::vector<Kill>& kills);

/// Every promise, and the scenarios known to fail without it.
std::string edges_table(const Registry& registry);

/// The steps of a run, one column a thread, and how it ended.
std::string story_text(const Story& story);

/// By how much a counterexample was made smaller.
std::string minimised_line(const Minimised& minimised);

/// What to type to see a counterexample again.
std::string replay_command(const Check& check, const Replay& replay);
Replay replay_of(const Model& model, const Counterexample& counterexample);

}  // namespace phutex::checker
