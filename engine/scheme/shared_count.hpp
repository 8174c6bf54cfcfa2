// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One atomic count for all users of a table, beside the pointer to it (6.16-rc).
//
// Two read-modify-writes an operation on a line that every CPU wants: right, and ruinous as soon
// as two CPUs are at it. Kept because it is what others are measured against.

#include <cstdint>

#include "engine/scheme/replaceable.hpp"

namespace phutex::scheme {

//  count_        meaning                                         left by
//  >= 1          in use: 1 for being current, 1 for each user    drain: takes the 1 for current
//  0             current no more, nobody here                    drain: to closed
//  < 0 (closed)  a replacement is under way                      reopen: back to 1
//
// While closed, newcomers add 1, see what they did and take it back: so the count is moved by
// differences, never overwritten.
template <IsPlatform Platform>
class SharedUse {
 public:
  using Token = TableToken<Platform>;

  static constexpr LetsIn kLetsIn = LetsIn::until_closed;

  bool prepare() noexcept { return true; }

  template <class Wait>
  Token pin(const CurrentTable<Platform>& current, Key, Wait&& wait) noexcept {
    const Token last{word_of(current)};
    if (last.word.is_frozen()) return last;
    while (is_closed(count_.fetch_add(1, acq_rel<edge::PinReleased>))) [[unlikely]] {
      count_.fetch_add(kMinusOne, relaxed<why::CountedLater>);
      wait();
    }
    return {word_of(current)};
  }

  void unpin(Token token) noexcept {
    if (!token.word.is_frozen()) count_.fetch_add(kMinusOne, release<edge::PinReleased>);
  }

  void drain(CurrentTable<Platform>&) noexcept {
    count_.fetch_add(kMinusOne, relaxed<why::CountedLater>);
    for (unsigned round = 0; !try_close(); ++round) Platform::back_off(round);
  }

  void reopen() noexcept { count_.fetch_add(1 - kClosed, release<edge::PinReleased>); }

 private:
  static constexpr std::uint32_t kMinusOne = ~std::uint32_t{0};
  static constexpr std::uint32_t kClosed = std::uint32_t{1} << 31;

  static TableWord<Platform> word_of(const CurrentTable<Platform>& current) noexcept {
    return TableWord<Platform>::from_raw(current.load(acquire<edge::TablePublished>));
  }
  static bool is_closed(std::uint32_t count) noexcept { return count >= kClosed; }

  bool try_close() noexcept {
    std::uint32_t expected = 0;
    return count_.compare_exchange(expected, kClosed, acquire<edge::PinReleased>,
                                   relaxed<why::LostRace>);
  }

  typename Platform::template Atomic<std::uint32_t> count_{1};  // table above
};

template <IsPlatform Platform>
using SharedCount = Replaceable<Platform, SharedUse<Platform>>;

}  // namespace phutex::scheme
