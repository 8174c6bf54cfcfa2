// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a way of keeping a table alive while it is used, and of replacing it, has to offer.
//
// Flow  op/ -> scheme.lock(key) -> Locked (the table stays, the bucket is ours) -> WaitQueue

#include <concepts>
#include <cstddef>

#include "engine/base/key.hpp"
#include "engine/base/result.hpp"
#include "engine/platform/platform.hpp"
#include "engine/scheme/history.hpp"
#include "engine/table/table.hpp"

namespace phutex {

/// Proof that this thread holds a bucket's lock and that the bucket's table stays until it lets
/// go; or of nothing. `Pin` is a scheme's own proof that the table stays.
template <IsPlatform Platform, class Pin>
class [[nodiscard]] SchemeLocked {
 public:
  SchemeLocked() noexcept = default;
  SchemeLocked(Pin&& pin, typename Bucket<Platform>::Locked&& bucket) noexcept
      : pin_(std::move(pin)), bucket_(std::move(bucket)) {}
  SchemeLocked(SchemeLocked&&) noexcept = default;

  explicit operator bool() const noexcept { return static_cast<bool>(bucket_); }
  typename Bucket<Platform>::Locked* operator->() noexcept { return &bucket_; }

  /// Counts the caller as a waiter: Bucket::Locked::announce, after its table has taken note.
  void announce() noexcept {
    pin_.table().note(bucket_);
    bucket_.announce();
  }

  /// Ends both proofs early, the lock first.
  void unlock() noexcept {
    bucket_.unlock();
    pin_.unpin();
  }

 private:
  Pin pin_;  // outlives the lock: destroyed after it
  typename Bucket<Platform>::Locked bucket_;
};

/// What to do about a lock that somebody holds.
enum class Patience : std::uint8_t { waits, none };

/// lock(key): the proof, waiting for the lock if need be.
/// lock_or(key, give_up): the same, but if the lock is busy asks give_up() first, with the table
///   pinned, and returns no proof if that says true.
/// lock_if_waiting(key): after a fence of edge::EnqueueOrValue: no proof if nobody can be asleep on
///   the key, without taking the lock.
/// resize(count): replaces the table; is_bucket_count(count) holds. Waiters stay asleep. Errors:
///   no_memory; busy where the scheme, or a frozen table, cannot be replaced. Allocates, blocks,
///   not for signal handlers; the table is unchanged after an error.
/// freeze(): no resize succeeds any more.
/// with_table(patience, use): calls use(table, history) with the current table, or with one after
///   the other if there are several, while no replacement is under way; the buckets are as busy as
///   ever. Waits for one that is, or returns false. With Patience::none it may be called by a
///   signal handler.
/// Everything but resize and with_table may run in any thread at any time. The first call of a
/// thread's life may allocate what the machine keeps for it.
template <class S, class Platform>
concept IsScheme = IsPlatform<Platform> &&
    std::constructible_from<S, typename Table<Platform>::Owner> &&
    requires(S scheme, Key key, std::size_t count, bool (&give_up)(),
             void (&use)(Table<Platform>&, const ReplacementHistory&)) {
  typename S::Locked;
  { scheme.prepare() } -> std::same_as<bool>;
  { scheme.lock(key) } -> std::same_as<typename S::Locked>;
  { scheme.lock_or(key, give_up) } -> std::same_as<typename S::Locked>;
  { scheme.lock_if_waiting(key) } -> std::same_as<typename S::Locked>;
  { scheme.resize(count) } -> std::same_as<Result<void>>;
  { scheme.freeze() } -> std::same_as<void>;
  { scheme.bucket_count() } -> std::same_as<std::size_t>;
  { scheme.with_table(Patience::waits, use) } -> std::same_as<bool>;
};

}  // namespace phutex
