// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What belongs to this process and not to one it is forked into.
//
// It lives in a page that the kernel wipes in a forked child (MADV_WIPEONFORK), so a child starts
// with all of it zero whatever its parent's threads were in the middle of, however it was forked.

#include <cstddef>
#include <cstdint>

#include "native/memory.hpp"
#include "native/platform.hpp"
#include "native/pool.hpp"

namespace phutex::native {

class Instance;
class GlobalHash;

/// A parker and its link in the pool.
struct alignas(kPooledAlignment) PooledParker {  // a line each: wakers write those of many
  Parker<Platform> parker;
  Atomic<PooledParker*> next{nullptr};  // read by a taker that may have lost the race for it
};

struct Process {
  Atomic<Instance*> instance{nullptr};             // set once, by compare-exchange
  Atomic<GlobalHash*> global_hash{nullptr};        // the same
  Pool<PooledParker> idle_parkers;
  Pool<PooledRecord> idle_records;
  Atomic<RecordChunk*> record_chunks{nullptr};     // a list that only grows; see sections.cpp
};

namespace hidden {

inline constexpr std::size_t kPageMax = 65536;  // the largest page size of the machines we know

union alignas(kPageMax) ProcessPage {
  constexpr ProcessPage() noexcept : process{} {}
  ~ProcessPage() {}
  Process process;
  char storage[kPageMax];
};
[[gnu::visibility("hidden")]] extern constinit ProcessPage process_page;

}  // namespace hidden

/// Zero at program start and in every forked child.
inline Process& process() noexcept { return hidden::process_page.process; }

/// What wiping its chunk does to the calling thread's section record.
void forget_section_record() noexcept;

/// Makes sure that the page is wiped. Before the first use of what is in it.
void wipe_on_fork() noexcept;

}  // namespace phutex::native
