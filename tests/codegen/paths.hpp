// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The fast paths: calls that neither sleep nor wake anyone, one thread, everything in cache.

#include <string>
#include <vector>

namespace phutex::codegen {

struct Path {
  std::string name;
  void (*code)(void*);
  void* argument;
};

/// Every scheme's, every mismatch check's where it matters, and the C interface's.
std::vector<Path> all_paths();

/// Makes the process's own engine, without which the C interface's paths are longer or shorter.
void use_instance();

}  // namespace phutex::codegen
