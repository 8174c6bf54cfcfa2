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
int wait_on(const T* word, std::uint64_t expected, Bitset bits, const Deadline& deadline) noexcept {
  // A value that the word cannot hold is one that it does not hold.
  if (static_cast<T>(expected) != expected) return negative(Errno::again);
  Instance* const instance = Instance::get();
  if (instance == nullptr) [[unlikely]] return negative(Errno::no_memory);
  return negative(
      instance->engine().wait(Word<T>{word}, static_cast<T>(expected), bits, deadline).error());
}

template <class T>
[[gnu::noinline]] int wait_until(const T* word, std::uint64_t expected, Bitset bits,
                                 const timespec& time, clockid_t clock) noexcept {
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) return negative(Errno::invalid);
  const auto deadline =
      absolute_deadline(time, clock == CLOCK_REALTIME ? Clock::realtime : Clock::monotonic);
  return deadline ? wait_on(word, expected, bits, *deadline) : negative(deadline.error());
}

template <class T>
int wait_checked(const void* address, std::uint64_t expected, Bitset bits, const timespec* time,
         clockid_t clock) noexcept {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) return negative(Errno::invalid);
  if (bits == 0) return negative(Errno::invalid);
  const auto* const word = static_cast<const T*>(address);
  return time == nullptr ? wait_on(word, expected, bits, Deadline::never())
                         : wait_until(word, expected, bits, *time, clock);
}

int set_buckets(std::size_t count, Permanence permanence) noexcept {
  if (count != 0 && !is_bucket_count(count)) return negative(Errno::invalid);
  Instance* const instance = Instance::get();
  return negative(instance == nullptr ? Errno::no_memory
                                      : instance->control().set(count, permanence).error());
}

bool is_final() noexcept {
  Instance* const instance = Instance::get_if_used();
  return instance != nullptr && instance->control().hash().is_final();
}

}  // namespace
}  // namespace phutex::native

using namespace phutex;
using namespace phutex::native;

extern "C" {

int phutex_wait(const void* word, size_t size, uint64_t expected, uint32_t bits,
                const struct timespec* deadline, clockid_t clock) {
  switch (size) {
    case 1: return wait_checked<std::uint8_t>(word, expected, bits, deadline, clock);
    case 2: return wait_checked<std::uint16_t>(word, expected, bits, deadline, clock);
    case 4: return wait_checked<std::uint32_t>(word, expected, bits, deadline, clock);
    case 8: return wait_checked<std::uint64_t>(word, expected, bits, deadline, clock);
    default: return negative(Errno::invalid);
  }
}

int phutex_wake(const void* word, int count, uint32_t bits) {
  if (count < 1 || bits == 0) return negative(Errno::invalid);
  Instance* const instance = Instance::get_if_used();
  if (instance == nullptr) return 0;  // nobody has ever waited
  return instance->engine().wake(Key{reinterpret_cast<std::uintptr_t>(word)}, count, bits);
}

size_t phutex_buckets(void) {
  Instance* const instance = Instance::get_if_used();
  return instance == nullptr ? 0 : instance->control().hash().reported();
}

int phutex_set_buckets(size_t count) {
  return set_buckets(count, Permanence::replaceable);
}

int phutex_reserve(size_t addresses) {
  Instance* const instance = Instance::get();
  return negative(instance == nullptr ? Errno::no_memory
                                      : instance->control().reserve(addresses).error());
}

int phutex_thread_coming(void) {
  Instance* const instance = Instance::get();
  return negative(instance == nullptr ? Errno::no_memory : instance->thread_coming().error());
}

int phutex_prctl_hash(unsigned long operation, unsigned long count, unsigned long flags) {
  return phutex_prctl_hash_as(PHUTEX_PRCTL_6_17, operation, count, flags);
}

int phutex_prctl_hash_as(int dialect, unsigned long operation, unsigned long count,
                         unsigned long flags) {
  constexpr unsigned long kSetSlots = 1;
  constexpr unsigned long kGetSlots = 2;
  constexpr unsigned long kGetImmutable = 3;
  constexpr unsigned long kImmutable = 1;
  if (dialect != PHUTEX_PRCTL_6_16 && dialect != PHUTEX_PRCTL_6_17) return negative(Errno::invalid);
  const bool has_immutable = dialect == PHUTEX_PRCTL_6_16;
  if (operation == kGetSlots) return static_cast<int>(phutex_buckets());
  if (operation == kGetImmutable && has_immutable) return is_final() ? 1 : 0;
  if (operation != kSetSlots) return negative(Errno::invalid);
  if (flags > (has_immutable ? kImmutable : 0)) return negative(Errno::invalid);
  return set_buckets(static_cast<uint32_t>(count),
                     flags == kImmutable ? Permanence::immutable : Permanence::replaceable);
}

}  // extern "C"
