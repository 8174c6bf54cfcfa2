// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Threads of a check, each announced to the machine before it is made.
//
// Invariant  [I1] what is called in a thread outlives the crew: its end joins them all. One that
//            never comes back keeps the check from ending, which is for the time limit to notice.

#include <chrono>
#include <cstddef>
#include <latch>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "selftest/machine.hpp"

namespace phutex::selftest {

class Crew {
 public:
  explicit Crew(const Machine& machine) : machine_(machine) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { join(); }

  /// Throws std::system_error if the machine or the C library has no room for one more.
  template <class Life>
  void start(Life life) {
    if (const long error = machine_.announce_thread(); error != 0) {
      throw std::system_error(static_cast<int>(-error), std::generic_category(),
                              "the machine is not ready for a thread");
    }
    threads_.emplace_back(std::move(life));
  }

  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  const Machine& machine_;
  std::vector<std::thread> threads_;
};

/// Threads that only exist, until this does not.
class Bystanders {
 public:
  Bystanders(const Machine& machine, std::size_t count) : crew_(machine) {
    try {
      for (std::size_t index = 0; index < count; ++index) crew_.start([this] { over_.wait(); });
    } catch (...) {
      over_.count_down();
      throw;
    }
  }
  Bystanders(const Bystanders&) = delete;
  Bystanders& operator=(const Bystanders&) = delete;
  ~Bystanders() { over_.count_down(); }

 private:
  std::latch over_{1};
  Crew crew_;
};

/// Did the condition come to hold within a generous while?
template <class Condition>
bool comes_true(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

}  // namespace phutex::selftest
