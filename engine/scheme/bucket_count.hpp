// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A count of users in each bucket, on the line that its user needs anyway (proposed on the kernel's
// list, never posted as code).
//
// A user adds to a bucket of a table that nothing keeps for him yet: a section does, from the look
// at the table word until the count is made. A replacement marks the table, waits for the sections,
// after which nobody adds any more, and then for each bucket's count in turn to be zero.

#include <cstdint>

#include "engine/scheme/replaceable.hpp"
#include "engine/scheme/sections.hpp"

namespace phutex::scheme {

template <IsPlatform Platform>
class BucketUse {
 public:
  struct Token {
    TableWord<Platform> word{nullptr};
    Bucket<Platform>* counted = nullptr;
    Bucket<Platform>& bucket(Key) const noexcept { return *counted; }
  };

  static constexpr LetsIn kLetsIn = LetsIn::until_marked;

  bool prepare() noexcept { return true; }

  template <class Wait>
  Token pin(const CurrentTable<Platform>& current, Key key, Wait&& wait) noexcept {
    for (;;) {
      const auto section = sections_.enter();
      const auto word = TableWord<Platform>::from_raw(current.load(acquire<edge::TablePublished>));
      const bool is_draining = word.is_draining();
      Bucket<Platform>& bucket = word.table().bucket_of(key);
      if (!is_draining) [[likely]] bucket.users().fetch_add(1, relaxed<why::CountedLater>);
      sections_.leave(section);
      if (!is_draining) [[likely]] return {word, &bucket};
      wait();
    }
  }

  void unpin(Token token) noexcept {
    if (token.counted == nullptr) __builtin_unreachable();  // g++ 12 warns of what cannot be
    token.counted->users().fetch_add(~std::uint32_t{0}, release<edge::PinReleased>);
  }

  void drain(CurrentTable<Platform>& current) noexcept {
    const auto word = TableWord<Platform>::from_raw(current.load(relaxed<why::LockHeld>));
    current.store(word.draining().raw(), release<edge::TablePublished>);
    sections_.await_all();
    for (std::size_t index = 0; index < word.table().bucket_count(); ++index) {
      await_none(word.table().bucket_at(index).users());
    }
  }

  void reopen() noexcept {}

 private:
  using Count = typename Platform::template Atomic<std::uint32_t>;

  static void await_none(const Count& users) noexcept {
    for (unsigned round = 0; users.load(acquire<edge::PinReleased>) != 0; ++round) {
      Platform::back_off(round);
    }
  }

  Sections<Platform> sections_;
};

template <IsPlatform Platform>
using BucketCount = Replaceable<Platform, BucketUse<Platform>>;

}  // namespace phutex::scheme
