// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The process's own stand-in for the kernel's global table, used by words that say their node.
//
// Made at first use, by whoever comes first, in a forked child as well; each node's table lies in
// the memory of that node. Its size is the kernel's and stays.

#include "engine/scheme/global.hpp"
#include "native/platform.hpp"
#include "native/process.hpp"

namespace phutex::native {

class GlobalHash {
 public:
  /// The process's global hash; null if there is no memory for one. Allocates on first use; never
  /// waits for another thread.
  static GlobalHash* get() noexcept {
    GlobalHash* const current = get_if_used();
    return current != nullptr ? current : get_first();
  }

  /// The global hash if there is one.
  static GlobalHash* get_if_used() noexcept {
    return process().global_hash.load(acquire<edge::TablePublished>);
  }

  const Nodes& nodes() const noexcept { return scheme_.nodes(); }

  /// The scheme of one of nodes().
  scheme::Fixed<Platform>& on_node(std::size_t node) noexcept { return scheme_.on_node(node); }

 private:
  GlobalHash(Table<Platform>::Owner first, const Nodes& nodes) noexcept
      : scheme_(std::move(first), nodes) {}
  [[gnu::cold]] static GlobalHash* get_first() noexcept;
  static GlobalHash* make() noexcept;
  static void destroy(GlobalHash* hash) noexcept;
  void bring_home() noexcept;

  scheme::Global<Platform> scheme_;
};

}  // namespace phutex::native
