// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The C interface: arguments are checked here, in the kernel's order, and a Result becomes a
// negative errno here and nowhere else.
//
// Flow  futex_call.cpp does the same for futex(2)'s own shape

#include <stdint.h>

#include "native/instance.hpp"
#include "native/timeout.hpp"
#include "phutex/phutex.h"

namespace phutex::native {
namespace {

constexpr int negative(Errno error) noexcept { return -static_cast<int>(error); }

template <class T>
int wait_on(Instance& instance, const void* word, std::uint64_t expected, Bitset bits,
            const Deadline& deadline) noexcept {
  // A value that the word cannot hold is one that it does not hold.
  if (static_cast<T>(expected) != expected) return negative(Errno::again);
  return negative(instance.engine()
                      .wait(Word<T>{static_cast<const T*>(word)}, static_cast<T>(expected), bits,
                            deadline)
                      .error());
}

bool is_aligned(const void* word, std::size_t size) noexcept {
  return reinterpret_cast<std::uintptr_t>(word) % size == 0;
}

int wait(const void* word, std::size_t size, std::uint64_t expected, Bitset bits,
         const Deadline& deadline) noexcept {
  Instance* const instance = Instance::get();
  if (instance == nullptr) return negative(Errno::no_memory);
  switch (size) {
    case 1: return wait_on<std::uint8_t>(*instance, word, expected, bits, deadline);
    case 2: return wait_on<std::uint16_t>(*instance, word, expected, bits, deadline);
    case 4: return wait_on<std::uint32_t>(*instance, word, expected, bits, deadline);
    default: return wait_on<std::uint64_t>(*instance, word, expected, bits, deadline);
  }
}

}  // namespace
}  // namespace phutex::native

using namespace phutex;
using namespace phutex::native;

extern "C" {

int phutex_wait(const void* word, size_t size, uint64_t expected, uint32_t bits,
                const struct timespec* deadline, clockid_t clock) {
  if (size != 1 && size != 2 && size != 4 && size != 8) return negative(Errno::invalid);
  if (!is_aligned(word, size) || bits == 0) return negative(Errno::invalid);
  if (deadline == nullptr) return wait(word, size, expected, bits, Deadline::never());
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) return negative(Errno::invalid);
  const Clock on = clock == CLOCK_REALTIME ? Clock::realtime : Clock::monotonic;
  const auto until = absolute_deadline(*deadline, on);
  return until ? wait(word, size, expected, bits, *until) : negative(until.error());
}

int phutex_wake(const void* word, int count, uint32_t bits) {
  if (count < 1 || bits == 0) return negative(Errno::invalid);
  Instance* const instance = Instance::get_if_used();
  if (instance == nullptr) return 0;  // nobody has ever waited
  return instance->engine().wake(Key{reinterpret_cast<std::uintptr_t>(word)}, count, bits);
}

size_t phutex_buckets(void) {
  Instance* const instance = Instance::get_if_used();
  return instance == nullptr ? 0 : instance->buckets();
}

int phutex_set_buckets(size_t count) {
  Instance* const instance = Instance::get();
  return negative(instance == nullptr ? Errno::no_memory : instance->set_buckets(count).error());
}

int phutex_prctl_hash(unsigned long operation, unsigned long count, unsigned long flags) {
  constexpr unsigned long kSetSlots = 1;
  constexpr unsigned long kGetSlots = 2;
  if (operation == kGetSlots) return static_cast<int>(phutex_buckets());
  if (operation != kSetSlots || flags != 0) return negative(Errno::invalid);
  return phutex_set_buckets(static_cast<uint32_t>(count));
}

}  // extern "C"
