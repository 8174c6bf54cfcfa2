// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Storage that lasts as long as one run: given out piece by piece, taken back all at once.
//
// A piece is never given out twice in a run, so whoever touches one that was freed still finds
// what was left there, and can be told.

#include <cstddef>

namespace phutex::fibers {

class Arena {
 public:
  Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Zero-filled, on a cache line of its own; null if the run takes more than any should.
  void* allocate(std::size_t size) noexcept;

  /// Takes everything back.
  void clear() noexcept;

 private:
  std::byte* mapping_;
  std::size_t used_ = 0;
};

}  // namespace phutex::fibers
