// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a machine offers a thread to be found by: a parker of its own.

#include <concepts>

#include "engine/platform/parker.hpp"

namespace phutex {

/// A thread that is about to wait holds one parker for that wait. Parkers are type-stable: their
/// storage is never given back for another use, so a late rouse can only hit another parker,
/// whose sleeper looks at its word again.
///
/// has_parker: is one at hand for this thread? provide_parker: makes sure of it, may allocate,
///   false if there is no memory. Both are called before a lock is taken.
/// take_parker / return_parker: this thread's parker, for one wait. A wait inside a signal handler
///   that interrupted a wait gets another one. Neither allocates once provide_parker said true.
template <class P>
concept IsTasks = requires(Parker<P>& parker) {
  { P::has_parker() } -> std::same_as<bool>;
  { P::provide_parker() } -> std::same_as<bool>;
  { P::take_parker() } -> std::same_as<Parker<P>&>;
  { P::return_parker(parker) } -> std::same_as<void>;
};

}  // namespace phutex
