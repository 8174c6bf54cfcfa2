// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which of the engine's locks each virtual thread holds, so that a run fails if it does under one
// what the lock order forbids.
//
// A lock is known by its edge: who exchanges a word with acquire<edge::BucketHandover> holds it,
// until it stores there with release<edge::BucketHandover>. A bucket's lock is known by where it
// is: the engine allocates nothing with a lock in it but tables, so one in allocated storage is a
// bucket's. Any other is a replacement lock, or a scenario's own.
//
// See  engine/README.md, "Lock order"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fibers/chooser.hpp"

namespace phutex::checker {

class HeldLocks {
 public:
  /// The state in which a run begins.
  void begin() noexcept {
    pieces_.clear();
    locks_.clear();
    threads_ = {};
  }

  /// The engine has got this storage.
  void add_piece(const void* storage, std::size_t size) {
    pieces_.push_back({reinterpret_cast<std::uintptr_t>(storage), size});
  }

  void take(unsigned thread, const void* lock) {
    count_of(thread, lock) += 1;
    if (!is_lock(lock)) locks_.push_back(lock);
  }
  void give_back(unsigned thread, const void* lock) noexcept { count_of(thread, lock) -= 1; }

  /// Has anybody ever held it? Nobody sleeps on a lock that nobody has taken.
  bool is_lock(const void* word) const noexcept {
    return std::find(locks_.begin(), locks_.end(), word) != locks_.end();
  }
  bool holds_bucket(unsigned thread) const noexcept { return threads_[thread].buckets != 0; }
  bool holds_any(unsigned thread) const noexcept {
    return holds_bucket(thread) || threads_[thread].others != 0;
  }

 private:
  struct Piece {
    std::uintptr_t begin;
    std::size_t size;
  };
  struct Counts {
    unsigned buckets = 0;
    unsigned others = 0;
  };

  unsigned& count_of(unsigned thread, const void* lock) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(lock);
    for (const Piece& piece : pieces_) {
      if (address - piece.begin < piece.size) return threads_[thread].buckets;
    }
    return threads_[thread].others;
  }

  std::vector<Piece> pieces_;  // none is given out twice in a run
  std::vector<const void*> locks_;
  std::array<Counts, fibers::kThreadsMax> threads_{};
};

}  // namespace phutex::checker
