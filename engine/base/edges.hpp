// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Every promise one thread's accesses make to another's, and every excuse for making none.
//
// An ordering protocol belongs to two places at once, so its story is told here and its accesses
// name it. A line here without a scenario that fails when it is weakened does not pass
// tests/check (Mutants.EveryEdgeIsKilled).

#include <cstddef>
#include <string_view>

#include "engine/base/order.hpp"

namespace phutex::edge {

// A wake-up is never lost
//
//   waiter                                 waker
//   announced += 1                         word = new            (the caller's store)
//   fence  [EnqueueOrValue] <------------> fence  [EnqueueOrValue]
//   read word                              read announced
//   old?  enqueue, park                    0?  return, nobody sleeps here
//   new?  withdraw, again                  >0? lock, take, unpark
//
// Both reading the old value is the one forbidden outcome, and the fences forbid it.
struct EnqueueOrValue : Promise<"a waker sees the waiter, or the waiter sees the new value"> {};

struct BucketHandover
    : Promise<"a lock's next holder sees what it guards as the last holder left it"> {};

// Nobody sleeps on a lock that is free
//
//   one who wants the lock                 holder
//   sleepers += 1                          lock = free
//   heavy fence [SleeperOrFree] <--------> light fence [SleeperOrFree]
//   sleep unless the lock is free          read sleepers: > 0? wake one
//
// The holder comes by on every operation and pays nothing; who goes to sleep anyway pays for both.
struct SleeperOrFree : Promise<"an unlocker sees the sleeper, or the sleeper sees the lock free"> {
};

// A waiter that learns it was woken may return, and its stack goes with it: the waker has read
// all it needs before it says so, and touches only the type-stable parker afterwards.
struct Woken : Promise<"whoever sees itself woken sees its waker done with the waiter"> {};

struct TablePublished : Promise<"whoever sees a table sees its buckets initialised and filled"> {};

// No table is replaced under somebody who counted himself in
//
//   pin (one restartable sequence)         replacement
//   read the table word: not draining      table word |= draining
//   count += 1 on this CPU  <------------> restart every sequence that has begun [PinOrDrain]
//                                          wait until the counts sum to zero
//
// A sequence that read the word before it was marked either has committed, so that the sum sees
// it, or starts over and sees the mark.
struct PinOrDrain : Promise<"a pin is in the sum, or it sees that the table is draining"> {};

struct PinReleased
    : Promise<"who sees the users of a table gone sees all they did with it, and the reverse"> {};

// No table is freed under a section
//
//   section                                replacement
//   depth += 1, of this thread's record    table word = another
//   light fence [SectionOrGrace] <-------> heavy fence [SectionOrGrace]
//   read the table word                    read every thread's depth: wait while it is not 0
//
// Whoever comes in after the fences reads the other word; whoever came in before is seen inside.
struct SectionOrGrace
    : Promise<"a section is seen by who waits for sections, or it sees the table word changed"> {};

struct SectionLeft : Promise<"who sees a section left sees all that was done in it"> {};

template <class... E>
struct List {
  static constexpr std::size_t count = sizeof...(E);
  static constexpr std::string_view promises[] = {E::promise...};
};

using All = List<EnqueueOrValue, BucketHandover, SleeperOrFree, Woken, TablePublished, PinOrDrain,
                 PinReleased, SectionOrGrace, SectionLeft>;

inline constexpr std::string_view kNames[] = {
    "EnqueueOrValue", "BucketHandover", "SleeperOrFree",  "Woken",      "TablePublished",
    "PinOrDrain",     "PinReleased",    "SectionOrGrace", "SectionLeft"};
static_assert(sizeof(kNames) / sizeof(kNames[0]) == All::count);

/// The place of E in All, from 0.
template <class E, class... Es>
consteval std::size_t index_in(List<Es...>) {
  std::size_t index = 0;
  bool is_found = false;
  ((is_found = is_found || std::same_as<E, Es>, index += is_found ? 0 : 1), ...);
  return index;
}

template <class E>
inline constexpr std::size_t index_of = index_in<E>(All{});

}  // namespace phutex::edge

namespace phutex::why {

struct LockHeld : Excuse<"whoever writes it holds the lock that orders the accesses"> {};
struct Fenced : Excuse<"the fence beside it carries the order"> {};
struct Hint : Excuse<"a stale value costs time, never correctness"> {};
struct LostRace : Excuse<"a failed exchange learns nothing; the loop reloads"> {};
struct OwnRecord : Excuse<"only the thread itself, and its signal handlers, write its record"> {};
struct UsersGone : Excuse<"it is read when all who wrote it are known to be gone"> {};
struct AllInOneWord : Excuse<"what is said is all in that word, and changed in one step"> {};
struct NotShared : Excuse<"no other thread can reach it yet, or any more"> {};
struct CountedLater : Excuse<"a later access to the same count, named, carries the order"> {};
struct UserWord : Excuse<"the caller's word is the caller's to order; the fences here are enough"> {
};

}  // namespace phutex::why
