// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One sample on the running kernel's own futexes, by its own system calls.

#include "bench/sample.hpp"

namespace phutex::bench {

/// Gives this process the private hash asked for, then runs the workload. Once in a process,
/// before any thread is made: a kernel's hash that is global once stays so. Throws Failure.
SampleResult run_on_kernel(const SampleSpec& spec);

/// The slots of this process's private hash. 0: it uses the global hash, or this kernel knows no
/// other.
long kernel_slots();

}  // namespace phutex::bench
