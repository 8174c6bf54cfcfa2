// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Whether one thread is inside a section: while it is, nothing is freed that it may have seen.
//
// Flow  P::section_record() -> enter -> leave; who frees: a heavy fence, then is_inside() of all
// See   edge::SectionOrGrace; engine/scheme/sections.hpp

#include <concepts>
#include <cstdint>

#include "engine/base/edges.hpp"
#include "engine/platform/memory.hpp"

namespace phutex {

//  depth_        meaning                                left by
//  kLive         its thread is in no section            its thread: to kLive + 1
//  kLive + n     in n of them, each inside the others   its thread: one up, one down
//  from 0, or    dead: nobody looks at it. It began as   its thread, which leaves a section that it
//  from 2 kLive  0, or was set to 0 under its thread    entered before: from 0 to below 0
//
/// A thread's record. Sections may be nested, as by signal handlers.
template <class Platform>
class SectionRecord {
 public:
  struct Dead {};

  SectionRecord() noexcept = default;
  explicit constexpr SectionRecord(Dead) noexcept : depth_{0} {}

  /// By the record's thread: false if the record is dead. What the thread reads afterwards stays
  /// until it leaves.
  bool enter() noexcept {
    const std::uint32_t depth = depth_.load(relaxed<why::OwnRecord>);
    if (!is_live(depth)) [[unlikely]] return false;
    depth_.store(depth + 1, relaxed<why::Fenced>);
    Platform::light_fence(asymmetric<edge::SectionOrGrace>);
    return true;
  }
  void leave() noexcept {
    depth_.store(depth_.load(relaxed<why::OwnRecord>) - 1, release<edge::SectionLeft>);
  }

  /// By its thread, in no section.
  bool is_live() const noexcept { return is_live(depth_.load(relaxed<why::OwnRecord>)); }

  /// By anybody.
  bool is_inside() const noexcept { return depth_.load(acquire<edge::SectionLeft>) > kLive; }

 private:
  static constexpr std::uint32_t kLive = std::uint32_t{1} << 16;
  static constexpr bool is_live(std::uint32_t depth) noexcept { return depth - kLive < kLive; }

  typename Platform::template Atomic<std::uint32_t> depth_{kLive};  // written by its thread only
};

/// section_record: this thread's record, which may be dead. provide_section_record: makes sure that
///   it is not; null if there is no memory. The same record from then on to the thread's end.
///   Allocates at most once in a thread's life, with no lock held.
/// for_each_section_record(visit): calls visit(record) for every record that a thread may be
///   inside of; those of threads that began later may be missing, as may those of threads that
///   have ended.
template <class P>
concept IsSections = requires(void (&visit)(const SectionRecord<P>&)) {
  { P::section_record() } -> std::same_as<SectionRecord<P>*>;
  { P::provide_section_record() } -> std::same_as<SectionRecord<P>*>;
  { P::for_each_section_record(visit) } -> std::same_as<void>;
};

}  // namespace phutex
