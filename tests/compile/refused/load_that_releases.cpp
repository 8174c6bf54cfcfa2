// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refused with: no matching (member )?function

// A load cannot be the releasing side of an edge.

#include "native/memory.hpp"

int read(const phutex::native::Atomic<int>& value) {
  return value.load(phutex::release<phutex::edge::Woken>);
}
