// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/tasks.hpp"

#include "native/instance.hpp"
#include "native/platform.hpp"
#include "native/process.hpp"
#include "native/thread_end.hpp"

namespace phutex::native {

namespace hidden {
thread_local constinit Parker<Platform>* idle_parker = nullptr;
}

namespace {

constexpr std::size_t kChunk = 4096;  // bytes of parkers made at a time

PooledParker& pooled(Parker<Platform>& parker) noexcept {
  return reinterpret_cast<PooledParker&>(parker);  // its first member
}

PooledParker* make_some() noexcept {
  void* const chunk = Memory::allocate(kChunk);
  return chunk == nullptr ? nullptr : make_chunk(process().idle_parkers, chunk, kChunk);
}

}  // namespace

bool Tasks::provide_parker() noexcept {
  PooledParker* parker = process().idle_parkers.take();
  if (parker == nullptr) parker = make_some();
  if (parker == nullptr) return false;
  hidden::idle_parker = &parker->parker;
  call_at_thread_end();
  Instance::first_wait();
  return true;
}

// A wait in a signal handler that interrupted this wait may have left its own parker here.
void Tasks::return_parker(Parker<Platform>& parker) noexcept {
  give_back_parker();
  hidden::idle_parker = &parker;
}

void give_back_parker() noexcept {
  if (Parker<Platform>* const parker = hidden::idle_parker) {
    hidden::idle_parker = nullptr;
    process().idle_parkers.put(pooled(*parker));
  }
}

}  // namespace phutex::native
