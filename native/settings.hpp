// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the environment asks of the library.
//
// A library must not end its process: of a value that means nothing it says so, in one line on
// stderr once in a process's life, and goes on as if the variable were not set. Before the C
// library is initialised, when only a program's own .preinit_array runs, there is no environment to
// see.

#include "engine/table/sizing.hpp"

namespace phutex::native {

/// PHUTEX_SIZING, the name of one of sizing::kRules. The first of them if it is not set.
const sizing::Rule& asked_sizing() noexcept;

/// PHUTEX_PRCTL, `6.16` or `6.17`, as phutex_prctl_hash_as wants it. 6.17 if it is not set.
int asked_prctl() noexcept;

/// PHUTEX_SNAPSHOT, which may be `SIGUSR2`: the preload library is to answer that signal.
bool asks_for_snapshots() noexcept;

}  // namespace phutex::native
