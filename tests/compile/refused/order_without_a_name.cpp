// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refused with: no matching (member )?function

// An access to shared memory that does not say what its order is for.

#include "native/memory.hpp"

int read(const phutex::native::Atomic<int>& value) {
  return value.load(std::memory_order_acquire);
}
