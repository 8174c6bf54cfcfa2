// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Ways of replacing a table with one mistake each: for tests that must notice.

#include <utility>

#include "engine/scheme/per_cpu_count.hpp"

namespace phutex::checker::broken {

/// Counts nobody and waits for nobody.
template <IsPlatform Platform>
struct NoUse {
  using Token = TableToken<Platform>;
  static constexpr LetsIn kLetsIn = LetsIn::until_closed;
  bool prepare() noexcept { return true; }
  template <class Wait>
  Token pin(const CurrentTable<Platform>& current, Key, Wait&&) noexcept {
    return {TableWord<Platform>::from_raw(current.load(acquire<edge::TablePublished>))};
  }
  void unpin(Token) noexcept {}
  void drain(CurrentTable<Platform>&) noexcept {}
  void reopen() noexcept {}
};

template <IsPlatform Platform>
using NeverDrainsScheme = Replaceable<Platform, NoUse<Platform>>;

/// As scheme::PerCpuCount, but a late user takes the table it first saw for the one it is counted
/// on: hazard 1, where the count is of the replacement after the next.
template <IsPlatform Platform>
class OutdatedUse {
 public:
  using Token = TableToken<Platform>;

  static constexpr LetsIn kLetsIn = LetsIn::until_closed;
  bool prepare() noexcept { return counts_.prepare(); }

  template <class Wait>
  Token pin(const CurrentTable<Platform>& current, Key, Wait&& wait) noexcept {
    for (;;) {
      const auto word = TableWord<Platform>::from_raw(counts_.add_unless(
          current, TableWord<Platform>::kDraining, acquire<edge::TablePublished>));
      if (!word.is_draining() || add_late()) return {word};
      wait();
    }
  }

  void unpin(Token token) noexcept {
    if (token.word.is_draining()) {
      late_.fetch_add(~std::uint32_t{0}, release<edge::PinReleased>);
    } else {
      counts_.subtract(release<edge::PinReleased>);
    }
  }

  void drain(CurrentTable<Platform>& current) noexcept {
    const auto word = TableWord<Platform>::from_raw(current.load(relaxed<why::LockHeld>));
    late_.store(1, release<edge::PinReleased>);
    current.store(word.draining().raw(), release<edge::TablePublished>);
    counts_.settle(asymmetric<edge::PinOrDrain>);
    while (counts_.sum(acquire<edge::PinReleased>) != 0) Platform::back_off(0);
    late_.fetch_add(~std::uint32_t{0}, relaxed<why::CountedLater>);
    while (late_.load(acquire<edge::PinReleased>) != 0) Platform::back_off(0);
  }

  void reopen() noexcept {}

 private:
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
  typename Platform::template Atomic<std::uint32_t> late_{0};
};

template <IsPlatform Platform>
using TrustsOutdatedTableScheme = Replaceable<Platform, OutdatedUse<Platform>>;

enum class Mistake { publishes_first, moves_nobody, allocates_under_lock };

/// Counts all users in one place, and makes one mistake when it replaces.
template <IsPlatform Platform, Mistake Made>
class Mistaken;

template <IsPlatform Platform, Mistake Made>
class MistakenPin {
 public:
  MistakenPin() noexcept = default;
  MistakenPin(Mistaken<Platform, Made>& scheme, Table<Platform>& table) noexcept
      : scheme_(&scheme), table_(&table) {}
  MistakenPin(MistakenPin&& other) noexcept
      : scheme_(std::exchange(other.scheme_, nullptr)), table_(other.table_) {}
  ~MistakenPin() { unpin(); }

  Table<Platform>& table() const noexcept { return *table_; }
  Bucket<Platform>& bucket(Key key) const noexcept { return table_->bucket_of(key); }
  void unpin() noexcept {
    if (scheme_ != nullptr) std::exchange(scheme_, nullptr)->unpin();
  }

 private:
  Mistaken<Platform, Made>* scheme_ = nullptr;
  Table<Platform>* table_ = nullptr;
};

template <IsPlatform Platform, Mistake Made>
class Mistaken
    : public Resizable<Platform, Mistaken<Platform, Made>, MistakenPin<Platform, Made>> {
 public:
  using Pin = MistakenPin<Platform, Made>;

  explicit Mistaken(typename Table<Platform>::Owner table) noexcept : Base(std::move(table)) {}

  bool prepare() noexcept { return true; }
  Pin pin(Key) noexcept {
    users_.fetch_add(1, acq_rel<edge::PinReleased>);
    const auto raw = this->current_.load(acquire<edge::TablePublished>);
    return {*this, TableWord<Platform>::from_raw(raw).table()};
  }
  void unpin() noexcept { users_.fetch_add(~std::uint32_t{0}, acq_rel<edge::PinReleased>); }

 private:
  using Base = Resizable<Platform, Mistaken, Pin>;
  friend Base;
  friend Lookup<Platform, Mistaken, Pin>;

  std::uint64_t replace_by(Table<Platform>& next) noexcept {
    Table<Platform>& old = this->current().table();
    typename Table<Platform>::Owner spare;
    if (Made == Mistake::allocates_under_lock) spare = Table<Platform>::create(2);
    if (Made == Mistake::moves_nobody) drain();
    if (Made == Mistake::publishes_first) rehash(old, next);
    this->publish(TableWord<Platform>{&next});
    if (Made == Mistake::publishes_first) drain();
    return 0;
  }
  void drain() noexcept {
    while (users_.fetch_add(0, acq_rel<edge::PinReleased>) != 0) Platform::back_off(0);
  }

  typename Platform::template Atomic<std::uint32_t> users_{0};
};

template <IsPlatform Platform>
using PublishesFirstScheme = Mistaken<Platform, Mistake::publishes_first>;
template <IsPlatform Platform>
using MovesNobodyScheme = Mistaken<Platform, Mistake::moves_nobody>;
template <IsPlatform Platform>
using ReplacesHastilyScheme = Mistaken<Platform, Mistake::allocates_under_lock>;

}  // namespace phutex::checker::broken
