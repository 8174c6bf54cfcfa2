// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// `phutex bench`: measures a workload on the kernel's futexes and on the engine's.

#include <span>

namespace phutex::cli {

/// See `phutex bench --help`.
int run_bench(std::span<char*> arguments);

/// The process that takes one sample; its one argument is what bench wrote for it.
int run_bench_sample(std::span<char*> arguments);

}  // namespace phutex::cli
