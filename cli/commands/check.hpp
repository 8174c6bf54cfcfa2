// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// `phutex check`: tries the engine in every interleaving that a scenario allows.

#include <span>

namespace phutex::cli {

/// See `phutex check --help`. Exit status 1 if a counterexample was found.
int run_check(std::span<char*> arguments);

}  // namespace phutex::cli
