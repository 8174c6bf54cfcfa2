// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How a table is replaced by another as a whole, whatever way its users are counted.
//
// Flow       resize -> drain (users gone) -> rehash -> publish -> the old table is freed
// Invariant  [I5] At any moment all pins are on one table: the next one is published when nobody
//            uses the old one any more.
//            [I6] The old table is reachable for nobody when it is freed: a pin is taken on the
//            table that is current at the moment that counts it.
// Progress   Operations that come between the last old user and the publication wait for it; a
//            scheme that cannot count while it drains makes them wait from the start.

#include <cstdint>
#include <utility>

#include "engine/scheme/resizable.hpp"
#include "engine/table/rehash.hpp"

namespace phutex {

/// While a table drains: does a newcomer get in until the last old user has left, or not any more?
enum class LetsIn : std::uint8_t { until_closed, until_marked };

/// Token: what one user has to give back. It has the `word` of the table he is counted on, and the
///   key's bucket(key) there.
/// pin(current, key, wait): counts the caller in. If the table is past counting, calls wait() and
///   tries again.
/// drain(current): marks the table as draining if the scheme needs that, and returns when every
///   user is gone and none can come. Called by one thread at a time.
/// reopen(): a new table is current; it may be counted on. By the same thread.
/// kLetsIn: until when newcomers are let in.
template <class U, class Platform>
concept IsUseCount = requires(U use, CurrentTable<Platform>& current, Key key, void (&wait)(),
                              typename U::Token token) {
  { U::kLetsIn } -> std::convertible_to<LetsIn>;
  { token.word } -> std::convertible_to<TableWord<Platform>>;
  { token.bucket(key) } -> std::same_as<Bucket<Platform>&>;
  { use.prepare() } -> std::same_as<bool>;
  { use.pin(current, key, wait) } -> std::same_as<typename U::Token>;
  { use.unpin(token) } -> std::same_as<void>;
  { use.drain(current) } -> std::same_as<void>;
  { use.reopen() } -> std::same_as<void>;
};

/// A token of a scheme that counts users of the table, not of a bucket.
template <IsPlatform Platform>
struct TableToken {
  TableWord<Platform> word{nullptr};
  Bucket<Platform>& bucket(Key key) const noexcept { return word.table().bucket_of(key); }
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
  Bucket<Platform>& bucket(Key key) const noexcept { return token_.bucket(key); }

  void unpin() noexcept {
    if (use_ != nullptr) std::exchange(use_, nullptr)->unpin(token_);
  }

 private:
  UseCount* use_ = nullptr;
  typename UseCount::Token token_{};
};

template <IsPlatform Platform, class UseCount>
class Replaceable : public Resizable<Platform, Replaceable<Platform, UseCount>,
                                     CountedPin<Platform, UseCount>> {
 public:
  using Pin = CountedPin<Platform, UseCount>;

  explicit Replaceable(typename Table<Platform>::Owner table) noexcept
      : Base(std::move(table)) {}

  /// Makes what the use count needs; false if there is no memory. Once, before any other call.
  bool prepare() noexcept { return use_.prepare(); }

  Pin pin(Key key) noexcept {
    const auto until_published = [this] { this->await_replacement(); };
    return Pin{use_, use_.pin(this->current_, key, until_published)};
  }

 private:
  using Base = Resizable<Platform, Replaceable, Pin>;
  friend Base;
  friend Lookup<Platform, Replaceable, Pin>;

  std::uint64_t replace_by(Table<Platform>& next) noexcept {
    const std::uint64_t marked = Platform::now_ns();
    use_.drain(this->current_);
    const std::uint64_t closed = Platform::now_ns();
    rehash(this->current().table(), next);
    this->publish(TableWord<Platform>{&next});
    use_.reopen();
    return Platform::now_ns() - (UseCount::kLetsIn == LetsIn::until_closed ? closed : marked);
  }

  UseCount use_;
};

}  // namespace phutex
