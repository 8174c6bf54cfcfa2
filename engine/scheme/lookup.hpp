// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// From a key to a locked bucket: the same three ways for every scheme.

#include <utility>

#include "engine/scheme/scheme.hpp"

namespace phutex {

/// `Derived` offers `Pin pin(Key)`; a Pin gives the key's `bucket()` and its `table()`. A scheme
/// that moves buckets away under their users also offers admit(). All of it is part of a fast path
/// and is inlined whatever the compiler thinks of its size.
template <IsPlatform Platform, class Derived, class Pin>
class Lookup {
 public:
  using Locked = SchemeLocked<Platform, Pin>;

  [[nodiscard, gnu::always_inline]] Locked lock(Key key) noexcept {
    Pin pin = derived().pin(key);
    auto bucket = pin.bucket(key).lock();
    return derived().admit(std::move(pin), std::move(bucket), key);
  }

  template <class GiveUp>
  [[nodiscard, gnu::always_inline]] Locked lock_or(Key key, GiveUp&& give_up) noexcept {
    Pin pin = derived().pin(key);
    Bucket<Platform>& bucket = pin.bucket(key);
    if (auto locked = bucket.try_lock()) {
      return derived().admit(std::move(pin), std::move(locked), key);
    }
    if (give_up()) return Locked{};
    return derived().admit(std::move(pin), bucket.lock(), key);
  }

  [[nodiscard, gnu::always_inline]] Locked lock_if_waiting(Key key) noexcept {
    Platform::fence(seq_cst<edge::EnqueueOrValue>);
    Pin pin = derived().pin(key);
    Bucket<Platform>& bucket = pin.bucket(key);
    if (!bucket.maybe_waiting()) [[likely]] return Locked{};
    return derived().admit(std::move(pin), bucket.lock(), key);
  }

 protected:
  /// What is locked is where the key lives.
  [[gnu::always_inline]] Locked admit(Pin&& pin, typename Bucket<Platform>::Locked&& bucket,
                                      Key) noexcept {
    return Locked{std::move(pin), std::move(bucket)};
  }

 private:
  Derived& derived() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace phutex
