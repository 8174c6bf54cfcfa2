// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Waits that cannot sleep, since the value never matches: what finding a bucket costs, its lock
// and the counting of the table's users.
//
// See  perf bench futex hash, which this repeats call for call

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "workload/futex.hpp"

namespace phutex::workload {

inline constexpr std::uint32_t kNeverTheValue = 1234;

/// How many calls a worker makes between two looks at `stop`: enough that looking costs nothing,
/// few enough that the calls made after the end do not count for anything either.
inline constexpr std::size_t kCallsPerLook = 64;

/// Waits on each of its own words in turn, all of them 0, until `stop()`.
/// Allocates nothing. `words` is not empty.
template <IsFutex Futex, class Stop>
Tally hash_worker(Futex& futex, std::span<typename Futex::Word> words, const Stop& stop) {
  Tally tally;
  std::span<typename Futex::Word> rest = words;
  while (!stop()) {
    const auto batch = rest.first(std::min(rest.size(), kCallsPerLook));
    for (typename Futex::Word& word : batch) {
      const int error = futex.wait(word, kNeverTheValue);
      if (error != EAGAIN) [[unlikely]]
        tally.note_unexpected(error);
    }
    tally.operations += batch.size();
    rest = rest.size() == batch.size() ? words : rest.subspan(batch.size());
  }
  return tally;
}

}  // namespace phutex::workload
