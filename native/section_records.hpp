// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Where the section records are, for who has the whole platform: native/platform.hpp includes it.

#include <cstddef>
#include <cstdint>

#include "native/sections.hpp"

namespace phutex::native {

struct alignas(kPooledAlignment) PooledRecord {
  SectionRecord<Platform> record;  // dead once wiped
  Atomic<PooledRecord*> next{nullptr};
};

/// A page of records behind the link to the chunk made before.
struct RecordChunk {
  static constexpr std::size_t kSize = 4096;
  static constexpr std::size_t kCount = kSize / sizeof(PooledRecord) - 1;

  alignas(kPooledAlignment) RecordChunk* before = nullptr;
  PooledRecord records[kCount];
};
static_assert(sizeof(RecordChunk) == RecordChunk::kSize);

/// The chunk made last; null if there is none.
RecordChunk* last_record_chunk() noexcept;

inline SectionRecord<Platform>* Sections::section_record() noexcept {
  return &hidden::section_record->record;
}

template <class Visit>
void Sections::for_each_section_record(Visit&& visit) noexcept {
  for (RecordChunk* chunk = last_record_chunk(); chunk != nullptr; chunk = chunk->before) {
    for (PooledRecord& each : chunk->records) visit(each.record);
  }
}

}  // namespace phutex::native
