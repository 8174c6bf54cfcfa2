// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The last few stores to one word, and which threads know of them: for Mode::history.
//
// They are in one order, the same for all threads, which need not be the order in which they came:
// a store may be put before those that its thread does not know of. A load may return any store but
// those that are outdated for its thread: a store is outdated if the thread knows of a later one,
// by having seen it or through whoever has. That is coherence as C++ has it; it is all that a
// weakly ordered machine promises about a single word.

#include <algorithm>
#include <array>
#include <cstdint>

#include "checker/vector_clock.hpp"

namespace phutex::checker {

struct Stored {
  std::uint64_t value = 0;
  VectorClock message{};     // what an acquire load of it learns
  bool is_exchange = false;  // nothing may come between it and the store it found
  VectorClock seen{};        // each thread's time when it first knew of this store or a later one
};

class Past {
 public:
  static constexpr unsigned kLength = 4;  // older stores are forgotten: nobody reads them any more

  /// A store by the thread at that moment, before that many of the youngest.
  void add(const Stored& stored, unsigned before, Moment moment) noexcept {
    if (count_ == kLength) {
      std::move(stores_.begin() + 1, stores_.end(), stores_.begin());
      --count_;
    }
    const auto place = stores_.begin() + (count_ - before);
    std::move_backward(place, stores_.begin() + count_, stores_.begin() + count_ + 1);
    *place = stored;
    ++count_;
    see(before, moment);
  }

  /// How many of the youngest a thread may return that knows as much as one of these.
  unsigned readable_count(const VectorClock& now, const VectorClock& visible) const noexcept {
    unsigned readable = 1;
    while (readable < count_ && !is_known(youngest(readable - 1), now, visible)) ++readable;
    return readable;
  }

  /// The store that many before the youngest.
  const Stored& youngest(unsigned before) const noexcept { return stores_[count_ - 1 - before]; }

  /// The thread knows of that store, and so of all earlier ones.
  void see(unsigned before, Moment moment) noexcept {
    for (unsigned index = 0; index < count_ - before; ++index) {
      VectorClock& seen = stores_[index].seen;
      if (seen.of(moment.thread) == 0) seen.set(moment.thread, moment.time);
    }
  }

 private:
  static bool is_known(const Stored& stored, const VectorClock& now,
                       const VectorClock& visible) noexcept {
    for (unsigned thread = 0; thread < fibers::kThreadsMax; ++thread) {
      const Time time = stored.seen.of(thread);
      if (time != 0 && (now.of(thread) >= time || visible.of(thread) >= time)) return true;
    }
    return false;
  }

  std::array<Stored, kLength> stores_{};  // oldest first
  unsigned count_ = 0;
};

}  // namespace phutex::checker
