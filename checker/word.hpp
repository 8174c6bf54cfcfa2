// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A futex word of a checked program.
//
// Its identity stands for the order of making, so that keys, and with them buckets, are
// the same in every run: on two buckets, the first word and the third collide.

#include <cstdint>

#include "checker/memory.hpp"
#include "engine/base/key.hpp"
#include "engine/platform/memory.hpp"

namespace phutex::checker {

class Word {
 public:
  using Where = fibers::Where;
  using Value = std::uint32_t;

  explicit Word(Value value) noexcept
      : location_(value), identity_(World::current().next_identity()) {}

  /// As a program would: a plain store, which may be seen late, that releases.
  void store(Value value, Where where = Where::here()) noexcept {
    location_.store(value, {.releases = true, .order = "program", .where = where});
  }
  Value load(Where where = Where::here()) const noexcept {
    return static_cast<Value>(
        location_.load({.acquires = true, .order = "program", .where = where}));
  }
  Value exchange(Value value, Where where = Where::here()) noexcept {
    const Access access{.acquires = true, .releases = true, .order = "program", .where = where};
    const auto found = static_cast<Value>(location_.read_to_modify(access));
    location_.modify(value, access);
    return found;
  }
  bool exchange_if(Value expected, Value value, Where where = Where::here()) noexcept {
    const Access access{.acquires = true, .releases = true, .order = "program", .where = where};
    const bool is_equal = location_.read_to_modify(access) == expected;
    if (is_equal) location_.modify(value, access);
    if (!is_equal) location_.learn(access);
    return is_equal;
  }

  Key key() const noexcept { return Key{identity_}; }

 private:
  friend class WordReference;

  Location location_;
  const std::uintptr_t identity_;
};

/// How the engine sees it.
class WordReference {
 public:
  using Value = Word::Value;

  explicit WordReference(const Word& word) noexcept : word_(&word) {}

  Result<Value> load(fibers::Where where = fibers::Where::here()) const noexcept {
    return static_cast<Value>(word_->location_.load({.order = "relaxed", .where = where}));
  }
  std::uintptr_t identity() const noexcept { return word_->identity_; }

 private:
  const Word* word_;
};

static_assert(IsWord<WordReference>);

}  // namespace phutex::checker
