// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The waiters that one wake has taken under a bucket's lock, to be let go after it.
//
// Flow  WaitQueue::take -> WakeList::add -> (unlock) -> unpark_all

#include "engine/wait/waiter.hpp"

namespace phutex {

template <IsPlatform Platform>
class WakeList {
 public:
  WakeList() noexcept = default;
  WakeList(const WakeList&) = delete;
  WakeList& operator=(const WakeList&) = delete;
  ~WakeList() { PHUTEX_ASSERT(first_ == nullptr, "a taken waiter is never left asleep"); }

  /// Adds a waiter that no queue holds any more.
  void add(Waiter<Platform>& waiter) noexcept {
    waiter.next_.write(nullptr);
    if (last_ == nullptr) {
      first_ = &waiter;
    } else {
      last_->next_.write(&waiter);
    }
    last_ = &waiter;
    ++count_;
  }

  /// How many were added since the list was made.
  int count() const noexcept { return count_; }

  /// Wakes them in the order they were added. Called with no lock held; may make a system call a
  /// waiter.
  void unpark_all() noexcept {
    while (first_ != nullptr) {
      Waiter<Platform>& waiter = *first_;
      first_ = waiter.next_.read();
      waiter.parker().unpark();  // edge::Woken: the waiter may be gone from here on
    }
    last_ = nullptr;
  }

 private:
  Waiter<Platform>* first_ = nullptr;
  Waiter<Platform>* last_ = nullptr;
  int count_ = 0;
};

}  // namespace phutex
