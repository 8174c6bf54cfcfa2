// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The process's own engine, and the control of how many buckets it has.
//
// Made at first use, by whoever comes first, before main or in a forked child as well.

#include <cstddef>
#include <cstdint>

#include "engine/control.hpp"
#include "engine/engine.hpp"
#include "native/platform.hpp"
#include "native/process.hpp"

namespace phutex::native {

using DefaultConfig = Config<Platform, scheme::Split, mismatch::Locked>;
using DefaultEngine = Engine<DefaultConfig>;
using DefaultControl = Control<DefaultEngine>;

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
  DefaultControl& control() noexcept { return control_; }

  /// The caller is about to create a thread: the hash becomes as big as the sizing rule wants it
  /// beside the threads there are. Waits for nobody else's replacement; allocates. Errors:
  /// no_memory (the hash is as it was).
  Result<void> thread_coming() noexcept;

  /// The caller's thread is about to wait for the first time. Where nobody announces threads, this
  /// is when they are noticed; what there is no memory for does not happen.
  static void first_wait() noexcept {
    if (Instance* const used = get_if_used()) used->thread_is_here();
  }

  /// Control::set, for a size that may be replaced.
  Result<void> set_buckets(std::size_t count) noexcept { return control_.set(count); }

 private:
  Instance(Table<Platform>::Owner table, const sizing::Rule& rule, std::size_t buckets) noexcept;
  [[gnu::cold]] static Instance* get_first() noexcept;
  static Instance* make() noexcept;
  static void destroy(Instance* instance) noexcept;
  void thread_is_here() noexcept;
  static void look(void* instance) noexcept;

  DefaultEngine engine_;
  DefaultControl control_;
  Atomic<std::uint32_t> is_told_{0};  // set when a thread is announced; whoever announces one is
                                      // taken to announce them all
};

}  // namespace phutex::native
