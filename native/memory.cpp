// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/memory.hpp"

#include <limits.h>
#include <linux/membarrier.h>
#include <sys/mman.h>

#include "native/kernel.hpp"

namespace phutex::native {

void membarrier() noexcept {
  full_fence();
  if (abilities().has_membarrier) {
    kernel::call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  }
}

void* Memory::allocate(std::size_t size) noexcept {
  if (size > INT_MAX) return nullptr;
  void* const storage =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return storage == MAP_FAILED ? nullptr : storage;
}

void Memory::deallocate(void* storage, std::size_t size) noexcept { munmap(storage, size); }

}  // namespace phutex::native
