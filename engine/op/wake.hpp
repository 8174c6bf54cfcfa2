// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// WAKE and WAKE_BITSET: let sleepers go.
//
// Flow  key -> fence -> announced? no: 0 -> lock -> take -> unlock -> unpark
// See   edge::EnqueueOrValue

#include "engine/scheme/scheme.hpp"
#include "engine/wait/wake_list.hpp"

namespace phutex::op {

/// Wakes up to `limit` waiters of `key` that share a bit with `bitset`, longest-waiting first, and
/// returns how many. `limit` is at least 1, `bitset` not zero. Touches no memory of the caller's;
/// takes no lock if nobody waits; may make a system call for each it wakes. Allocates nothing.
template <IsPlatform Platform, class Scheme>
int wake(Scheme& scheme, Key key, int limit, Bitset bitset) noexcept {
  auto locked = scheme.lock_if_waiting(key);
  if (!locked) [[likely]] return 0;
  WakeList<Platform> list;
  locked->take(key, bitset, limit, list);
  locked.unlock();
  list.unpark_all();
  return list.count();
}

}  // namespace phutex::op
