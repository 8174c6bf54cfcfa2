// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Users are in sections; a tombstone on the table stops newcomers while it is replaced (proposed on
// the kernel's list with SRCU).
//
// Nothing is counted for a table, so a user costs two stores. From the tombstone on, every newcomer
// waits until the next table is published: longer than with counts, which let him in until the
// last old user has left.

#include "engine/scheme/replaceable.hpp"
#include "engine/scheme/sections.hpp"

namespace phutex::scheme {

template <IsPlatform Platform>
class SectionUse {
 public:
  struct Token : TableToken<Platform> {
    typename Sections<Platform>::Token section = nullptr;
  };

  static constexpr LetsIn kLetsIn = LetsIn::until_marked;

  bool prepare() noexcept { return true; }

  template <class Wait>
  Token pin(const CurrentTable<Platform>& current, Key, Wait&& wait) noexcept {
    for (;;) {
      const auto section = sections_.enter();
      const auto word = TableWord<Platform>::from_raw(current.load(acquire<edge::TablePublished>));
      if (!word.is_draining()) [[likely]] return Token{{word}, section};
      sections_.leave(section);
      wait();
    }
  }

  void unpin(Token token) noexcept { sections_.leave(token.section); }

  void drain(CurrentTable<Platform>& current) noexcept {
    const auto word = TableWord<Platform>::from_raw(current.load(relaxed<why::LockHeld>));
    current.store(word.draining().raw(), release<edge::TablePublished>);
    sections_.await_all();
  }

  void reopen() noexcept {}

 private:
  Sections<Platform> sections_;
};

template <IsPlatform Platform>
using Tombstone = Replaceable<Platform, SectionUse<Platform>>;

}  // namespace phutex::scheme
