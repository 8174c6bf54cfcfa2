// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/process.hpp"

#include <pthread.h>
#include <sys/mman.h>

namespace phutex::native {

namespace hidden {
constinit ProcessPage process_page;
}

namespace {

void wipe() noexcept {
  process().instance.store(nullptr, relaxed<why::NotShared>);
  process().global_hash.store(nullptr, relaxed<why::NotShared>);
  process().idle_parkers.clear();
  process().idle_records.clear();
  process().record_chunks.store(nullptr, relaxed<why::NotShared>);
  forget_section_record();
}

}  // namespace

void wipe_on_fork() noexcept {
  if (madvise(&hidden::process_page, hidden::kPageMax, MADV_WIPEONFORK) != 0) pthread_atfork(nullptr, nullptr, wipe);
}

}  // namespace phutex::native
