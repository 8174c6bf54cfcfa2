// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A count on each CPU, changed by restartable sequences; without them, a count on each stripe of
// threads, changed by read-modify-writes.
//
// A restartable sequence is a few instructions that the kernel makes start over when the thread
// is preempted, migrated or signalled in them, so that its last one, a plain add to memory, is
// atomic towards this CPU. MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ makes all that are under way
// start over: edge::PinOrDrain. See rseq(2) and membarrier(2).
//
// A thread the C library has not registered for rseq (made by a bare clone) uses the stripes even
// where others use the CPUs' counts. On a stripe the thread adds first, then looks again:
//
//   pin                                    replacement
//   read the word: not draining            word |= draining
//   stripe += 1 (a full fence) <---------> fence, or membarrier  [PinOrDrain]
//   read the word again: the same?         sum
//   no? stripe -= 1
//
// A thread's stripe never changes, so each stripe counts at least the pins of its threads, and a
// sum of zero read one after the other still means that all have gone.

#include <cstddef>
#include <cstdint>

#include "native/memory.hpp"
#include "native/restartable.hpp"

namespace phutex::native {

class LocalCounts {
 public:
  LocalCounts() noexcept = default;
  LocalCounts(const LocalCounts&) = delete;
  ~LocalCounts();

  bool prepare() noexcept;

  std::uintptr_t add_unless(const Atomic<std::uintptr_t>& word, std::uintptr_t refuse,
                            IsLoadOrder auto) noexcept {
    std::uintptr_t found;
    switch (restartable_.add_unless(word.address(), refuse, found)) {
      case Restartable::Outcome::added: return found;
      case Restartable::Outcome::refused: return add_unless_refused(word, refuse);
      default: return add_unless_striped(word, refuse);
    }
  }

  void subtract(IsStoreOrder auto) noexcept {
    if (!restartable_.subtract()) [[unlikely]] subtract_striped();
  }

  void settle(IsAsymmetric auto) noexcept { restart_all(); }

  std::int64_t sum(IsLoadOrder auto) const noexcept { return sum_all(); }

 private:
  std::uintptr_t add_unless_refused(const Atomic<std::uintptr_t>& word,
                                    std::uintptr_t refuse) noexcept;
  std::uintptr_t add_unless_striped(const Atomic<std::uintptr_t>& word,
                                    std::uintptr_t refuse) noexcept;
  void subtract_striped() noexcept;
  static void restart_all() noexcept;
  std::int64_t sum_all() const noexcept;

  Atomic<std::uint64_t>& stripe_of_thread() noexcept;

  CountSlot* stripes() const noexcept { return restartable_.slots() + restartable_.count(); }

  Restartable restartable_;  // the CPUs' counts; the stripes are behind them
};

}  // namespace phutex::native
