// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The process's own engine, and who may say how many buckets it has.
//
// Made at first use, by whoever comes first, before main or in a forked child as well.

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "native/platform.hpp"

namespace phutex::native {

using DefaultConfig = Config<Platform, scheme::PerCpuCount, mismatch::Locked>;
using DefaultEngine = Engine<DefaultConfig>;

class Instance {
 public:
  /// The process's instance; null if there is no memory for one. Allocates on first use; never
  /// waits for another thread.
  static Instance* get() noexcept;

  /// The instance if there is one.
  static Instance* get_if_used() noexcept;

  DefaultEngine& engine() noexcept { return engine_; }

  /// The results of PR_FUTEX_HASH_SET_SLOTS: 0 buckets means "the global table", for good. Errors:
  /// invalid (not 0 or a power of two from 2), busy (global already, or frozen), no_memory.
  /// Blocks until the table is replaced; allocates; not for signal handlers.
  Result<void> set_buckets(std::size_t count) noexcept;

  /// The result of PR_FUTEX_HASH_GET_SLOTS: 0 means the global table.
  std::size_t buckets() noexcept;

 private:
  explicit Instance(Table<Platform>::Owner table) noexcept : engine_(std::move(table)) {}
  static Instance* make() noexcept;
  static void destroy(Instance* instance) noexcept;

  DefaultEngine engine_;
  BucketLock<Platform> control_lock_;     // one set_buckets at a time
  Atomic<std::uint32_t> is_global_{0};    // set once, under control_lock_
};

}  // namespace phutex::native
