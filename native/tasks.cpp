// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/tasks.hpp"

#include <new>
#include <pthread.h>

#include "native/platform.hpp"
#include "native/process.hpp"

namespace phutex::native {

namespace hidden {
thread_local constinit Parker<Platform>* idle_parker = nullptr;
}

namespace {

constexpr std::size_t kChunk = 4096;  // bytes of parkers made at a time

PooledParker& pooled(Parker<Platform>& parker) noexcept {
  return reinterpret_cast<PooledParker&>(parker);  // its first member
}

// The top of the pool's stack, and a tag that changes whenever one is taken: so a taker notices
// that the top it read was taken and put back meanwhile (ABA), when what it read as the next one
// may be in use. The tag fills what an address leaves free: 6 low bits and 16 high ones.
class Top {
 public:
  explicit Top(std::uintptr_t raw) noexcept : raw_(raw) {}

  std::uintptr_t raw() const noexcept { return raw_; }
  PooledParker* parker() const noexcept {
    return reinterpret_cast<PooledParker*>(raw_ & kAddress);
  }
  Top with(PooledParker* parker) const noexcept {
    return Top{(raw_ & ~kAddress) | reinterpret_cast<std::uintptr_t>(parker)};
  }
  Top next_tag() const noexcept {
    const std::uintptr_t low = (raw_ + 1) & kLow;
    const std::uintptr_t high = (raw_ & kHigh) + (low == 0 ? kHighStep : 0);
    return Top{high | (raw_ & kAddress) | low};
  }

 private:
  static constexpr std::uintptr_t kLow = 63;
  static constexpr std::uintptr_t kHighStep = std::uintptr_t{1} << 48;
  static constexpr std::uintptr_t kHigh = ~(kHighStep - 1);
  static constexpr std::uintptr_t kAddress = ~(kLow | kHigh);

  std::uintptr_t raw_;
};

// Puts a chain of parkers, from `first` to `last`, into the pool.
void put(PooledParker& first, PooledParker& last) noexcept {
  Atomic<std::uintptr_t>& pool = process().idle_parkers;
  std::uintptr_t raw = pool.load(relaxed<why::Hint>);
  do {
    last.next.store(Top{raw}.parker(), relaxed<why::CountedLater>);
  } while (!pool.compare_exchange(raw, Top{raw}.with(&first).raw(), release<edge::TablePublished>,
                                  relaxed<why::LostRace>));
}

PooledParker* get() noexcept {
  Atomic<std::uintptr_t>& pool = process().idle_parkers;
  std::uintptr_t raw = pool.load(acquire<edge::TablePublished>);
  while (PooledParker* const top = Top{raw}.parker()) {
    const Top rest = Top{raw}.next_tag().with(top->next.load(relaxed<why::LostRace>));
    if (pool.compare_exchange(raw, rest.raw(), acquire<edge::TablePublished>,
                              acquire<edge::TablePublished>)) {
      return top;
    }
  }
  return nullptr;
}

// One parker of a fresh chunk; the others go into the pool.
PooledParker* make_some() noexcept {
  void* const chunk = Memory::allocate(kChunk);
  if (chunk == nullptr) return nullptr;
  constexpr std::size_t kCount = kChunk / sizeof(PooledParker);
  auto* const parkers = static_cast<PooledParker*>(chunk);
  for (std::size_t index = 0; index < kCount; ++index) new (parkers + index) PooledParker;
  for (std::size_t index = 1; index + 1 < kCount; ++index) {
    parkers[index].next.store(parkers + index + 1, relaxed<why::NotShared>);
  }
  put(parkers[1], parkers[kCount - 1]);
  return parkers;
}

void give_back(void*) noexcept {
  if (Parker<Platform>* const parker = hidden::idle_parker) {
    hidden::idle_parker = nullptr;
    put(pooled(*parker), pooled(*parker));
  }
}

// The key's value only has to be set for give_back to be called at the thread's end.
void call_at_thread_end() noexcept {
  static pthread_key_t key;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] { pthread_key_create(&key, give_back); });
  pthread_setspecific(key, &key);
}

}  // namespace

bool Tasks::provide_parker() noexcept {
  PooledParker* parker = get();
  if (parker == nullptr) parker = make_some();
  if (parker == nullptr) return false;
  hidden::idle_parker = &parker->parker;
  call_at_thread_end();
  return true;
}

// A wait in a signal handler that interrupted this wait may have left its own parker here.
void Tasks::return_parker(Parker<Platform>& parker) noexcept {
  if (Parker<Platform>* const other = hidden::idle_parker) put(pooled(*other), pooled(*other));
  hidden::idle_parker = &parker;
}

}  // namespace phutex::native
