// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How many threads this process has, by the kernel's own count.

#include <cstddef>

namespace phutex::native {

/// The caller included; 0 if the kernel does not say (no /proc). One system call; allocates
/// nothing.
std::size_t thread_count() noexcept;

}  // namespace phutex::native
