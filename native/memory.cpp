// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/memory.hpp"

#include <limits.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <unistd.h>

#include "native/kernel.hpp"

namespace phutex::native {

void membarrier() noexcept {
  full_fence();
  if (abilities().has_membarrier) {
    kernel::call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  }
}

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

void* map(std::size_t size, int flags) noexcept {
  void* const storage =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return storage == MAP_FAILED ? nullptr : storage;
}

// So much that it is worth asking for huge pages, which have to begin where one can. A page at a
// time, a table of 65536 buckets is a thousand faults.
void* map_huge(std::size_t size) noexcept {
  auto* const storage = static_cast<char*>(map(size + kHugePage, 0));
  if (storage == nullptr) return nullptr;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t whole = (size + page - 1) / page * page;
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(storage) % kHugePage;
  if (before != 0) munmap(storage, before);
  char* const huge = storage + before;
  munmap(huge + whole, kHugePage - before);
  madvise(huge, whole, MADV_HUGEPAGE);  // where it is refused, small pages do
  return huge;
}

}  // namespace

// Mapped at once where the caller waits for it anyway, not page by page where operations wait.
void* Memory::allocate(std::size_t size) noexcept {
  if (size > INT_MAX) return nullptr;
  return size < kHugePage ? map(size, MAP_POPULATE) : map_huge(size);
}

void Memory::deallocate(void* storage, std::size_t size) noexcept { munmap(storage, size); }

}  // namespace phutex::native
