// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls what phutex.hpp declares, for each width of word. Exits with 1 at a wrong result.

#include <chrono>
#include <cstdint>

#include "phutex/phutex.hpp"

namespace {

template <class T>
bool waits_and_wakes() {
  using namespace std::chrono_literals;
  std::atomic<T> word{0};
  return phutex::wait(word, T{1}) == phutex::wait_result::changed &&
         phutex::wait_for(word, T{0}, 1ms) == phutex::wait_result::timed_out &&
         phutex::wait_until(word, T{0}, std::chrono::system_clock::now() + 1ms) ==
             phutex::wait_result::timed_out &&
         phutex::wake_one(word) == 0 && phutex::wake_all(word) == 0;
}

bool controls_its_hash() {
  using phutex::prctl_dialect;
  return phutex::thread_coming() == 0 && phutex::buckets() != 0 && phutex::set_buckets(16) == 0 &&
         phutex::reserve(20) == 0 && phutex::buckets() == 32 &&
         phutex::prctl_hash(prctl_dialect::linux_6_17, 2) == 32 &&
         phutex::prctl_hash(prctl_dialect::linux_6_16, 3) == 0;
}

}  // namespace

int main() {
  const bool is_right = waits_and_wakes<std::uint8_t>() && waits_and_wakes<std::uint16_t>() &&
                        waits_and_wakes<std::uint32_t>() && waits_and_wakes<std::uint64_t>() &&
                        controls_its_hash();
  return is_right ? 0 : 1;
}
