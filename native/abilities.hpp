// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What this kernel and this C library can do for us, found out once.

#include <cstddef>

namespace phutex::native {

/// All of it is false or zero until find_abilities() has run, which is the safe assumption.
struct Abilities {
  bool has_membarrier = false;        // private expedited
  bool has_rseq = false;              // restartable sequences, and the membarrier that restarts them
  std::ptrdiff_t rseq_offset = 0;     // of this thread's rseq area, from the thread pointer
  unsigned cpus_possible = 1;         // CPU numbers are below it
  unsigned cpus_online = 1;
};

namespace hidden {
extern constinit Abilities abilities;  // written by find_abilities() only, before any engine is used
}

inline const Abilities& abilities() noexcept { return hidden::abilities; }

/// Asks the kernel, and registers the process for membarrier. Cheap to repeat; a forked child must
/// (its registrations are its own). PHUTEX_NO_RSEQ and PHUTEX_NO_MEMBARRIER in the environment,
/// set to anything but 0, forbid the use of either: for tests.
void find_abilities() noexcept;

}  // namespace phutex::native
