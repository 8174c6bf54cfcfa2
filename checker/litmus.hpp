// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The usual small programs about memory, and exactly what each mode lets them do.
//
// What the checker says of the engine is worth what its memory is worth: a mode that allows less
// than the machine misses failures, one that allows more invents them. So nothing is claimed in a
// mode unless every program here has, in that mode, the outcomes it must have and no others.
//
// Flow  program -> every run -> outcomes -> the same as allowed? -> litmus_failure: ""

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "checker/model.hpp"

namespace phutex::checker {

/// A program is threads, "|" between them, and what is looked at when all is over behind "||":
///
///   x=1  x=1.release       a store; `w` to `z` are 0 at first
///   x    x.acquire         a load
///   x<-1.release           an exchange, also .acquire and .acq_rel
///   fence light heavy      a full fence, and the two sides of an asymmetric one
///
/// An outcome is what the loads and exchanges found, in the order in which they are written, and
/// what was looked at when all was over: one digit each.
struct Litmus {
  std::string_view name;
  std::string_view program;
  std::string_view sc;            // the outcomes in Mode::sc
  std::string_view tso = "";      // those in Mode::tso beside them
  std::string_view history = "";  // those in Mode::history beside both
};

std::span<const Litmus> litmus_suite();

/// Of all runs within bounds that are wide enough for these programs.
std::set<std::string> outcomes_of(const Litmus& litmus, Mode mode);

/// What a program does that it must not, or does not that it may, in a sentence; empty if nothing.
std::string litmus_failure(const Litmus& litmus, Mode mode);

/// The first such sentence of all programs.
std::string litmus_failure(Mode mode);

}  // namespace phutex::checker
