// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A table that is never replaced: nobody needs to be counted.
//
// Stands for the kernel's global table, and for its immutable private one (6.16-rc).

#include <utility>

#include "engine/scheme/lookup.hpp"

namespace phutex::scheme {

template <IsPlatform Platform>
class FixedPin {
 public:
  FixedPin() noexcept = default;
  explicit FixedPin(Table<Platform>& table) noexcept : table_(&table) {}
  Table<Platform>& table() const noexcept { return *table_; }
  Bucket<Platform>& bucket(Key key) const noexcept { return table_->bucket_of(key); }
  void unpin() noexcept {}

 private:
  Table<Platform>* table_ = nullptr;
};

template <IsPlatform Platform>
class Fixed : public Lookup<Platform, Fixed<Platform>, FixedPin<Platform>> {
 public:
  explicit Fixed(typename Table<Platform>::Owner table) noexcept : table_(std::move(table)) {}

  bool prepare() noexcept { return true; }
  FixedPin<Platform> pin(Key) noexcept { return FixedPin<Platform>{*table_}; }
  Result<void> resize(std::size_t) noexcept { return Errno::busy; }
  void freeze() noexcept {}
  std::size_t bucket_count() noexcept { return table_->bucket_count(); }
  template <class Use>
  bool with_table(Patience, Use&& use) noexcept {
    use(*table_, ReplacementHistory{});
    return true;
  }

 private:
  friend Lookup<Platform, Fixed, FixedPin<Platform>>;

  const typename Table<Platform>::Owner table_;
};

}  // namespace phutex::scheme
