// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One thread's wait on one word, on that thread's stack for as long as the wait lasts.
//
// Flow   op/wait.hpp makes it -> WaitQueue -> WakeList -> Parker::unpark lets it go
// Locks  All links belong to the lock of the bucket that the key leads to, and to nobody else's,
//        until the waiter is taken; from then on to the waker that took it.

#include <cstdint>

#include "engine/base/key.hpp"
#include "engine/platform/platform.hpp"

namespace phutex {

template <IsPlatform Platform>
class WaitQueue;
template <IsPlatform Platform>
class WakeList;

template <IsPlatform Platform>
class Waiter {
 public:
  Waiter(Key waiter_key, Bitset waiter_bitset, Parker<Platform>& waiter_parker) noexcept
      : key_(waiter_key), bitset_(waiter_bitset), parker_(&waiter_parker) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  Key key() const noexcept { return key_; }
  Parker<Platform>& parker() const noexcept { return *parker_.read(); }

 private:
  friend class WaitQueue<Platform>;
  friend class WakeList<Platform>;
  template <class T>
  using Plain = typename Platform::template Plain<T>;

  const Key key_;
  const Bitset bitset_;
  Plain<Parker<Platform>*> parker_;

  Plain<bool> is_queued_{false};
  Plain<Waiter*> next_{nullptr};      // behind this one on the same key; then the wake list's link
  Plain<Waiter*> previous_{nullptr};  // before this one on the same key; null for its first

  // Of the first waiter of a key only: the queue of that key, and its place among the others.
  Plain<Waiter*> last_{nullptr};
  Plain<std::uint32_t> length_{0};
  Plain<Waiter*> next_key_{nullptr};
  Plain<Waiter*> previous_key_{nullptr};
};

}  // namespace phutex
