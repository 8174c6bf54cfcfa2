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

/// A thread's record. Sections may be nested, as by signal handlers.
template <class Platform>
class SectionRecord {
 public:
  /// By the record's thread. What it reads afterwards stays until it leaves.
  void enter() noexcept {
    depth_.store(depth() + 1, relaxed<why::Fenced>);
    Platform::light_fence(asymmetric<edge::SectionOrGrace>);
  }
  void leave() noexcept { depth_.store(depth() - 1, release<edge::SectionLeft>); }

  /// By anybody.
  bool is_inside() const noexcept { return depth_.load(acquire<edge::SectionLeft>) != 0; }

 private:
  std::uint32_t depth() const noexcept { return depth_.load(relaxed<why::OwnRecord>); }

  typename Platform::template Atomic<std::uint32_t> depth_{0};  // written by its thread only
};

/// section_record: this thread's record, or null if there is no memory for one. The same record
///   from the first call to the thread's end. Allocates at most once in a thread's life, with no
///   lock held.
/// for_each_section_record(visit): calls visit(record) for every record that a thread may be
///   inside of; those of threads that began later may be missing, as may those of threads that
///   have ended.
template <class P>
concept IsSections = requires(void (&visit)(const SectionRecord<P>&)) {
  { P::section_record() } -> std::same_as<SectionRecord<P>*>;
  { P::for_each_section_record(visit) } -> std::same_as<void>;
};

}  // namespace phutex
