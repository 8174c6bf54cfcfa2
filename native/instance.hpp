// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The process's own engine, and who may say how many buckets it has.
//
// Made at first use, by whoever comes first, before main or in a forked child as well.

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "native/platform.hpp"
#include "native/process.hpp"

namespace phutex::native {

using DefaultConfig = Config<Platform, scheme::PerCpuCount, mismatch::Locked>;
using DefaultEngine = Engine<DefaultConfig>;

class Instance {
 public:
  /// The process's instance; null if there is no memory for one. Allocates on first use; never
  /// waits for another thread.
  static Instance* get() noexcept {
    Instance* const current = get_if_used();
    return current != nullptr ? current : get_first();
  }

  /// The instance if there is one.
  static Instance* get_if_used() noexcept {
    return process().instance.load(acquire<edge::TablePublished>);
  }

  DefaultEngine& engine() noexcept { return engine_; }

  /// The results of PR_FUTEX_HASH_SET_SLOTS: 0 buckets means "the global table", for good; other
  /// counts are such that is_bucket_count holds. Errors: busy (global already), no_memory.
  /// Blocks until the table is replaced; allocates; not for signal handlers.
  Result<void> set_buckets(std::size_t count) noexcept;

  /// The result of PR_FUTEX_HASH_GET_SLOTS: 0 means the global table.
  std::size_t buckets() noexcept;

 private:
  explicit Instance(Table<Platform>::Owner table) noexcept : engine_(std::move(table)) {}
  [[gnu::cold]] static Instance* get_first() noexcept;
  static Instance* make() noexcept;
  static void destroy(Instance* instance) noexcept;

  DefaultEngine engine_;
  BucketLock<Platform> control_lock_;     // one set_buckets at a time
  Atomic<std::uint32_t> is_global_{0};    // set once, under control_lock_
};

}  // namespace phutex::native
