// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What this kernel and this C library can do for us, found out once.

#include <cstddef>

namespace phutex::native {

/// A fact that every thread whose call is the process's first finds out for itself, and writes
/// while others may read: the same value each time, so no order is needed, only no tearing.
template <class T>
class Found {
 public:
  constexpr Found() noexcept = default;
  explicit constexpr Found(T value) noexcept : value_(value) {}
  Found& operator=(T value) noexcept {
    __atomic_store_n(&value_, value, __ATOMIC_RELAXED);
    return *this;
  }
  operator T() const noexcept { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }

 private:
  T value_{};
};

/// All of it is false or zero until find_abilities() has run, which is the safe assumption.
struct Abilities {
  Found<bool> has_membarrier;         // private expedited
  Found<bool> has_rseq;               // restartable sequences, and the membarrier for them
  Found<std::ptrdiff_t> rseq_offset;  // of this thread's rseq area, from the thread pointer
  Found<unsigned> cpu_numbers{0};     // what rseq says of a CPU is below it; 0 if not known
  Found<unsigned> cpus_possible{1};   // CPU numbers are below it
  Found<unsigned> cpus_online{1};
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
