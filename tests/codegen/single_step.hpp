// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How many instructions a piece of code executes, counted one by one with ptrace.
//
// Neither a CPU's counters (virtual machines hide them) nor valgrind (which knows no restartable
// sequences, so it would count the fallback) can tell. A restartable sequence starts over whenever
// it is interrupted, which stepping does after each instruction; so the descriptor that the
// sequence has just announced is taken back before the next step.

#include <optional>

namespace phutex::codegen {

/// In a forked child calls `prepare()`, then `code(argument)` twice, and counts the instructions
/// that the second call executes in user space, call and return included. `rseq_area` is the
/// caller's, or null. Nothing if ptrace is refused.
std::optional<long> count_instructions(void (*prepare)(), void (*code)(void*), void* argument,
                                       const void* rseq_area);

}  // namespace phutex::codegen
