// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a machine offers to count without sharing: one counter a CPU, of which only the sum means
// anything.

#include <concepts>
#include <cstdint>

#include "engine/base/edges.hpp"
#include "engine/base/order.hpp"

namespace phutex {

/// add_unless: in one step that either happens whole or not at all on one CPU: reads `word`, and
///   unless it shares a bit with `refuse`, adds 1 to this CPU's count. Returns the word it read.
/// subtract: takes 1 from the count of whatever CPU this is.
/// settle: after it, no add_unless that read the word earlier still adds, and every count made is
///   visible to the caller; and one that starts later reads what the caller had stored before. May
///   cost microseconds. Called with no bucket lock held.
/// sum: the sum of the counts, read one after the other. While only subtractions go on, a sum of
///   zero means that there is nothing left to subtract.
/// prepare: makes the counts; false if there is no memory. Called once, before any other thread.
template <class P>
concept IsLocalCounts = requires(typename P::LocalCounts counts,
                                 const typename P::template Atomic<std::uintptr_t>& word,
                                 std::uintptr_t refuse) {
  { counts.prepare() } -> std::same_as<bool>;
  { counts.add_unless(word, refuse, acquire<edge::TablePublished>) } -> std::same_as<std::uintptr_t>;
  { counts.subtract(release<edge::PinReleased>) } -> std::same_as<void>;
  { counts.settle(asymmetric<edge::PinOrDrain>) } -> std::same_as<void>;
  { counts.sum(acquire<edge::PinReleased>) } -> std::same_as<std::int64_t>;
};

}  // namespace phutex
