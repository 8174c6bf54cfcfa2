// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/sections.hpp"

#include <new>
#include <sys/mman.h>

#include "native/platform.hpp"
#include "native/process.hpp"
#include "native/thread_end.hpp"

namespace phutex::native {

namespace {

using Record = SectionRecord<Platform>;
constinit PooledRecord dead{.record = Record{Record::Dead{}}};

}  // namespace

namespace hidden {
thread_local constinit PooledRecord* section_record = &dead;
}

namespace {

// One record of a fresh chunk; the others go into the pool once the chunk can be found.
PooledRecord* make_some() noexcept {
  void* const storage = Memory::allocate(RecordChunk::kSize);
  if (storage == nullptr) return nullptr;
  madvise(storage, RecordChunk::kSize, MADV_WIPEONFORK);  // or see forget_section_record
  auto* const chunk = new (storage) RecordChunk;
  Atomic<RecordChunk*>& last = process().record_chunks;
  RecordChunk* before = last.load(relaxed<why::Hint>);
  do {
    chunk->before = before;
  } while (!last.compare_exchange(before, chunk, acq_rel<edge::TablePublished>,
                                  relaxed<why::LostRace>));
  process().idle_records.put_rest_of(chunk->records, RecordChunk::kCount);
  return chunk->records;
}

}  // namespace

RecordChunk* last_record_chunk() noexcept {
  return process().record_chunks.load(acquire<edge::TablePublished>);
}

SectionRecord<Platform>* Sections::provide_section_record() noexcept {
  wipe_on_fork();
  PooledRecord* record = process().idle_records.take();
  if (record == nullptr) record = make_some();
  if (record == nullptr) return nullptr;
  hidden::section_record = record;
  call_at_thread_end();
  return &record->record;
}

void give_back_section_record() noexcept {
  PooledRecord* const record = hidden::section_record;
  forget_section_record();
  if (record->record.is_live()) process().idle_records.put(*record);
}

void forget_section_record() noexcept { hidden::section_record = &dead; }

}  // namespace phutex::native
