// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The checking machine, whole.

#include "checker/local_counts.hpp"
#include "checker/memory.hpp"
#include "checker/word.hpp"
#include "fibers/platform.hpp"

namespace phutex::checker {

struct CountedMemory : Memory {
  using LocalCounts = checker::LocalCounts;
};

using Platform = fibers::Platform<CountedMemory>;
static_assert(IsPlatform<Platform>);

}  // namespace phutex::checker
