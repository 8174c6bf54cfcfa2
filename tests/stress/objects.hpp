// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A mutex, a condition and a semaphore, each made of one word and phutex.hpp: what people build
// on it, and the patterns that lost wakes and early destruction were found with.

#include <atomic>
#include <chrono>
#include <cstdint>

#include "phutex/phutex.hpp"

namespace phutex::tests {

//  word  meaning                       left by
//  0     free                          locker: to 1
//  1     held, nobody sleeps           unlocker: to 0; locker: to 2
//  2     held, somebody may sleep      unlocker: to 0, and wakes one
class Mutex {
 public:
  void lock() noexcept {
    std::uint32_t expected = 0;
    if (word_.compare_exchange_strong(expected, 1)) return;
    // Who has slept takes it as 2: others may be asleep still, and no one else would know.
    while (word_.exchange(2) != 0) phutex::wait(word_, 2);
  }

  /// Touches nothing after the exchange: the next owner may destroy the mutex at once.
  void unlock() noexcept {
    if (word_.exchange(0) == 2) phutex::wake_one(word_);
  }

 private:
  std::atomic<std::uint32_t> word_{0};
};

class Condition {
 public:
  /// May return without a notification; look again.
  void wait(Mutex& mutex) noexcept {
    const std::uint32_t before = notifications_.load();
    mutex.unlock();
    phutex::wait(notifications_, before);
    mutex.lock();
  }

  template <class Rep, class Period>
  wait_result wait_for(Mutex& mutex, std::chrono::duration<Rep, Period> time) noexcept {
    const std::uint32_t before = notifications_.load();
    mutex.unlock();
    const wait_result result = phutex::wait_for(notifications_, before, time);
    mutex.lock();
    return result;
  }

  void notify_one() noexcept {
    notifications_.fetch_add(1);
    phutex::wake_one(notifications_);
  }
  void notify_all() noexcept {
    notifications_.fetch_add(1);
    phutex::wake_all(notifications_);
  }

 private:
  std::atomic<std::uint32_t> notifications_{0};
};

class Semaphore {
 public:
  explicit Semaphore(std::uint32_t count) noexcept : count_(count) {}

  void acquire() noexcept {
    for (;;) {
      std::uint32_t count = count_.load();
      while (count != 0) {
        if (count_.compare_exchange_weak(count, count - 1)) return;
      }
      phutex::wait(count_, 0);
    }
  }

  /// Wakes one for each permit, whatever the count was. Touches nothing after the addition.
  void release(std::uint32_t permits = 1) noexcept {
    count_.fetch_add(permits);
    phutex::wake(count_, static_cast<int>(permits));
  }

 private:
  std::atomic<std::uint32_t> count_;
};

/// Holds a mutex for a scope.
class Holding {
 public:
  explicit Holding(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
  ~Holding() { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

}  // namespace phutex::tests
