// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refused with: constraint|IsEdge

// An excuse keeps no promise, so nothing can be acquired for it.

#include "native/memory.hpp"

int read(const phutex::native::Atomic<int>& value) {
  return value.load(phutex::acquire<phutex::why::Hint>);
}
