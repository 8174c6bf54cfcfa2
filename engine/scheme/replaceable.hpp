// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How a table is replaced by another, whatever way its users are counted.
//
// Flow       resize -> drain (users gone) -> rehash -> publish -> the old table is freed
// Locks      replacement_lock_ > buckets. Replacements are one at a time, the last one wins.
// Invariant  [I5] At any moment all pins are on one table: the next one is published when nobody
//            uses the old one any more.
//            [I6] The old table is reachable for nobody when it is freed: a pin is taken on the
//            table that is current at the moment that counts it.
// Progress   Operations go on while the old users leave; those that come between the last one
//            and the publication wait for it.

#include <utility>

#include "engine/scheme/lookup.hpp"
#include "engine/scheme/table_word.hpp"
#include "engine/table/rehash.hpp"

namespace phutex {

/// pin(current, wait): counts the caller in and returns the word of the table it is counted on. If
///   the table is past counting, calls wait() and tries again.
/// drain(current): marks the table as draining if the scheme needs that, and returns when every
///   user is gone and none can come. Called by one thread at a time.
/// reopen(): a new table is current; it may be counted on. By the same thread.
template <class U, class Platform>
concept IsUseCount = requires(U use, CurrentTable<Platform>& current, void (&wait)()) {
  typename U::Token;
  { use.prepare() } -> std::same_as<bool>;
  { use.pin(current, wait) } -> std::same_as<typename U::Token>;
  { use.unpin(std::declval<typename U::Token>()) } -> std::same_as<void>;
  { use.drain(current) } -> std::same_as<void>;
  { use.reopen() } -> std::same_as<void>;
};

/// Proof that a table stays: gives its count back when it goes.
template <IsPlatform Platform, class UseCount>
class [[nodiscard]] CountedPin {
 public:
  CountedPin() noexcept = default;
  CountedPin(UseCount& use, typename UseCount::Token token) noexcept : use_(&use), token_(token) {}
  CountedPin(CountedPin&& other) noexcept
      : use_(std::exchange(other.use_, nullptr)), token_(other.token_) {}
  CountedPin& operator=(CountedPin&&) = delete;
  ~CountedPin() { unpin(); }

  Table<Platform>& table() const noexcept { return token_.word.table(); }

  void unpin() noexcept {
    if (use_ != nullptr) std::exchange(use_, nullptr)->unpin(token_);
  }

 private:
  UseCount* use_ = nullptr;
  typename UseCount::Token token_{};
};

template <IsPlatform Platform, class UseCount>
class Replaceable : public Lookup<Platform, Replaceable<Platform, UseCount>,
                                  CountedPin<Platform, UseCount>> {
 public:
  using Pin = CountedPin<Platform, UseCount>;
  using TableOwner = typename Table<Platform>::Owner;

  explicit Replaceable(TableOwner table) noexcept
      : current_(TableWord<Platform>{table.release()}.raw()) {}
  ~Replaceable() { TableOwner{&current().table()}; }

  /// Makes what the use count needs; false if there is no memory. Once, before any other call.
  bool prepare() noexcept { return use_.prepare(); }

  Pin pin() noexcept {
    const auto until_published = [this] { BucketLockGuard<Platform>{replacement_lock_}; };
    const typename UseCount::Token token = use_.pin(current_, until_published);
    return Pin{use_, token};
  }

  Result<void> resize(std::size_t count) noexcept {
    TableOwner next = Table<Platform>::create(count);
    if (next == nullptr) return Errno::no_memory;
    TableOwner old;  // freed after the lock is dropped
    BucketLockGuard<Platform> replacing{replacement_lock_};
    if (current().is_frozen()) return Errno::busy;
    old = replace(std::move(next));
    return {};
  }

  void freeze() noexcept {
    BucketLockGuard<Platform> replacing{replacement_lock_};
    current_.store(current().frozen().raw(), release<edge::TablePublished>);
  }

  std::size_t bucket_count() noexcept { return pin().table().bucket_count(); }

 private:
  static TableWord<Platform> word_of(std::uintptr_t raw) noexcept {
    return TableWord<Platform>::from_raw(raw);
  }
  TableWord<Platform> current() const noexcept {
    return word_of(current_.load(relaxed<why::LockHeld>));
  }

  // Under replacement_lock_. Returns the old table.
  TableOwner replace(TableOwner next) noexcept {
    use_.drain(current_);
    Table<Platform>& old = current().table();
    rehash(old, *next);
    current_.store(TableWord<Platform>{next.release()}.raw(), release<edge::TablePublished>);
    use_.reopen();
    return TableOwner{&old};
  }

  alignas(64) CurrentTable<Platform> current_;  // see TableWord
  UseCount use_;
  alignas(64) BucketLock<Platform> replacement_lock_;
};

}  // namespace phutex
