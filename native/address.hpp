// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the kernel asks of an address before it looks at what is there.

#include <cstddef>
#include <cstdint>

#include "engine/base/result.hpp"

namespace phutex::native {

/// Errors: invalid (not at a multiple of kSize bytes), fault (no user address is that high: the
/// kernel says so even where it would not touch the memory).
template <std::size_t kSize>
Result<void> check_address(const void* word) noexcept {
  constexpr std::uintptr_t kUserEnd = std::uintptr_t{1} << (sizeof(void*) == 8 ? 63 : 31);
  const auto address = reinterpret_cast<std::uintptr_t>(word);
  if (address % kSize != 0) return Errno::invalid;
  if (address >= kUserEnd) return Errno::fault;
  return {};
}

}  // namespace phutex::native
