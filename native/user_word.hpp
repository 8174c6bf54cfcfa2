// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The caller's word, read or replaced by an instruction that is allowed to fault.
//
// The instruction and where to go on after a fault stand in a table; the handler that
// catch_faults() installs looks there. Without it, a bad address is the program's own crash.
//
// The reading has no order of its own: what it needs is in edge::EnqueueOrValue's fences.

#include <cstdint>
#include <type_traits>

#include "engine/base/result.hpp"

namespace phutex::native {

/// Makes reading a bad word Errno::fault instead of a signal, by handlers for SIGSEGV and SIGBUS
/// that pass on every fault that is not ours to whoever had the signal before. Only the first call
/// does anything. A handler that the program installs later takes them over.
void catch_faults() noexcept;

#define PHUTEX_FAULT_ENTRY                     \
  ".pushsection phutex_faults, \"a?\"\n\t"     \
  ".balign 4\n\t"                              \
  ".long 1b - ., %l[faulted] - .\n\t"          \
  ".popsection\n"
#if defined(__x86_64__)
#define PHUTEX_LOAD(instruction, operand)                                       \
  asm volatile goto("1:\t" instruction " %[word], %" operand "[value]\n" PHUTEX_FAULT_ENTRY \
           : [value] "=r"(value) : [word] "m"(*word_) : "memory" : faulted)
#define PHUTEX_LOAD_1 PHUTEX_LOAD("movzbl", "k")
#define PHUTEX_LOAD_2 PHUTEX_LOAD("movzwl", "k")
#define PHUTEX_LOAD_4 PHUTEX_LOAD("movl", "k")
#define PHUTEX_LOAD_8 PHUTEX_LOAD("movq", "q")
#elif defined(__aarch64__)
#define PHUTEX_LOAD(instruction, operand)                                            \
  asm volatile goto("1:\t" instruction " %" operand "[value], [%[word]]\n" PHUTEX_FAULT_ENTRY \
           : [value] "=r"(value) : [word] "r"(word_) : "memory" : faulted)
#define PHUTEX_LOAD_1 PHUTEX_LOAD("ldrb", "w")
#define PHUTEX_LOAD_2 PHUTEX_LOAD("ldrh", "w")
#define PHUTEX_LOAD_4 PHUTEX_LOAD("ldr", "w")
#define PHUTEX_LOAD_8 PHUTEX_LOAD("ldr", "x")
#endif

template <class T>
class Word {
 public:
  using Value = T;
  static_assert(std::is_unsigned_v<T> && sizeof(T) <= 8);

  explicit Word(const T* word) noexcept : word_(word) {}

  Result<T> load() const noexcept {
    std::uint64_t value;
    if constexpr (sizeof(T) == 1) {
      PHUTEX_LOAD_1;
    } else if constexpr (sizeof(T) == 2) {
      PHUTEX_LOAD_2;
    } else if constexpr (sizeof(T) == 4) {
      PHUTEX_LOAD_4;
    } else {
      PHUTEX_LOAD_8;
    }
    return static_cast<T>(value);
  faulted:
    return Errno::fault;
  }

  std::uintptr_t identity() const noexcept { return reinterpret_cast<std::uintptr_t>(word_); }

 private:
  const T* word_;
};

/// Writes `next` over `expected`; a word that holds anything else stays as it is. Either way gives
/// what was found. Errors: fault, also where the word can only be read.
inline Result<std::uint32_t> replace_if(std::uint32_t* word, std::uint32_t expected,
                                        std::uint32_t next) noexcept {
#if defined(__x86_64__)
  std::uint32_t found;
  asm volatile goto("1:\tlock cmpxchgl %[next], %[word]\n" PHUTEX_FAULT_ENTRY
           : "=a"(found) : "0"(expected), [word] "m"(*word), [next] "r"(next)
           : "memory", "cc" : faulted);
#elif defined(__aarch64__)
  std::uint32_t found;
  std::uint32_t is_lost;
  asm volatile goto("0:\n"
           "1:\tldaxr %w[found], [%[word]]\n" PHUTEX_FAULT_ENTRY
           "cmp %w[found], %w[expected]\n\t"
           "b.ne 2f\n"
           "1:\tstlxr %w[is_lost], %w[next], [%[word]]\n" PHUTEX_FAULT_ENTRY
           "cbnz %w[is_lost], 0b\n"
           "2:\n"
           : [found] "=&r"(found), [is_lost] "=&r"(is_lost)
           : [word] "r"(word), [expected] "r"(expected), [next] "r"(next)
           : "memory", "cc" : faulted);
#endif
  return found;
faulted:
  return Errno::fault;
}

#undef PHUTEX_FAULT_ENTRY
#undef PHUTEX_LOAD
#undef PHUTEX_LOAD_1
#undef PHUTEX_LOAD_2
#undef PHUTEX_LOAD_4
#undef PHUTEX_LOAD_8

}  // namespace phutex::native
