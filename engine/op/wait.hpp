// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// WAIT and WAIT_BITSET: sleep unless the word has changed.
//
// Flow  word -> key -> scheme.lock(key) -> read -> announce, fence, read -> enqueue -> unlock -> park
// See   edge::EnqueueOrValue

#include "engine/scheme/scheme.hpp"
#include "engine/wait/mismatch.hpp"
#include "engine/wait/waiter.hpp"

namespace phutex::op {

/// A thread's parker, for the length of one wait.
template <IsPlatform Platform>
class ParkingPlace {
 public:
  ParkingPlace() noexcept : parker_(Platform::take_parker()) { parker_.prepare(); }
  ParkingPlace(const ParkingPlace&) = delete;
  ParkingPlace& operator=(const ParkingPlace&) = delete;
  ~ParkingPlace() { Platform::return_parker(parker_); }

  Parker<Platform>& parker() noexcept { return parker_; }

 private:
  Parker<Platform>& parker_;
};

// The park is over and nobody has said that the wait is. The queue decides: whoever is not in it
// any more has been taken, and the verdict is on its way.
template <IsPlatform Platform, class Scheme>
Result<void> leave_queue(Scheme& scheme, Waiter<Platform>& waiter, Errno reason) noexcept {
  if (scheme.lock(waiter.key())->leave(waiter)) return reason;
  while (!waiter.parker().is_woken()) (void)waiter.parker().park(Deadline::never());
  return {};
}

/// Somebody who wants to know when it is time to look at the size of the table. Called by a thread
/// that is queued and about to park, with no lock held; may take its time.
struct Watcher {
  void (*look)(void* owner) noexcept = nullptr;
  void* owner = nullptr;
};

// The half of a wait that means to sleep.
template <IsPlatform Platform, class Scheme, IsWord Word>
[[gnu::cold, gnu::noinline]] Result<void> wait_asleep(Scheme& scheme,
                                                      typename Scheme::Locked locked, Key key,
                                                      Word word, typename Word::Value expected,
                                                      Bitset bitset, const Deadline& deadline,
                                                      const Watcher& watcher) noexcept {
  ParkingPlace<Platform> place;
  Waiter<Platform> waiter{key, bitset, place.parker()};
  locked.announce();
  const Result<typename Word::Value> value = word.load();
  if (!value || *value != expected) {
    locked->withdraw();
    return value ? Errno::again : value.error();
  }
  const Look look = locked->enqueue(waiter);
  locked.unlock();  // from here on only the queue keeps us, and it keeps us by the key
  if (look == Look::now && watcher.look != nullptr) watcher.look(watcher.owner);
  switch (waiter.parker().park(deadline)) {
    case Awoken::timed_out: return leave_queue(scheme, waiter, Errno::timed_out);
    case Awoken::interrupted: return leave_queue(scheme, waiter, Errno::interrupted);
    case Awoken::roused: return {};
  }
  return {};
}

/// Sleeps until woken, unless `word` does not hold `expected`. `bitset` is not zero. Blocks;
/// allocates at most once in a thread's life, before any lock. Errors: again (another value),
/// timed_out, interrupted (a signal handler ran), fault, no_memory.
template <IsPlatform Platform, class Mismatch, class Scheme, IsWord Word>
Result<void> wait(Scheme& scheme, Word word, typename Word::Value expected, Bitset bitset,
                  const Deadline& deadline, const Watcher& watcher = {}) noexcept {
  const auto differs = [&] {
    const Result<typename Word::Value> value = word.load();
    return value && *value != expected;  // a fault is for the lock's own reading to report
  };
  if (Mismatch::kLooksFirst && differs()) return Errno::again;
  if (!Platform::has_parker() && !Platform::provide_parker()) [[unlikely]] return Errno::no_memory;
  const Key key{word.identity()};
  auto locked = Mismatch::lock(scheme, key, differs);
  if (!locked) return Errno::again;
  const Result<typename Word::Value> value = word.load();
  if (!value) return value.error();
  if (*value != expected) return Errno::again;
  return wait_asleep<Platform>(scheme, std::move(locked), key, word, expected, bitset, deadline,
                               watcher);
}

}  // namespace phutex::op
