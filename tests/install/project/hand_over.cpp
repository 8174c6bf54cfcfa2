// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A hand-over between two threads, by the C++ interface.

#include <phutex/phutex.hpp>

#include <atomic>
#include <chrono>
#include <thread>

int main() {
  std::atomic<bool> is_ready{false};
  std::thread other{[&] {
    is_ready = true;
    phutex::wake_all(is_ready);
  }};
  while (!is_ready) phutex::wait(is_ready, false);
  other.join();
  const auto result = phutex::wait_for(is_ready, true, std::chrono::milliseconds{1});
  return result == phutex::wait_result::timed_out && phutex::set_buckets(32) == 0 &&
                 phutex::buckets() == 32
             ? 0
             : 1;
}
