// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How many buckets there should be: the kernel's rule, as pure functions.
//
// The rule: four buckets for each thread, threads counted up to the number of CPUs online, rounded
// up to a power of two, at least 16 and at most what the global table has; the global table has
// 256 for each possible CPU. Linux 6.17 and later.

#include <algorithm>
#include <bit>
#include <cstddef>

namespace phutex::sizing {

struct Cpus {
  std::size_t online = 1;    // at least 1
  std::size_t possible = 1;  // at least `online`
};

/// Buckets of the kernel's global table, on one NUMA node.
constexpr std::size_t kernel_global(Cpus cpus) noexcept {
  return std::bit_ceil(std::max<std::size_t>(256 * cpus.possible, 4));
}

/// Buckets the kernel gives a process when it creates a thread beside `threads` others.
constexpr std::size_t kernel_default(std::size_t threads, Cpus cpus) noexcept {
  const std::size_t wanted = std::bit_ceil(4 * std::min(threads, cpus.online));
  return std::clamp<std::size_t>(wanted, 16, kernel_global(cpus));
}

}  // namespace phutex::sizing
