// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// When a waiting thread first looks whether its word still holds the expected value.
//
// All of them compare again under the bucket's lock before anyone sleeps: a mismatch seen without
// it is true at some instant of the call, which is all that `again` says.

#include <concepts>

#include "engine/base/key.hpp"

namespace phutex::mismatch {

/// Only under the bucket's lock, as the kernel does.
struct Locked {
  static constexpr bool kLooksFirst = false;
  template <class Scheme, class Differs>
  static auto lock(Scheme& scheme, Key key, Differs&&) noexcept {
    return scheme.lock(key);
  }
};

/// First of all: a wait that would fail anyway touches no bucket.
struct Early {
  static constexpr bool kLooksFirst = true;
  template <class Scheme, class Differs>
  static auto lock(Scheme& scheme, Key key, Differs&&) noexcept {
    return scheme.lock(key);
  }
};

/// Only if the bucket's lock is busy, before waiting for it.
struct TryLock {
  static constexpr bool kLooksFirst = false;
  template <class Scheme, class Differs>
  static auto lock(Scheme& scheme, Key key, Differs&& differs) noexcept {
    return scheme.lock_or(key, differs);
  }
};

}  // namespace phutex::mismatch

namespace phutex {

/// kLooksFirst: is the word compared before anything else is done?
/// lock: the scheme's proof for the key, or no proof after differs() has said true.
template <class M, class Scheme>
concept IsMismatchCheck = requires(Scheme& scheme, Key key, bool (&differs)()) {
  { M::kLooksFirst } -> std::convertible_to<bool>;
  { M::lock(scheme, key, differs) } -> std::same_as<typename Scheme::Locked>;
};

}  // namespace phutex
