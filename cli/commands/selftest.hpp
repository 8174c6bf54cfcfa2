// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// `phutex selftest`: checks the private hash of the running kernel and of the engine.

#include <span>

namespace phutex::cli {

/// See `phutex selftest --help`. Exit status 1 if a check failed.
int run_selftest(std::span<char*> arguments);

}  // namespace phutex::cli
