// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// `phutex edges`: every promise that one thread's accesses make to another's.

#include <span>

namespace phutex::cli {

/// Lists the promises and the scenarios that are known to fail without each.
int run_edges(std::span<char*> arguments);

}  // namespace phutex::cli
