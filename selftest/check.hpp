// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One thing that can be checked of a private hash, and what a machine must have for it to apply.
//
// See  include/phutex/phutex.h for the calls; prctl(2), PR_FUTEX_HASH

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "selftest/findings.hpp"

namespace phutex::selftest {

enum class Needs {
  any_answer,       // PR_FUTEX_HASH is known, with a private hash or without
  no_private_hash,  // it is known, and that is all
  private_hash,
  no_immutable,     // private hashes that all can be replaced: 6.17 and later
  immutable,        // private hashes that can be asked to be for good: 6.16's release candidates
  unused_argument,  // a private hash, and a fifth argument to ignore
};

struct Check {
  std::string_view name;      // what chooses it
  std::string_view sentence;  // what holds if it passes
  Needs needs;
  std::function<void(Findings&)> run;  // in a process of its own, whose only thread calls it
};

/// Each as often as there are machines, in this order.
std::span<const Check> checks();

/// The parts of it: each file's own.
std::vector<Check> checks_of_results();
std::vector<Check> checks_of_threads();
std::vector<Check> checks_of_sleepers();

}  // namespace phutex::selftest
