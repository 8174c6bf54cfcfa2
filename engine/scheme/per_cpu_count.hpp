// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A count of users for each CPU, and one for all while a table drains (6.17, "futex-ref").
//
// Normally a pin adds 1 to this CPU's count and an unpin takes 1 from whatever CPU's it is: no
// line is shared, only the sum means anything. A replacement marks the table word as draining and
// makes every pin that has begun start over (edge::PinOrDrain); from there on the local counts
// only fall, and when they sum to zero the old users are gone. Meanwhile newcomers count
// themselves on late_, which has a bias of 1 until then. Without the bias it stays at zero once
// it is there: newcomers are turned away and wait for the next table.
//
// Counting late users apart, instead of folding the local counts into one as the kernel does,
// leaves nothing for an unpin to ask: a local user subtracts locally, whatever happens meanwhile.
//
// See  checker/scenarios/replacements.cpp for the hazards this must survive

#include <cstdint>

#include "engine/scheme/replaceable.hpp"

namespace phutex::scheme {

template <IsPlatform Platform>
class PerCpuUse {
 public:
  using Token = TableToken<Platform>;

  static constexpr LetsIn kLetsIn = LetsIn::until_closed;

  bool prepare() noexcept { return counts_.prepare(); }

  template <class Wait>
  Token pin(const CurrentTable<Platform>& current, Key, Wait&& wait) noexcept {
    const TableWord<Platform> word = pin_locally(current);
    if (word.is_draining()) [[unlikely]] return pin_late(current, wait);
    return {word};
  }

  void unpin(Token token) noexcept {
    if (token.word.is_draining()) [[unlikely]] {
      late_.fetch_add(kMinusOne, release<edge::PinReleased>);
    } else {
      counts_.subtract(release<edge::PinReleased>);
    }
  }

  void drain(CurrentTable<Platform>& current) noexcept {
    const auto word = TableWord<Platform>::from_raw(current.load(relaxed<why::LockHeld>));
    late_.store(1, release<edge::PinReleased>);
    current.store(word.draining().raw(), release<edge::TablePublished>);
    counts_.settle(asymmetric<edge::PinOrDrain>);
    for (unsigned round = 0; counts_.sum(acquire<edge::PinReleased>) != 0; ++round) {
      Platform::back_off(round);
    }
    late_.fetch_add(kMinusOne, relaxed<why::CountedLater>);
    for (unsigned round = 0; late_.load(acquire<edge::PinReleased>) != 0; ++round) {
      Platform::back_off(round);
    }
  }

  void reopen() noexcept {}

 private:
  static constexpr std::uint32_t kMinusOne = ~std::uint32_t{0};

  TableWord<Platform> pin_locally(const CurrentTable<Platform>& current) noexcept {
    return TableWord<Platform>::from_raw(counts_.add_unless(
        current, TableWord<Platform>::kDraining, acquire<edge::TablePublished>));
  }

  // The token keeps the draining mark, and with it where it is counted. The word is read again
  // under the count: the one that sent us here may be of a table long gone, and late_ of the next.
  template <class Wait>
  [[gnu::cold, gnu::noinline]] Token pin_late(const CurrentTable<Platform>& current,
                                              Wait&& wait) noexcept {
    for (;;) {
      if (add_late()) {
        const auto word = TableWord<Platform>::from_raw(current.load(acquire<edge::TablePublished>));
        if (word.is_draining()) return {word};
        late_.fetch_add(kMinusOne, release<edge::PinReleased>);
      } else {
        wait();
      }
      const TableWord<Platform> word = pin_locally(current);
      if (!word.is_draining()) return {word};
    }
  }

  // Adds 1 unless the count is zero, which is final until the next replacement.
  bool add_late() noexcept {
    std::uint32_t count = late_.load(relaxed<why::Hint>);
    while (count != 0) {
      if (late_.compare_exchange(count, count + 1, acquire<edge::PinReleased>,
                                 relaxed<why::LostRace>)) {
        return true;
      }
    }
    return false;
  }

  typename Platform::LocalCounts counts_;
  typename Platform::template Atomic<std::uint32_t> late_{0};  // users who came while draining,
                                                               // and 1 while local ones are left
};

template <IsPlatform Platform>
using PerCpuCount = Replaceable<Platform, PerCpuUse<Platform>>;

}  // namespace phutex::scheme
