// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The 32 bits that workloads wait on when they run on the real machine, in the layout the kernel
// expects.

#include <atomic>
#include <cstdint>

namespace phutex::bench {

/// Sequentially consistent, which is more than IsFutexWord asks for; on x86-64 it is the same
/// instruction.
class Word {
 public:
  bool compare_exchange(std::uint32_t from, std::uint32_t to) noexcept {
    return value_.compare_exchange_strong(from, to);
  }
  std::uint32_t exchange(std::uint32_t to) noexcept { return value_.exchange(to); }

  /// Where the kernel, or an engine, finds it.
  [[nodiscard]] std::uint32_t* address() noexcept {
    return reinterpret_cast<std::uint32_t*>(&value_);
  }

 private:
  std::atomic<std::uint32_t> value_{0};  // raced on by the workers and by the futex below them
};

static_assert(sizeof(Word) == sizeof(std::uint32_t) &&
              std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace phutex::bench
