// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Everything the engine asks of the machine it runs on: porting starts here.
//
// See  tests/compile/archetype.hpp, which offers exactly this and nothing more

#include "engine/platform/local_counts.hpp"
#include "engine/platform/memory.hpp"
#include "engine/platform/sections.hpp"
#include "engine/platform/sleeping.hpp"
#include "engine/platform/tasks.hpp"

namespace phutex {

template <class P>
concept IsPlatform = IsMemory<P> && IsSleeping<P> && IsLocalCounts<P> && IsSections<P> && IsTasks<P>;

}  // namespace phutex
