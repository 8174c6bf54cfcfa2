// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The waits of the workload hash, each of them timed, on a hash that somebody replaces meanwhile.
//
// Invariant  [I1] all of a worker's time belongs to one of its operations: each begins where the
//            one before it ended. So no stop is missed, whatever the worker was doing.
// See        workload/hash.hpp

#include <cerrno>
#include <concepts>
#include <cstdint>
#include <span>

#include "workload/futex.hpp"
#include "workload/hash.hpp"

namespace phutex::workload {

/// Is the hash being replaced, again and again?
enum class Phase { undisturbed, disturbed };
inline constexpr std::size_t kPhaseCount = 2;

/// Futexes whose hash can be given another size while they are used.
///
/// replace(buckets): the hash is now a new one of that many buckets, and whoever slept in the old
///   one sleeps in it. Blocks. 0, or an errno.
/// waiting(word): how many are asleep on `word`. A hint as soon as it is returned.
template <class F>
concept IsResizableFutex = IsFutex<F> && requires(F& futex, typename F::Word& word, long buckets) {
  { futex.replace(buckets) } -> std::same_as<int>;
  { futex.waiting(word) } -> std::same_as<int>;
};

/// Waits on each of its own words in turn, all of them 0, until `stop()`. `phase()` is asked when
/// an operation begins, and `note(phase)` told when it has ended [I1].
/// Allocates nothing. `words` is not empty.
template <IsFutex Futex, class Stop, class PhaseNow, class Note>
Tally resize_worker(Futex& futex, std::span<typename Futex::Word> words, const Stop& stop,
                    PhaseNow&& phase, Note&& note) {
  Tally tally;
  for (;;) {
    for (typename Futex::Word& word : words) {
      if (stop()) return tally;
      const Phase begun_in = phase();
      const int error = futex.wait(word, kNeverTheValue);
      if (error != EAGAIN) [[unlikely]]
        tally.note_unexpected(error);
      ++tally.operations;
      note(begun_in);
    }
  }
}

}  // namespace phutex::workload
