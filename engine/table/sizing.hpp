// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How many buckets there should be: the kernel's rule, those proposed for it, and ours, as pure
// functions of what can be seen.
//
// The kernel's rule: four buckets for each thread, threads counted up to the number of CPUs
// online, rounded up to a power of two, at least 16 and at most what the global table has; the
// global table has 256 for each possible CPU. Linux 6.17 and later.
//
// See  engine/control.hpp for who may overrule a rule

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace phutex::sizing {

struct Cpus {
  std::size_t online = 1;    // at least 1
  std::size_t possible = 1;  // at least `online`
};

/// Buckets of the kernel's global table, on one NUMA node.
constexpr std::size_t kernel_global(Cpus cpus) noexcept {
  return std::bit_ceil(std::max<std::size_t>(256 * cpus.possible, 4));
}

/// The same for each of the tables that it has where there are several nodes that may ever be.
constexpr std::size_t kernel_global_of_node(Cpus cpus, std::size_t nodes) noexcept {
  return std::bit_ceil(std::max<std::size_t>(256 * cpus.possible / nodes, 4));
}

/// The fewest buckets of a hash that the kernel sizes.
inline constexpr std::size_t kKernelMin = 16;

/// Four for each of `counted` threads, within the kernel's limits.
constexpr std::size_t four_for_each(std::size_t counted, Cpus cpus) noexcept {
  const std::size_t most = kernel_global(cpus);
  return std::clamp(std::bit_ceil(4 * std::min(counted, most)), kKernelMin, most);
}

/// Buckets the kernel gives a process when it creates a thread beside `threads` others.
constexpr std::size_t kernel_default(std::size_t threads, Cpus cpus) noexcept {
  return four_for_each(std::min(threads, cpus.online), cpus);
}

/// What a rule decides on.
struct Seen {
  std::size_t buckets = 0;   // of the table there is; 0: none
  std::size_t threads = 1;   // there are already: one that is about to be created does not count
  std::size_t waiting = 0;   // addresses that somebody waits on
  std::size_t reserved = 0;  // addresses that must find room without a replacement
  Cpus cpus{};
};

/// May the table be replaced once more when it has the size that is wanted?
enum class Afterwards : std::uint8_t { replaceable, frozen };

struct Wanted {
  std::size_t buckets = 0;  // a power of two from 2; those of Seen, if all is well
  Afterwards afterwards = Afterwards::replaceable;
  friend constexpr bool operator==(const Wanted&, const Wanted&) noexcept = default;
};

// The kernel's rule and its relatives only ever grow.

constexpr Wanted kernel(const Seen& seen) noexcept {
  return {std::max(seen.buckets, kernel_default(seen.threads, seen.cpus))};
}

/// Threads counted up to twice the CPUs, as was proposed by mail.
constexpr Wanted kernel_twice(const Seen& seen) noexcept {
  const std::size_t counted = std::min(seen.threads, 2 * seen.cpus.online);
  return {std::max(seen.buckets, four_for_each(counted, seen.cpus))};
}

/// All threads counted, however few CPUs there are.
constexpr Wanted by_threads(const Seen& seen) noexcept {
  return {std::max(seen.buckets, four_for_each(seen.threads, seen.cpus))};
}

constexpr Wanted frozen_from(std::size_t cap, const Seen& seen) noexcept {
  const Wanted wanted = kernel(seen);
  return {wanted.buckets, wanted.buckets >= cap ? Afterwards::frozen : Afterwards::replaceable};
}

/// The kernel's rule, and no replacement once the cap is reached: as posted, with its fault. The
/// cap is worked out from the threads there are, which are fewer than the CPUs at first, so the
/// first size of all reaches it: 16 buckets for good, at the second thread.
constexpr Wanted freeze_at_cap(const Seen& seen) noexcept {
  return frozen_from(kernel_default(seen.threads, seen.cpus), seen);
}

/// What was meant: the cap is that of a process with as many threads as there are CPUs.
constexpr Wanted freeze_at_cap_corrected(const Seen& seen) noexcept {
  return frozen_from(kernel_default(seen.cpus.online, seen.cpus), seen);
}

// Ours follows the addresses that somebody waits on: what a chain consists of. Neither the number
// of threads nor that of CPUs says how many there are.
//
// A table grows when there are more addresses than buckets, and shrinks when there are eight times
// fewer. Either way it is sized for two to four buckets an address, so the addresses must double
// before it grows again, and halve before it shrinks: no coming and going of a few can make it
// swing.

/// Where it starts: a table of 16 fits into one page with its header, even with buckets of two
/// cache lines. A smaller one would take the same page.
inline constexpr std::size_t kOccupancyMin = 16;
inline constexpr std::size_t kOccupancyMax = std::size_t{1} << 31;

/// Buckets enough for that many addresses never to make a table grow.
constexpr std::size_t room_for(std::size_t addresses) noexcept {
  return std::bit_ceil(std::clamp(addresses, kOccupancyMin, kOccupancyMax));
}

constexpr Wanted occupancy(const Seen& seen) noexcept {
  const std::size_t least = room_for(seen.reserved);
  const std::size_t fitting =
      std::max(least, room_for(2 * std::min(seen.waiting, kOccupancyMax / 2)));
  if (seen.buckets < least || seen.waiting > seen.buckets) return {fitting};
  // Who has reserved must not be replaced, not even by something smaller.
  const bool may_shrink = seen.reserved == 0 && seen.waiting < seen.buckets / 8;
  return {may_shrink ? std::min(seen.buckets, fitting) : seen.buckets};
}

/// A rule under the name by which programs ask for it.
struct Rule {
  std::string_view name;
  Wanted (*wanted)(const Seen&) noexcept;
  /// Buckets beyond which no number of threads makes the rule want more.
  std::size_t (*most_for_threads)(Cpus) noexcept;
  bool looks_at_waiting = false;
};

constexpr std::size_t most_by_cpus(Cpus cpus) noexcept {
  return kernel_default(cpus.online, cpus);
}
constexpr std::size_t most_by_twice_the_cpus(Cpus cpus) noexcept {
  return four_for_each(2 * cpus.online, cpus);
}
constexpr std::size_t no_matter_the_threads(Cpus) noexcept {
  return 0;
}

/// All of them; the first is the one of those who do not ask.
inline constexpr std::array kRules{
    Rule{"kernel", kernel, most_by_cpus},
    Rule{"kernel_twice", kernel_twice, most_by_twice_the_cpus},
    Rule{"by_threads", by_threads, kernel_global},
    Rule{"freeze_at_cap", freeze_at_cap, most_by_cpus},
    Rule{"freeze_at_cap_corrected", freeze_at_cap_corrected, most_by_cpus},
    Rule{"occupancy", occupancy, no_matter_the_threads, true},
};

/// Null if there is none of that name.
constexpr const Rule* rule_named(std::string_view name) noexcept {
  for (const Rule& rule : kRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

}  // namespace phutex::sizing
