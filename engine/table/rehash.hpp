// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Moving every waiter from a table nobody uses any more to one nobody uses yet.
//
// Waiters do not notice: a sleeping waiter holds nothing of the table, and one that gives up finds
// its bucket by its key. A key's queue moves as a whole, so its order is kept.
//
// Locks  One bucket of each table at a time, old before new. No other thread can want either; the
//        locks are the proofs that the bucket's own interface asks for.

#include "engine/table/table.hpp"

namespace phutex {

template <IsPlatform Platform>
void rehash(Table<Platform>& from, Table<Platform>& to) noexcept {
  for (std::size_t index = 0; index < from.bucket_count(); ++index) {
    Bucket<Platform>& old_bucket = from.bucket_at(index);
    if (!old_bucket.maybe_waiting()) continue;
    auto old_locked = old_bucket.lock();
    while (Waiter<Platform>* const first = old_locked.detach_any()) {
      to.bucket_of(first->key()).lock().attach(*first);
    }
  }
}

}  // namespace phutex
