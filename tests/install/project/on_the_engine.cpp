// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The engine's headers alone, for whoever brings a machine.

#include <engine/engine.hpp>
#include <engine/table/sizing.hpp>

static_assert(phutex::sizing::kernel_default(2, {2, 2}) == 16);
