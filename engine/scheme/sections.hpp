// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Sections in which a table stays: entering and leaving are plain stores to the thread's own
// record, and who wants to free a table pays for both sides.
//
// See  edge::SectionOrGrace

#include <cstdint>

#include "engine/platform/platform.hpp"

namespace phutex {

template <IsPlatform Platform>
class Sections {
 public:
  /// Where the caller is counted: its thread's record, or null for the common count.
  using Token = SectionRecord<Platform>*;

  Token enter() noexcept {
    Token const record = Platform::section_record();
    return record->enter() ? record : enter_slow();
  }

  void leave(Token record) noexcept {
    if (record != nullptr) [[likely]] {
      record->leave();
    } else {
      leave_without_record();
    }
  }

  /// Returns when every section has been left that may have seen what was so before the call.
  /// Costs microseconds, and waits for other threads; with no bucket lock held.
  void await_all() noexcept {
    Platform::heavy_fence(asymmetric<edge::SectionOrGrace>);
    Platform::for_each_section_record([](const SectionRecord<Platform>& record) {
      for (unsigned round = 0; record.is_inside(); ++round) Platform::back_off(round);
    });
    for (unsigned round = 0; without_record_.load(acquire<edge::SectionLeft>) != 0; ++round) {
      Platform::back_off(round);
    }
  }

 private:
  [[gnu::cold, gnu::noinline]] Token enter_slow() noexcept {
    Token const record = Platform::provide_section_record();
    if (record != nullptr && record->enter()) return record;
    without_record_.fetch_add(1, relaxed<why::Fenced>);
    Platform::light_fence(asymmetric<edge::SectionOrGrace>);
    return nullptr;
  }

  [[gnu::cold, gnu::noinline]] void leave_without_record() noexcept {
    without_record_.fetch_add(~std::uint32_t{0}, release<edge::SectionLeft>);
  }

  typename Platform::template Atomic<std::uint32_t> without_record_{0};  // inside, with no record
};

}  // namespace phutex
