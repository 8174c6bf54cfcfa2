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

  /// Ends both proofs early, the lock first.
  void unlock() noexcept {
    bucket_.unlock();
    pin_.unpin();
  }

 private:
  Pin pin_;  // outlives the lock: destroyed after it
  typename Bucket<Platform>::Locked bucket_;
};

/// lock(key): the proof, waiting for the lock if need be.
/// lock_or(key, give_up): the same, but if the lock is busy asks give_up() first, with the table
///   pinned, and returns no proof if that says true.
/// lock_if_waiting(key): after a fence of edge::EnqueueOrValue: no proof if nobody can be asleep on
///   the key, without taking the lock.
/// resize(count): replaces the table; is_bucket_count(count) holds. Waiters stay asleep. Errors:
///   no_memory; busy where the scheme, or a frozen table, cannot be replaced. Allocates, blocks,
///   not for signal handlers; the table is unchanged after an error.
/// freeze(): no resize succeeds any more.
/// Everything but resize may run in any thread at any time and allocates nothing.
template <class S, class Platform>
concept IsScheme = IsPlatform<Platform> &&
    std::constructible_from<S, typename Table<Platform>::Owner> &&
    requires(S scheme, Key key, std::size_t count, bool (&give_up)()) {
  typename S::Locked;
  { scheme.prepare() } -> std::same_as<bool>;
  { scheme.lock(key) } -> std::same_as<typename S::Locked>;
  { scheme.lock_or(key, give_up) } -> std::same_as<typename S::Locked>;
  { scheme.lock_if_waiting(key) } -> std::same_as<typename S::Locked>;
  { scheme.resize(count) } -> std::same_as<Result<void>>;
  { scheme.freeze() } -> std::same_as<void>;
  { scheme.bucket_count() } -> std::same_as<std::size_t>;
};

}  // namespace phutex
