// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Threads that sleep on a word of their own from before a run until after it, and have to be found
// there at its end.

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pthread.h>

#include "bench/failure.hpp"
#include "workload/resize.hpp"

namespace phutex::bench {

inline constexpr std::size_t kSleeperStackSize = 64 * 1024;
inline constexpr std::chrono::seconds kSleeperPatience{60};

/// Whatever happens, its end wakes them all. One that cannot be woken is left behind, with all it
/// may still touch: its stack, and its word.
template <workload::IsResizableFutex Futex>
class Sleepers {
 public:
  explicit Sleepers(Futex& futex) : futex_(futex) {}
  Sleepers(const Sleepers&) = delete;
  Sleepers& operator=(const Sleepers&) = delete;
  ~Sleepers();

  /// Blocks until so many are asleep. Throws Failure if they cannot be made.
  void put_to_sleep(unsigned count);

  /// Wakes each once and waits for it. How many were not there to be woken, or did not come back.
  unsigned wake_all();

 private:
  static constexpr std::uint32_t kAsleep = 0;  // what a word begins with
  static constexpr std::uint32_t kAwake = 1;

  struct Sleeper {
    explicit Sleeper(Futex& its_futex) : futex(its_futex) {}

    Futex& futex;
    typename Futex::Word word{};
    std::atomic<bool> is_back{false};  // set by its thread, last of all
    pthread_t thread{};
  };

  static void* sleep(void* argument) {
    auto& sleeper = *static_cast<Sleeper*>(argument);
    while (sleeper.futex.wait(sleeper.word, kAsleep) == EINTR) {
    }
    sleeper.is_back.store(true);
    return nullptr;
  }

  using Clock = std::chrono::steady_clock;

  template <class Condition>
  static bool await(Clock::time_point deadline, const Condition& condition) {
    while (!condition()) {
      if (Clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  static int start(Sleeper& sleeper);

  /// Did it come back? Blocks until it does, or until the deadline; then it is left behind.
  static bool part_from(std::unique_ptr<Sleeper> sleeper, Clock::time_point deadline);

  Futex& futex_;
  std::vector<std::unique_ptr<Sleeper>> asleep_;
};

template <workload::IsResizableFutex Futex>
void Sleepers<Futex>::put_to_sleep(unsigned count) {
  for (unsigned index = 0; index < count; ++index) {
    auto sleeper = std::make_unique<Sleeper>(futex_);
    if (const int error = start(*sleeper); error != 0) {
      throw Failure(fmt::format("--sleepers {}: thread {} cannot be made ({}); ask for fewer",
                                count, index + 1, error_text(error)));
    }
    asleep_.push_back(std::move(sleeper));
  }
  const Clock::time_point deadline = Clock::now() + kSleeperPatience;
  for (const auto& sleeper : asleep_) {
    if (await(deadline, [&] { return futex_.waiting(sleeper->word) == 1; })) continue;
    throw Failure(fmt::format("--sleepers {}: one of them does not fall asleep", count));
  }
}

template <workload::IsResizableFutex Futex>
unsigned Sleepers<Futex>::wake_all() {
  std::vector<bool> is_found;
  for (const auto& sleeper : asleep_) is_found.push_back(futex_.wake(sleeper->word, 1) == 1);
  unsigned missed = 0;
  const Clock::time_point now = Clock::now();
  for (std::size_t index = 0; index < asleep_.size(); ++index) {
    const auto deadline = is_found[index] ? now + kSleeperPatience : now;
    const bool is_back = part_from(std::move(asleep_[index]), deadline);
    if (!is_found[index] || !is_back) ++missed;
  }
  asleep_.clear();
  return missed;
}

/// For those that fell asleep and for those that are just about to.
template <workload::IsResizableFutex Futex>
Sleepers<Futex>::~Sleepers() {
  for (const auto& sleeper : asleep_) {
    sleeper->word.exchange(kAwake);
    futex_.wake(sleeper->word, 1);
  }
  const Clock::time_point deadline = Clock::now() + kSleeperPatience;
  for (auto& sleeper : asleep_) part_from(std::move(sleeper), deadline);
}

template <workload::IsResizableFutex Futex>
bool Sleepers<Futex>::part_from(std::unique_ptr<Sleeper> sleeper, Clock::time_point deadline) {
  const bool is_back = await(deadline, [&] { return sleeper->is_back.load(); });
  if (is_back) {
    pthread_join(sleeper->thread, nullptr);
  } else {
    pthread_detach(sleeper->thread);
    static_cast<void>(sleeper.release());
  }
  return is_back;
}

template <workload::IsResizableFutex Futex>
int Sleepers<Futex>::start(Sleeper& sleeper) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSleeperStackSize);
  const int error = pthread_create(&sleeper.thread, &attributes, sleep, &sleeper);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace phutex::bench
