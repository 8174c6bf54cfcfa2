// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The current table of a scheme that can have another one.
//
// Flow   resize -> Derived::replace_by -> the old table is freed
// Locks  replacement_lock_ > buckets. Replacements are one at a time, the last one wins.

#include <utility>

#include "engine/scheme/lookup.hpp"
#include "engine/scheme/table_word.hpp"

namespace phutex {

/// `Derived` offers what Lookup asks for, and replace_by(next): under the replacement lock, makes
/// `next` the current table with everybody in it, and returns when nobody uses the old one: for how
/// many nanoseconds newcomers were stopped at the most.
template <IsPlatform Platform, class Derived, class Pin>
class Resizable : public Lookup<Platform, Derived, Pin> {
 public:
  using TableOwner = typename Table<Platform>::Owner;

  Result<void> resize(std::size_t count) noexcept {
    TableOwner next = Table<Platform>::create(count);
    if (next == nullptr) return Errno::no_memory;
    TableOwner old;  // freed after the lock is dropped
    BucketLockGuard<Platform> replacing{replacement_lock_};
    if (current().is_frozen()) return Errno::busy;
    old = TableOwner{&current().table()};
    const std::uint64_t start = Platform::now_ns();
    const std::uint64_t stop = static_cast<Derived*>(this)->replace_by(*next.release());
    history_.add(Platform::now_ns() - start, stop);
    return {};
  }

  void freeze() noexcept {
    BucketLockGuard<Platform> replacing{replacement_lock_};
    current_.store(current().frozen().raw(), release<edge::TablePublished>);
  }

  std::size_t bucket_count() noexcept {
    return static_cast<Derived*>(this)->pin(Key{}).table().bucket_count();
  }

  template <class Use>
  bool with_table(Patience patience, Use&& use) noexcept {
    if (!replacement_lock_.try_acquire()) {
      if (patience == Patience::none) return false;
      replacement_lock_.acquire();
    }
    use(current().table(), history_);
    replacement_lock_.release();
    return true;
  }

 protected:
  explicit Resizable(TableOwner table) noexcept
      : current_(TableWord<Platform>{table.release()}.raw()) {}
  ~Resizable() { TableOwner{&current().table()}; }

  /// Under the replacement lock.
  TableWord<Platform> current() const noexcept {
    return TableWord<Platform>::from_raw(current_.load(relaxed<why::LockHeld>));
  }
  void publish(TableWord<Platform> word) noexcept {
    current_.store(word.raw(), release<edge::TablePublished>);
  }

  /// For a pin that finds no table to be had.
  void await_replacement() noexcept { BucketLockGuard<Platform>{replacement_lock_}; }

  alignas(64) CurrentTable<Platform> current_;  // see TableWord

 private:
  alignas(64) BucketLock<Platform> replacement_lock_;
  ReplacementHistory history_;  // under replacement_lock_
};

}  // namespace phutex
