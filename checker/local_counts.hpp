// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The checker's counts: one on each of two processors, or on each of two stripes of threads.
//
// Restartable, an addition is two steps, reading the word and adding, and starts over if a settle
// came in between; a subtraction is one. Both are plain stores on whatever processor the thread
// finds itself. Striped, they are read-modify-writes, and an addition looks at the word again:
//
//   pin                                    replacement
//   read the word: not draining            word |= draining
//   stripe += 1, fence <-----------------> fence  [PinOrDrain]
//   read the word again: the same?         sum
//   no? stripe -= 1
//
// No more happens-before than IsLocalCounts promises: from subtract to sum, and what the word's
// own order says.

#include <array>
#include <cstdint>

#include "checker/memory.hpp"

namespace phutex::checker {

class LocalCounts {
 public:
  using Where = fibers::Where;

  bool prepare() noexcept { return true; }

  std::uintptr_t add_unless(const Atomic<std::uintptr_t>& word, std::uintptr_t refuse,
                            IsLoadOrder auto order, Where where = Where::here()) noexcept {
    const bool is_restartable = World::current().model().counts == Counts::restartable;
    for (;;) {
      if (is_restartable) choose_processor();
      const std::uint64_t restarts = World::current().restarts();
      const std::uintptr_t found = word.load(order, where);
      if ((found & refuse) != 0) return found;
      const bool is_counted = is_restartable ? add_restartable(restarts, where)
                                             : add_striped(word, found, order, where);
      if (is_counted) return found;
    }
  }

  void subtract(IsStoreOrder auto order, Where where = Where::here()) noexcept {
    if (World::current().model().counts == Counts::striped) {
      change_stripe(~std::uint64_t{0}, access_of(order, where));
      return;
    }
    choose_processor();
    World::current().runtime().step();
    counts_[World::current().processor()].add_here(-1, access_of(order, where));
  }

  void settle(IsAsymmetric auto order, Where where = Where::here()) noexcept {
    if (!is_kept<typename decltype(order)::Named>()) return;
    World& world = World::current();
    world.forbid_under_bucket_lock("settles counts");
    world.runtime().step();
    world.runtime().note({.what = "settle", .order = "PinOrDrain", .where = where});
    if (world.model().counts == Counts::restartable) {
      world.fence_all();
      world.restart_all();
    } else {
      world.full_fence();
    }
  }

  std::int64_t sum(IsLoadOrder auto order, Where where = Where::here()) const noexcept {
    std::uint64_t sum = 0;
    for (const Location& count : counts_) sum += count.load(access_of(order, where));
    if (static_cast<std::int64_t>(sum) < 0) {
      World::current().runtime().fail({"the local counts sum to less than zero"});
    }
    return static_cast<std::int64_t>(sum);
  }

 private:
  // A thread that was moved has passed a full fence on its way.
  static void choose_processor() noexcept {
    World& world = World::current();
    if (world.runtime().thread_count() == 1) return;
    if (world.runtime().choose(fibers::Choice::cpu, 2) == 0) return;
    world.processor() ^= 1U;
    world.runtime().note({.what = "moves to CPU", .value = world.processor()});
    world.full_fence();
  }

  bool add_restartable(std::uint64_t restarts, Where where) noexcept {
    World& world = World::current();
    world.runtime().step();
    if (world.restarts() != restarts) {
      world.runtime().note({.what = "starts over", .where = where});
      return false;
    }
    counts_[world.processor()].add_here(1, {.order = "relaxed", .where = where});
    return true;
  }

  bool add_striped(const Atomic<std::uintptr_t>& word, std::uintptr_t found, IsLoadOrder auto order,
                   Where where) noexcept {
    const Access access{.order = "relaxed", .where = where};
    change_stripe(1, access);
    if (is_kept<edge::PinOrDrain>()) World::current().full_fence();
    if (word.load(order, where) == found) return true;
    change_stripe(~std::uint64_t{0}, access);
    return false;
  }

  void change_stripe(std::uint64_t change, const Access& access) noexcept {
    Location& stripe = counts_[World::current().self() % counts_.size()];
    stripe.modify(stripe.read_to_modify(access) + change, access);
  }

  std::array<Location, 2> counts_{Location{0}, Location{0}};
};

}  // namespace phutex::checker
