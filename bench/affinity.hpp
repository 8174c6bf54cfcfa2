// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which CPUs this process may run on, and tying a thread to one of them.
//
// Invariant  [I1] a mask is as long as its highest CPU needs, whatever the C library's cpu_set_t
//            holds: machines have more than 1024 CPUs, and CPUs are numbered with gaps.

#include <cstddef>
#include <span>
#include <vector>

namespace phutex::bench {

/// One bit for each CPU, in the kernel's layout.
using CpuMask = std::vector<unsigned long>;

/// The mask with one CPU in it [I1].
CpuMask mask_of(unsigned cpu);

/// The CPUs in a mask, ascending.
std::vector<unsigned> cpus_in(std::span<const unsigned long> mask);

/// The CPU of worker `index`: they take turns. `cpus` is not empty.
unsigned cpu_of_worker(std::span<const unsigned> cpus, std::size_t index);

/// The CPUs that are both online and allowed to the calling thread, ascending; at least one.
std::vector<unsigned> allowed_cpus();

/// Ties the calling thread to one CPU. 0, or an errno: EINVAL if it is not online and allowed.
int pin_this_thread(unsigned cpu);

}  // namespace phutex::bench
