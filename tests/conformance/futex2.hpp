// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// futex_wait(2) and futex_wake(2) of the two that are asked the same questions.

#include <climits>
#include <cstdint>

#include "native/global_hash.hpp"
#include "tests/conformance/machines.hpp"

namespace phutex::tests {

inline constexpr unsigned kU32 = 2;
inline constexpr unsigned kNode = 4;
inline constexpr unsigned kPolicy = 8;
inline constexpr unsigned kPrivate = 128;
inline constexpr unsigned kPlain = kU32 | kPrivate;
inline constexpr unsigned kNuma = kPlain | kNode;
inline constexpr std::uint32_t kNoNode = 0xffffffff;

/// A word and the one that says its node.
struct alignas(8) Pair {
  Word word{0};
  Word node{0};
};

/// futex_wait(2) and futex_wake(2), with a negative errno for an error.
struct Calls {
  const char* name;
  long (*wait)(void* word, unsigned long value, unsigned long mask, unsigned flags,
               const timespec* timeout, clockid_t clock);
  long (*wake)(void* word, unsigned long mask, int count, unsigned flags);
  /// How many sleep on the pair with those flags, on node 0 if they say one.
  std::size_t (*waiting)(Pair& pair, unsigned flags);
};

inline long kernel_wait(void* word, unsigned long value, unsigned long mask, unsigned flags,
                        const timespec* timeout, clockid_t clock) {
  const long result = syscall(455, word, value, mask, flags, timeout, clock);
  return result == -1 ? -errno : result;
}

inline long kernel_wake(void* word, unsigned long mask, int count, unsigned flags) {
  const long result = syscall(454, word, mask, count, flags);
  return result == -1 ? -errno : result;
}

// futex_requeue(2), from a word to itself.
inline std::size_t kernel_waiting_on(Pair& pair, unsigned flags) {
  struct {
    std::uint64_t value, address;
    std::uint32_t flags, reserved;
  } both[2];
  for (;;) {
    for (auto& each : both) {
      each = {pair.word.load(), reinterpret_cast<std::uintptr_t>(&pair), flags, 0};
    }
    const long moved = syscall(456, both, 0, 0, INT_MAX);
    if (moved >= 0) return static_cast<std::size_t>(moved);
    if (errno != EAGAIN) give_up("the kernel to count its waiters");
  }
}

inline std::size_t engine_waiting_on(Pair& pair, unsigned flags) {
  if ((flags & kNode) == 0) return engine_waiting(pair.word);
  native::GlobalHash* const hash = native::GlobalHash::get_if_used();
  if (hash == nullptr) return 0;
  const Key key{reinterpret_cast<std::uintptr_t>(&pair)};
  std::size_t count = 0;
  hash->on_node(0).lock(key)->queue().for_each_key([&](Key each, std::uint32_t length) {
    if (each == key) count = length;
  });
  return count;
}

inline constexpr Calls kKernelCalls{"kernel", kernel_wait, kernel_wake, kernel_waiting_on};
inline constexpr Calls kEngineCalls{"engine", phutex_futex_wait, phutex_futex_wake,
                                    engine_waiting_on};
inline constexpr const Calls* kBothCalls[] = {&kKernelCalls, &kEngineCalls};

}  // namespace phutex::tests
