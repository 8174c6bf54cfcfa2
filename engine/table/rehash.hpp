// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Moving waiters to another table.
//
// Waiters do not notice: a sleeping waiter holds nothing of the table, and one that gives up finds
// its bucket by its key. A key's queue moves as a whole, so its order is kept.
//
// Locks  One bucket of each table at a time, old before new.

#include "engine/table/table.hpp"

namespace phutex {

/// Everybody who waits in one bucket. None of their keys is in `to` yet.
template <IsPlatform Platform>
void move_waiters(typename Bucket<Platform>::Locked& from, Table<Platform>& to) noexcept {
  while (Waiter<Platform>* const first = from.detach_any()) {
    auto locked = to.bucket_of(first->key()).lock();
    to.note(locked);
    locked.attach(*first);
  }
}

/// Everybody who waits in a table that nobody uses any more, to one that nobody uses yet. The
/// locks are the proofs that the buckets' own interface asks for; no other thread can want them.
template <IsPlatform Platform>
void rehash(Table<Platform>& from, Table<Platform>& to) noexcept {
  from.for_each_noted([&to](Bucket<Platform>& bucket) {
    if (!bucket.maybe_waiting()) return;
    auto locked = bucket.lock();
    move_waiters(locked, to);
  });
}

}  // namespace phutex
