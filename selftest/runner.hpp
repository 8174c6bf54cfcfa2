// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Runs checks on machines, each in a process of its own, and prints what they found.
//
// Flow       run_checks -> run_apart -> Check::run -> Findings -> Ktap
// Invariant  [I1] this process has one thread and never uses what it checks, so that every check
//            begins as a program does.

#include <chrono>
#include <span>

#include "selftest/check.hpp"
#include "selftest/ktap.hpp"
#include "selftest/machine.hpp"

namespace phutex::selftest {

struct Session {
  std::vector<const Machine*> machines;
  std::vector<const Check*> checks;
  std::chrono::milliseconds limit;  // for one check
};

/// One nested list of results for each machine. Blocks until all checks have ended.
Totals run_checks(const Session& session, const Ktap::Sink& sink);

}  // namespace phutex::selftest
