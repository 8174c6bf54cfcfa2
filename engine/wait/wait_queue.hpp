// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The waiters of one bucket: one queue a key, each in the order its waiters came.
//
// A key's first waiter stands in the bucket's list of keys and carries the ends of its queue, so
// finding a key costs the number of keys here, and everything else is one step.
//
// Locks      The bucket's; reached only through Bucket::Locked.
// Invariant  [I2] Every key stands in the list of keys at most once, and is counted there.
//            [I3] A queue's first waiter knows its last one and its length.

#include "engine/wait/wake_list.hpp"
#include "engine/wait/waiter.hpp"

namespace phutex {

template <IsPlatform Platform>
class WaitQueue {
 public:
  using WaiterType = Waiter<Platform>;

  /// Puts a waiter behind all others of its key.
  void append(WaiterType& waiter) noexcept;

  /// Moves up to `limit` waiters of `key` that share a bit with `bitset`, longest-waiting first,
  /// to `list`. `limit` is at least 1. Returns how many.
  int take(Key key, Bitset bitset, int limit, WakeList<Platform>& list) noexcept;

  /// Removes one waiter; false if it is not in the queue any more.
  bool remove(WaiterType& waiter) noexcept;

  /// Takes some key's whole queue out, by its first waiter; null if nobody waits here.
  WaiterType* detach_any() noexcept;

  /// Puts a whole queue in whose key is not here yet.
  void attach(WaiterType& first) noexcept;

  /// How many keys are here.
  std::uint32_t key_count() const noexcept { return key_count_.read(); }

  static std::uint32_t length_of(const WaiterType& first) noexcept { return first.length_.read(); }

  /// Calls `visit(Key, length)` for every key here, in no promised order.
  template <class Visit>
  void for_each_key(Visit&& visit) const noexcept {
    for (const WaiterType* first = keys_.read(); first != nullptr; first = first->next_key_.read()) {
      visit(first->key_, first->length_.read());
    }
  }

  /// Is every link and length as [I2] and [I3] say? Costs all waiters.
  bool is_sound() const noexcept;

 private:
  WaiterType* find(Key key) const noexcept;
  void unlink_first(WaiterType& first) noexcept;

  typename Platform::template Plain<WaiterType*> keys_{nullptr};  // first waiters, by next_key_
  typename Platform::template Plain<std::uint32_t> key_count_{0};
};

template <IsPlatform Platform>
void WaitQueue<Platform>::append(WaiterType& waiter) noexcept {
  waiter.is_queued_.write(true);
  waiter.next_.write(nullptr);
  WaiterType* const first = find(waiter.key_);
  if (first == nullptr) {
    waiter.previous_.write(nullptr);
    waiter.last_.write(&waiter);
    waiter.length_.write(1);
    attach(waiter);
    return;
  }
  WaiterType* const last = first->last_.read();
  last->next_.write(&waiter);
  waiter.previous_.write(last);
  first->last_.write(&waiter);
  first->length_.write(first->length_.read() + 1);
}

template <IsPlatform Platform>
int WaitQueue<Platform>::take(Key key, Bitset bitset, int limit,
                              WakeList<Platform>& list) noexcept {
  int count = 0;
  WaiterType* waiter = find(key);
  while (waiter != nullptr && count < limit) {
    WaiterType* const next = waiter->next_.read();
    if ((waiter->bitset_ & bitset) != 0) {
      remove(*waiter);
      list.add(*waiter);
      ++count;
    }
    waiter = next;
  }
  return count;
}

template <IsPlatform Platform>
bool WaitQueue<Platform>::remove(WaiterType& waiter) noexcept {
  if (!waiter.is_queued_.read()) return false;
  waiter.is_queued_.write(false);
  WaiterType* const previous = waiter.previous_.read();
  if (previous == nullptr) {
    unlink_first(waiter);
    return true;
  }
  WaiterType* const next = waiter.next_.read();
  WaiterType* const first = find(waiter.key_);
  previous->next_.write(next);
  (next != nullptr ? next->previous_ : first->last_).write(previous);
  first->length_.write(first->length_.read() - 1);
  return true;
}

// Hands the queue over to the next waiter of the key, or drops the key.
template <IsPlatform Platform>
void WaitQueue<Platform>::unlink_first(WaiterType& first) noexcept {
  WaiterType* const next = first.next_.read();
  WaiterType* const next_key = first.next_key_.read();
  WaiterType* const previous_key = first.previous_key_.read();
  WaiterType* const successor = next != nullptr ? next : next_key;
  if (next != nullptr) {
    next->previous_.write(nullptr);
    next->last_.write(first.last_.read());
    next->length_.write(first.length_.read() - 1);
    next->next_key_.write(next_key);
    next->previous_key_.write(previous_key);
  }
  if (next == nullptr) key_count_.write(key_count_.read() - 1);
  if (next_key != nullptr) next_key->previous_key_.write(next != nullptr ? next : previous_key);
  (previous_key != nullptr ? previous_key->next_key_ : keys_).write(successor);
}

template <IsPlatform Platform>
Waiter<Platform>* WaitQueue<Platform>::detach_any() noexcept {
  WaiterType* const first = keys_.read();
  if (first == nullptr) return nullptr;
  WaiterType* const next_key = first->next_key_.read();
  key_count_.write(key_count_.read() - 1);
  keys_.write(next_key);
  if (next_key != nullptr) next_key->previous_key_.write(nullptr);
  return first;
}

template <IsPlatform Platform>
void WaitQueue<Platform>::attach(WaiterType& first) noexcept {
  WaiterType* const next_key = keys_.read();
  first.next_key_.write(next_key);
  first.previous_key_.write(nullptr);
  if (next_key != nullptr) next_key->previous_key_.write(&first);
  key_count_.write(key_count_.read() + 1);
  keys_.write(&first);
}

template <IsPlatform Platform>
bool WaitQueue<Platform>::is_sound() const noexcept {
  const WaiterType* previous_key = nullptr;
  std::uint32_t key_count = 0;
  for (const WaiterType* first = keys_.read(); first != nullptr; first = first->next_key_.read()) {
    if (first->previous_key_.read() != previous_key || first->previous_.read() != nullptr ||
        find(first->key_) != first) {
      return false;
    }
    std::uint32_t length = 0;
    const WaiterType* last = nullptr;
    for (const WaiterType* each = first; each != nullptr; each = each->next_.read()) {
      if (each->previous_.read() != last || !each->is_queued_.read() || each->key_ != first->key_) {
        return false;
      }
      last = each;
      ++length;
    }
    if (first->last_.read() != last || first->length_.read() != length) return false;
    previous_key = first;
    ++key_count;
  }
  return key_count == key_count_.read();
}

template <IsPlatform Platform>
Waiter<Platform>* WaitQueue<Platform>::find(Key key) const noexcept {
  WaiterType* first = keys_.read();
  while (first != nullptr && first->key_ != key) first = first->next_key_.read();
  return first;
}

}  // namespace phutex
