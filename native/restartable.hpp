// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The two restartable sequences: "add 1 to this CPU's count unless the word says no", and
// "subtract 1".
//
// Each is one asm statement, laid out as rseq(2) wants it: the thread's rseq area is told which
// instructions the sequence has; if the kernel interrupts between `1:` and `2:` it continues at
// `4:`, which stands behind a signature and starts over. The committing instruction is the last.
// cpu_id is negative in a thread that is not registered, and in the area that stands in where
// there is no rseq; else it is the number of a possible CPU, and each of those has a count.
//
// `asm goto` says volatile although the language makes it so: without the word, GCC up to 12 drops
// one whose outputs nobody reads, and with it the subtraction.
//
// An rseq area points into this code until the next sequence of its thread, so the library that
// holds it must never be unloaded (it is linked with -z nodelete).

#include <cstddef>
#include <cstdint>

#include "native/memory.hpp"

namespace phutex::native {

/// One count, alone on its cache line; the lines are what per-CPU counting is for.
struct alignas(64) CountSlot {
  Atomic<std::uint64_t> value{0};  // wraps: only sums mean anything
};

class Restartable {
 public:
  /// `slots` has one for each of the `count` possible CPUs; `rseq_offset` is where each thread's
  /// rseq area is, from its thread pointer. Before any other call.
  void use(CountSlot* slots, unsigned count, std::ptrdiff_t rseq_offset) noexcept {
    slots_ = slots;
    count_ = count;
    rseq_offset_ = rseq_offset;
  }

  CountSlot* slots() const noexcept { return slots_; }
  unsigned count() const noexcept { return count_; }

  /// unregistered: this thread has no restartable sequences, and nothing was done.
  enum class Outcome : std::uint8_t { added, refused, unregistered };

  /// Reads `*word` into `found`, with acquire order, and adds 1 to this CPU's count; but does
  /// nothing, and leaves `found` undefined, if the word has a bit of `refuse`.
  Outcome add_unless(const std::uintptr_t* word, std::uintptr_t refuse,
                  std::uintptr_t& found) noexcept;

  /// Takes 1 from this CPU's count, with release order. False in an unregistered thread.
  bool subtract() noexcept;

 private:
  CountSlot* slots_ = nullptr;
  std::ptrdiff_t rseq_offset_ = 0;
  unsigned count_ = 0;
};

#if defined(__x86_64__)

// Offsets in struct rseq: cpu_id 4, rseq_cs 8. x86-64 loads acquire and stores release as they are.
#define PHUTEX_RSEQ_BEGIN                        \
  ".pushsection __rseq_cs, \"aw?\"\n\t"           \
  ".balign 32\n"                                 \
  "3:\t.long 0, 0\n\t"                           \
  ".quad 1f, 2f - 1f, 4f\n\t"                    \
  ".popsection\n"                                \
  "0:\tleaq 3b(%%rip), %[scratch]\n\t"           \
  "movq %[scratch], %%fs:8(%[area])\n"           \
  "1:\t"
#define PHUTEX_RSEQ_CPU                          \
  "movl %%fs:4(%[area]), %k[scratch]\n\t"        \
  "testl %k[scratch], %k[scratch]\n\t"           \
  "js %l[unregistered]\n\t"                      \
  "shlq $6, %[scratch]\n\t"
#define PHUTEX_RSEQ_END                          \
  "2:\n\t"                                       \
  ".pushsection .text.phutex_rseq, \"ax?\"\n\t"   \
  ".byte 0x0f, 0xb9, 0x3d\n\t"                   \
  ".long 0x53053053\n"                           \
  "4:\tjmp 0b\n\t"                               \
  ".popsection\n"

inline Restartable::Outcome Restartable::add_unless(const std::uintptr_t* word,
                                                    std::uintptr_t refuse,
                                                    std::uintptr_t& found) noexcept {
  std::uint64_t scratch;
  asm volatile goto(PHUTEX_RSEQ_BEGIN
           "movq %[word], %[found]\n\t"
           "testq %[refuse], %[found]\n\t"
           "jnz %l[refused]\n\t" PHUTEX_RSEQ_CPU
           "addq $1, (%[slots], %[scratch])\n" PHUTEX_RSEQ_END
           : [found] "=&r"(found), [scratch] "=&r"(scratch)
           : [word] "m"(*word), [refuse] "er"(refuse), [slots] "r"(slots_),
             [area] "r"(rseq_offset_)
           : "memory", "cc"
           : refused, unregistered);
  return Outcome::added;
refused:
  return Outcome::refused;
unregistered:
  return Outcome::unregistered;
}

inline bool Restartable::subtract() noexcept {
  std::uint64_t scratch;
  asm volatile goto(PHUTEX_RSEQ_BEGIN PHUTEX_RSEQ_CPU
           "subq $1, (%[slots], %[scratch])\n" PHUTEX_RSEQ_END
           : [scratch] "=&r"(scratch)
           : [slots] "r"(slots_), [area] "r"(rseq_offset_)
           : "memory", "cc"
           : unregistered);
  return true;
unregistered:
  return false;
}

#undef PHUTEX_RSEQ_BEGIN
#undef PHUTEX_RSEQ_CPU
#undef PHUTEX_RSEQ_END

#elif defined(__aarch64__)

// As above. The signature is the kernel's for little-endian aarch64, an instruction that traps.
#define PHUTEX_RSEQ_BEGIN                        \
  ".pushsection __rseq_cs, \"aw?\"\n\t"           \
  ".balign 32\n"                                 \
  "3:\t.long 0, 0\n\t"                           \
  ".quad 1f, 2f - 1f, 4f\n\t"                    \
  ".popsection\n"                                \
  "0:\tadrp %[scratch], 3b\n\t"                  \
  "add %[scratch], %[scratch], :lo12:3b\n\t"     \
  "str %[scratch], [%[area], #8]\n"              \
  "1:\t"
#define PHUTEX_RSEQ_CPU                          \
  "ldr %w[scratch], [%[area], #4]\n\t"           \
  "tbnz %w[scratch], #31, %l[unregistered]\n\t"  \
  "add %[slot], %[slots], %[scratch], lsl #6\n\t" \
  "ldr %[scratch], [%[slot]]\n\t"
#define PHUTEX_RSEQ_END                          \
  "2:\n\t"                                       \
  "b 5f\n\t"                                     \
  ".inst 0xd428bc00\n"                           \
  "4:\tb 0b\n"                                   \
  "5:\n"

inline Restartable::Outcome Restartable::add_unless(const std::uintptr_t* word,
                                                    std::uintptr_t refuse,
                                                    std::uintptr_t& found) noexcept {
  const auto area = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer()) +
                    static_cast<std::uintptr_t>(rseq_offset_);
  std::uint64_t scratch;
  std::uint64_t slot;
  asm volatile goto(PHUTEX_RSEQ_BEGIN
           "ldar %[found], [%[word]]\n\t"
           "tst %[found], %[refuse]\n\t"
           "b.ne %l[refused]\n\t" PHUTEX_RSEQ_CPU
           "add %[scratch], %[scratch], #1\n\t"
           "str %[scratch], [%[slot]]\n" PHUTEX_RSEQ_END
           : [found] "=&r"(found), [scratch] "=&r"(scratch), [slot] "=&r"(slot)
           : [word] "r"(word), [refuse] "r"(refuse), [slots] "r"(slots_),
             [area] "r"(area)
           : "memory", "cc"
           : refused, unregistered);
  return Outcome::added;
refused:
  return Outcome::refused;
unregistered:
  return Outcome::unregistered;
}

inline bool Restartable::subtract() noexcept {
  const auto area = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer()) +
                    static_cast<std::uintptr_t>(rseq_offset_);
  std::uint64_t scratch;
  std::uint64_t slot;
  asm volatile goto(PHUTEX_RSEQ_BEGIN PHUTEX_RSEQ_CPU
           "sub %[scratch], %[scratch], #1\n\t"
           "stlr %[scratch], [%[slot]]\n" PHUTEX_RSEQ_END
           : [scratch] "=&r"(scratch), [slot] "=&r"(slot)
           : [slots] "r"(slots_), [area] "r"(area)
           : "memory", "cc"
           : unregistered);
  return true;
unregistered:
  return false;
}

#undef PHUTEX_RSEQ_BEGIN
#undef PHUTEX_RSEQ_CPU
#undef PHUTEX_RSEQ_END

#endif

}  // namespace phutex::native
