// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fibers/arena.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace phutex::fibers {

namespace {

constexpr std::size_t kCapacity = std::size_t{64} << 20;  // only what is touched takes memory
constexpr std::size_t kAlignment = 64;

}  // namespace

Arena::Arena() {
  void* const mapping = mmap(nullptr, kCapacity, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc{};
  mapping_ = static_cast<std::byte*>(mapping);
}

Arena::~Arena() {
  munmap(mapping_, kCapacity);
}

void* Arena::allocate(std::size_t size) noexcept {
  const std::size_t whole = (size + kAlignment - 1) / kAlignment * kAlignment;
  if (whole > kCapacity - used_) return nullptr;
  void* const piece = mapping_ + used_;
  used_ += whole;
  return piece;
}

void Arena::clear() noexcept {
  std::memset(mapping_, 0, used_);
  used_ = 0;
}

}  // namespace phutex::fibers
