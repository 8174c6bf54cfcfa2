// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Who waits in a hash at one moment, and how evenly.
//
// Locks  One bucket at a time, and only those in which somebody waits; no replacement meanwhile.
//        So each bucket is as it was at one moment, but not all at the same.

#include <algorithm>
#include <cstdint>

#include "engine/scheme/scheme.hpp"

namespace phutex {

struct Snapshot {
  std::uint64_t buckets = 0;
  std::uint64_t buckets_used = 0;  // those in which anybody waits
  std::uint64_t waiters = 0;
  std::uint64_t addresses = 0;           // that are waited on
  std::uint64_t addresses_chained = 0;   // of these, how many share their bucket with another
  std::uint64_t chain_max = 0;           // addresses in one bucket
  std::uint64_t waiters_per_address_max = 0;
  std::uint64_t buckets_skipped = 0;  // busy, and nobody was to wait for them
  ReplacementHistory replacements;

  void add(const auto& queue) noexcept {
    std::uint64_t chain = 0;
    queue.for_each_key([&](Key, std::uint64_t length) {
      ++chain;
      waiters += length;
      waiters_per_address_max = std::max(waiters_per_address_max, length);
    });
    buckets_used += chain != 0 ? 1 : 0;
    addresses += chain;
    addresses_chained += chain > 1 ? chain : 0;
    chain_max = std::max(chain_max, chain);
  }
};

/// Looks at every bucket. Allocates nothing. Without patience it may be called by a signal handler:
/// it skips busy buckets, and sees nothing at all, 0 buckets, while the table is being replaced.
template <IsPlatform Platform, class Scheme>
Snapshot snapshot_of(Scheme& scheme, Patience patience) noexcept {
  Snapshot snapshot;
  scheme.with_table(patience, [&](Table<Platform>& table, const ReplacementHistory& history) {
    snapshot.buckets += table.bucket_count();
    snapshot.replacements = history;
    for (std::size_t index = 0; index < table.bucket_count(); ++index) {
      Bucket<Platform>& bucket = table.bucket_at(index);
      if (!bucket.maybe_waiting()) continue;
      const auto locked = patience == Patience::none ? bucket.try_lock() : bucket.lock();
      if (locked) {
        snapshot.add(locked.queue());
      } else {
        ++snapshot.buckets_skipped;
      }
    }
  });
  return snapshot;
}

}  // namespace phutex
