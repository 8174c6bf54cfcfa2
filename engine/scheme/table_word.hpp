// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One word that says which table is current and whether it is on its way out.

#include <cstdint>

#include "engine/table/table.hpp"

namespace phutex {

//  frozen  draining  meaning                                        left by
//  0       0         the current table; users count themselves in   replacement: to draining
//  0       1         it will be replaced when its users are gone,   replacement: to the next table
//                    or its buckets are moving (scheme::Split)
//  1       0         the last table; a scheme need not count        nobody
template <IsPlatform Platform>
class TableWord {
 public:
  static constexpr std::uintptr_t kDraining = 1;
  static constexpr std::uintptr_t kFrozen = 2;

  explicit TableWord(Table<Platform>* table) noexcept
      : raw_(reinterpret_cast<std::uintptr_t>(table)) {}
  static TableWord from_raw(std::uintptr_t raw) noexcept { return TableWord{raw}; }

  std::uintptr_t raw() const noexcept { return raw_; }
  TableWord draining() const noexcept { return TableWord{raw_ | kDraining}; }
  TableWord frozen() const noexcept { return TableWord{raw_ | kFrozen}; }
  bool is_frozen() const noexcept { return (raw_ & kFrozen) != 0; }
  bool is_draining() const noexcept { return (raw_ & kDraining) != 0; }
  Table<Platform>& table() const noexcept {
    return *reinterpret_cast<Table<Platform>*>(raw_ & ~(kDraining | kFrozen));
  }

 private:
  explicit TableWord(std::uintptr_t raw) noexcept : raw_(raw) {}

  std::uintptr_t raw_;
};

/// The word itself. Written by replacements, under their lock; read by everybody, without.
template <IsPlatform Platform>
using CurrentTable = typename Platform::template Atomic<std::uintptr_t>;

}  // namespace phutex
