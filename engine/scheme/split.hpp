// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Users are in sections; a table is replaced bucket by bucket, and nobody is ever stopped for
// longer than one bucket's waiters take to move.
//
//   user                                   replacement
//   section; read the table word
//   steady: lock the key's bucket          word = moving
//     not moved: the key lives here        wait until all are gone who saw the word steady
//     moved: in the next table             each bucket anybody waits in: lock, move, mark it moved
//   moving: lock the key's bucket          word = the next table, steady
//     not moved: move it, mark it          wait until all are gone who saw the word moving
//     the key lives in the next table      free the old table
//
// Whoever sees the word moving moves the bucket he comes for and queues in the next table, so once
// the others are gone nobody comes to wait in the old one, and what was noted there is all there
// is. A bucket's mark is set under its lock, before anybody leaves, and never taken back. Without a lock, a bucket's state
// of zero means that nobody waits for any of its keys: not here, and as it is not marked, not in
// the next table either (edge::EnqueueOrValue: the mark comes before the fence of whoever waits
// there).
//
// Progress   A thread that stands still in a section holds up the replacement, and no operation.
// See        checker/scenarios/splitting.cpp

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/scheme/resizable.hpp"
#include "engine/scheme/sections.hpp"
#include "engine/table/rehash.hpp"

namespace phutex::scheme {

/// Proof that what was found by the table word stays.
template <IsPlatform Platform>
class [[nodiscard]] SplitPin {
 public:
  SplitPin() noexcept = default;
  SplitPin(Sections<Platform>& sections, typename Sections<Platform>::Token section,
           TableWord<Platform> word) noexcept
      : sections_(&sections), section_(section), word_(word) {}
  SplitPin(SplitPin&& other) noexcept
      : sections_(std::exchange(other.sections_, nullptr)),
        section_(other.section_),
        word_(other.word_) {}
  SplitPin& operator=(SplitPin&&) = delete;
  ~SplitPin() { unpin(); }

  Table<Platform>& table() const noexcept { return word_.table(); }
  Bucket<Platform>& bucket(Key key) const noexcept { return table().bucket_of(key); }
  bool is_moving() const noexcept { return word_.is_draining(); }

  /// From here on stands for the table that the buckets of this one are moved to.
  void go_on() noexcept { word_ = TableWord<Platform>{&table().next()}; }

  void unpin() noexcept {
    if (sections_ != nullptr) std::exchange(sections_, nullptr)->leave(section_);
  }

 private:
  Sections<Platform>* sections_ = nullptr;
  typename Sections<Platform>::Token section_ = nullptr;
  TableWord<Platform> word_{nullptr};
};

template <IsPlatform Platform>
class Split : public Resizable<Platform, Split<Platform>, SplitPin<Platform>> {
 public:
  using Pin = SplitPin<Platform>;
  using Locked = SchemeLocked<Platform, Pin>;

  explicit Split(typename Table<Platform>::Owner table) noexcept : Base(std::move(table)) {}

  bool prepare() noexcept { return true; }

  Pin pin(Key) noexcept {
    const auto section = sections_.enter();
    const std::uintptr_t raw = this->current_.load(acquire<edge::TablePublished>);
    return Pin{sections_, section, TableWord<Platform>::from_raw(raw)};
  }

 private:
  using Base = Resizable<Platform, Split, Pin>;
  using BucketLocked = typename Bucket<Platform>::Locked;
  friend Base;
  friend Lookup<Platform, Split, Pin>;

  [[gnu::always_inline]] Locked admit(Pin&& pin, BucketLocked&& bucket, Key key) noexcept {
    if (bucket.is_moved() || pin.is_moving()) [[unlikely]] {
      bucket.take_over(follow(bucket.hand_over(), pin.table(), key));
      pin.go_on();
    }
    return Locked{std::move(pin), std::move(bucket)};
  }

  // The key lives in the next table, or does so from here on: from one locked bucket to the other.
  [[gnu::cold, gnu::noinline]] static Bucket<Platform>* follow(Bucket<Platform>* from,
                                                               Table<Platform>& table,
                                                               Key key) noexcept {
    BucketLocked bucket;
    bucket.take_over(from);
    move(bucket, table);
    bucket.unlock();
    return table.next().bucket_of(key).lock().hand_over();
  }

  static void move(BucketLocked& bucket, Table<Platform>& table) noexcept {
    if (bucket.is_moved()) return;
    bucket.mark_moved();  // first: at no moment may the state be zero
    move_waiters(bucket, table.next());
  }

  std::uint64_t replace_by(Table<Platform>& next) noexcept {
    Table<Platform>& old = this->current().table();
    old.set_next(next);
    this->publish(this->current().draining());
    sections_.await_all();
    std::uint64_t stop = 0;
    std::uint64_t last = Platform::now_ns();
    old.for_each_noted([&](Bucket<Platform>& bucket) {
      auto locked = bucket.lock();
      move(locked, old);
      const std::uint64_t now = Platform::now_ns();
      stop = std::max(stop, now - last);
      last = now;
    });
    this->publish(TableWord<Platform>{&next});
    sections_.await_all();
    return stop;
  }

  Sections<Platform> sections_;
};

}  // namespace phutex::scheme
