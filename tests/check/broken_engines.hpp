// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Engines with one mistake each: for tests that must notice.

#include <utility>

#include "checker/checked_engine.hpp"
#include "tests/check/broken_schemes.hpp"

namespace phutex::checker::broken {

using Base = CheckedEngineOf<Config<Platform, scheme::Fixed, mismatch::Locked>>;

/// The real engine on a broken scheme.
template <template <class> class Scheme>
using On = CheckedEngineOf<Config<Platform, Scheme, mismatch::Locked>>;

using NeverDrains = On<NeverDrainsScheme>;
using PublishesFirst = On<PublishesFirstScheme>;
using MovesNobody = On<MovesNobodyScheme>;
using TrustsOutdatedTable = On<TrustsOutdatedTableScheme>;
using ReplacesHastily = On<ReplacesHastilyScheme>;

/// A waiter and its parker, for a wait written out.
struct Wait {
  Wait(Key key, Bitset bitset) : waiter(key, bitset, place.parker()) {}

  static void provide_parker() {
    if (!Platform::has_parker()) (void)Platform::provide_parker();
  }

  op::ParkingPlace<Platform> place;
  Waiter<Platform> waiter;
};

/// The value is read without the lock, and not again (unikraft 1763).
struct ComparesOutsideLock : Base {
  using Base::Base;
  Result<void> wait(const Word& word, Word::Value expected, Bitset bitset,
                    const Deadline& deadline) override {
    Wait::provide_parker();
    Wait wait{word.key(), bitset};
    if (*WordReference{word}.load() != expected) return Errno::again;
    {
      auto locked = scheme_.lock(word.key());
      locked.announce();
      locked->enqueue(wait.waiter);
    }
    (void)wait.waiter.parker().park(deadline);
    return {};
  }
};

/// The value is read under the lock, and the waiter queued under the next (nanos 1601).
struct QueuesAfterUnlock : Base {
  using Base::Base;
  Result<void> wait(const Word& word, Word::Value expected, Bitset bitset,
                    const Deadline& deadline) override {
    Wait::provide_parker();
    Wait wait{word.key(), bitset};
    {
      auto locked = scheme_.lock(word.key());
      locked.announce();
      if (*WordReference{word}.load() != expected) return locked->withdraw(), Errno::again;
    }
    scheme_.lock(word.key())->enqueue(wait.waiter);
    (void)wait.waiter.parker().park(deadline);
    return {};
  }
};

/// The waiter counts itself after it has read the value for the last time (brpc 3539).
struct AnnouncesTooLate : Base {
  using Base::Base;
  Result<void> wait(const Word& word, Word::Value expected, Bitset bitset,
                    const Deadline& deadline) override {
    Wait::provide_parker();
    Wait wait{word.key(), bitset};
    {
      auto locked = scheme_.lock(word.key());
      if (*WordReference{word}.load() != expected) return Errno::again;
      locked.announce();
      locked->enqueue(wait.waiter);
    }
    (void)wait.waiter.parker().park(deadline);
    return {};
  }
};

/// A wait that is late says so, though a wake has counted it (asterinas 1587).
struct GivesUpThoughTaken : Base {
  using Base::Base;
  Result<void> wait(const Word& word, Word::Value expected, Bitset bitset,
                    const Deadline& deadline) override {
    Wait::provide_parker();
    Wait wait{word.key(), bitset};
    {
      auto locked = scheme_.lock(word.key());
      locked.announce();
      if (*WordReference{word}.load() != expected) return locked->withdraw(), Errno::again;
      locked->enqueue(wait.waiter);
    }
    if (wait.waiter.parker().park(deadline) == Awoken::roused) return {};
    const bool was_queued = scheme_.lock(word.key())->leave(wait.waiter);
    while (!was_queued && !wait.waiter.parker().is_woken()) {
      (void)wait.waiter.parker().park(Deadline::never());
    }
    return Errno::timed_out;
  }
};

/// The waker reads the waiter once more when it may be gone (Linux b549113738e8).
struct UsesWaiterAfterUnpark : Base {
  using Base::Base;
  int wake(const Word& word, int, Bitset) override {
    auto locked = scheme_.lock_if_waiting(word.key());
    if (!locked) return 0;
    Waiter<Platform>* const first = locked->detach_any();
    locked.unlock();
    if (first == nullptr) return 0;
    first->parker().unpark();
    return first->parker().is_woken() ? 1 : 0;
  }
};

/// Whoever waits in the bucket will do (prosper 663).
struct TakesAnybody : Base {
  using Base::Base;
  int wake(const Word& word, int, Bitset) override {
    auto locked = scheme_.lock_if_waiting(word.key());
    if (!locked) return 0;
    Waiter<Platform>* const first = locked->detach_any();
    locked.unlock();
    if (first == nullptr) return 0;
    first->parker().unpark();
    return 1;
  }
};

/// The waiters are let go before the lock is.
struct UnparksUnderLock : Base {
  using Base::Base;
  int wake(const Word& word, int limit, Bitset bitset) override {
    auto locked = scheme_.lock_if_waiting(word.key());
    if (!locked) return 0;
    WakeList<Platform> list;
    locked->take(word.key(), bitset, limit, list);
    list.unpark_all();
    return list.count();
  }
};

/// The lock is dropped only after the sleep.
struct ParksUnderLock : Base {
  using Base::Base;
  Result<void> wait(const Word& word, Word::Value expected, Bitset bitset,
                    const Deadline& deadline) override {
    Wait::provide_parker();
    Wait wait{word.key(), bitset};
    auto locked = scheme_.lock(word.key());
    locked.announce();
    if (*WordReference{word}.load() != expected) return locked->withdraw(), Errno::again;
    locked->enqueue(wait.waiter);
    (void)wait.waiter.parker().park(deadline);
    return {};
  }
};

/// The parker is asked for when it is sure to be needed. Otherwise the real engine.
struct AllocatesUnderLock : Base {
  using Base::Base;
  Result<void> wait(const Word& word, Word::Value expected, Bitset bitset,
                    const Deadline& deadline) override {
    {
      auto locked = scheme_.lock(word.key());
      Wait::provide_parker();
    }
    return Base::wait(word, expected, bitset, deadline);
  }
};

/// A waker takes the dear fence, and where it costs others most. Otherwise the real engine.
struct FencesHeavilyUnderLock : Base {
  using Base::Base;
  int wake(const Word& word, int limit, Bitset bitset) override {
    {
      auto locked = scheme_.lock(word.key());
      Platform::heavy_fence(asymmetric<edge::PinOrDrain>);
    }
    return Base::wake(word, limit, bitset);
  }
};

/// The counts are settled where nobody can come to the bucket. Otherwise the real engine.
struct SettlesUnderLock : Base {
  using Base::Base;
  int wake(const Word& word, int limit, Bitset bitset) override {
    {
      auto locked = scheme_.lock(word.key());
      counts_.settle(asymmetric<edge::PinOrDrain>);
    }
    return Base::wake(word, limit, bitset);
  }

 private:
  Platform::LocalCounts counts_;
};

}  // namespace phutex::checker::broken
