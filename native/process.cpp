// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/process.hpp"

#include <pthread.h>
#include <sys/mman.h>

namespace phutex::native {

namespace {

constexpr std::size_t kPage = 65536;  // the largest page size of the machines we know

union alignas(kPage) ProcessPage {
  constexpr ProcessPage() noexcept : process{} {}
  ~ProcessPage() {}
  Process process;
  char storage[kPage];
};

constinit ProcessPage page;

void wipe() noexcept {
  page.process.instance.store(nullptr, relaxed<why::NotShared>);
  page.process.idle_parkers.store(0, relaxed<why::NotShared>);
}

}  // namespace

Process& process() noexcept { return page.process; }

void wipe_on_fork() noexcept {
  if (madvise(&page, kPage, MADV_WIPEONFORK) != 0) pthread_atfork(nullptr, nullptr, wipe);
}

}  // namespace phutex::native
