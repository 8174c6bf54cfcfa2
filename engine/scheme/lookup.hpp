// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// From a pinned table to a locked bucket: the same three ways for every scheme.

#include <utility>

#include "engine/scheme/scheme.hpp"

namespace phutex {

/// `Derived` offers `Pin pin()`; a Pin gives its `table()`. All three are part of a fast path and
/// are inlined whatever the compiler thinks of their size.
template <IsPlatform Platform, class Derived, class Pin>
class Lookup {
 public:
  using Locked = SchemeLocked<Platform, Pin>;

  [[nodiscard, gnu::always_inline]] Locked lock(Key key) noexcept {
    Pin pin = derived().pin();
    auto bucket = pin.table().bucket_of(key).lock();
    return Locked{std::move(pin), std::move(bucket)};
  }

  template <class GiveUp>
  [[nodiscard, gnu::always_inline]] Locked lock_or(Key key, GiveUp&& give_up) noexcept {
    Pin pin = derived().pin();
    Bucket<Platform>& bucket = pin.table().bucket_of(key);
    if (auto locked = bucket.try_lock()) return Locked{std::move(pin), std::move(locked)};
    if (give_up()) return Locked{};
    return Locked{std::move(pin), bucket.lock()};
  }

  [[nodiscard, gnu::always_inline]] Locked lock_if_waiting(Key key) noexcept {
    Platform::fence(seq_cst<edge::EnqueueOrValue>);
    Pin pin = derived().pin();
    Bucket<Platform>& bucket = pin.table().bucket_of(key);
    if (!bucket.maybe_waiting()) [[likely]] return Locked{};
    return Locked{std::move(pin), bucket.lock()};
  }

 private:
  Derived& derived() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace phutex
