// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A thread's section record: borrowed from a pool at its first section, for its life.
//
// All records are in chunks that are never unmapped and that the kernel wipes in a forked child.
// The child's thread then finds its record dead, and borrows one of the child's own: records of
// threads it does not have, some of them inside for ever, hold nothing up.

#include "engine/platform/sections.hpp"
#include "native/memory.hpp"
#include "native/pool.hpp"

namespace phutex::native {

struct Platform;
struct PooledRecord;

namespace hidden {
// Its own thread's record, or one that is dead.
extern thread_local constinit PooledRecord* section_record
    __attribute__((tls_model("initial-exec")));
}

struct Sections {
  static SectionRecord<Platform>* section_record() noexcept;  // section_records.hpp
  static SectionRecord<Platform>* provide_section_record() noexcept;

  template <class Visit>
  static void for_each_section_record(Visit&& visit) noexcept;  // section_records.hpp
};

}  // namespace phutex::native
