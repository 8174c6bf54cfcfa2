// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Threads that fight for one three-state lock with nothing to do inside it: waits that race with
// wakes on the same word.
//
//  word  meaning                          left by
//  0     free                             locker: to 1, or to 2 if it had to wait before
//  1     held, nobody need be woken       owner: to 0.  Locker that finds it: to 2
//  2     held, somebody may be asleep     owner: to 0, and wakes one
//
// Progress   Whoever slept takes the lock as 2, so each owner wakes the next sleeper: when all
//            have been told to stop, the last sleeper is still woken.

#include <cerrno>
#include <cstdint>

#include "workload/futex.hpp"

namespace phutex::workload {

inline constexpr std::uint32_t kLockFree = 0;
inline constexpr std::uint32_t kLockHeld = 1;
inline constexpr std::uint32_t kLockContended = 2;

template <IsFutex Futex>
void lock(Futex& futex, typename Futex::Word& word, Tally& tally) {
  if (word.compare_exchange(kLockFree, kLockHeld)) return;
  while (word.exchange(kLockContended) != kLockFree) {
    const int error = futex.wait(word, kLockContended);
    if (error != 0 && error != EAGAIN && error != EINTR) [[unlikely]]
      tally.note_unexpected(error);
  }
}

template <IsFutex Futex>
void unlock(Futex& futex, typename Futex::Word& word, Tally& tally) {
  if (word.exchange(kLockFree) != kLockContended) return;
  const int woken = futex.wake(word, 1);
  if (woken < 0) [[unlikely]]
    tally.note_unexpected(-woken);
}

/// Locks and unlocks the word that all workers share, until `stop()`. An operation is one pair.
/// Allocates nothing.
template <IsFutex Futex, class Stop>
Tally wait_wake_worker(Futex& futex, typename Futex::Word& word, const Stop& stop) {
  Tally tally;
  while (!stop()) {
    lock(futex, word, tally);
    unlock(futex, word, tally);
    ++tally.operations;
  }
  return tally;
}

}  // namespace phutex::workload
