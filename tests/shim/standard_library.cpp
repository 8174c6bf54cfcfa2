// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What C++ programs do all day, under the preload library. Parts of it reach the kernel through
// syscall(), some by shared futexes, some by the C library's own instructions: all must go on
// working, next to each other.

#include "tests/shim/preloaded.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

using namespace std::chrono_literals;

class StandardLibrary : public testing::Test {
 private:
  Watchdog watchdog_{100, "a test of the standard library"};
};

template <class T>
void hand_over_atomics() {
  std::atomic<T> ping{0};
  std::atomic<T> pong{0};
  constexpr T kRounds = 100;
  std::thread other{[&] {
    for (T round = 0; round < kRounds; ++round) {
      ping.wait(round);
      pong.store(static_cast<T>(round + 1));
      pong.notify_one();
    }
  }};
  for (T round = 0; round < kRounds; ++round) {
    ping.store(static_cast<T>(round + 1));
    ping.notify_one();
    pong.wait(round);
  }
  other.join();
}

TEST_F(StandardLibrary, WaitsOnAtomicsOfAllSizes) {
  hand_over_atomics<signed char>();
  hand_over_atomics<short>();
  hand_over_atomics<int>();
  hand_over_atomics<long>();
}

TEST_F(StandardLibrary, WakesAllThatWaitOnAFlag) {
  std::atomic_flag flag{};
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index) threads.emplace_back([&] { flag.wait(false); });
  flag.test_and_set();
  flag.notify_all();
  for (std::thread& thread : threads) thread.join();
}

TEST_F(StandardLibrary, HasSemaphores) {
  std::counting_semaphore<8> permits{0};
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 200; ++turn) {
        permits.acquire();
        taken.fetch_add(1);
      }
    });
  }
  for (int permit = 0; permit < 800; ++permit) permits.release();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken.load(), 800);
  EXPECT_FALSE(permits.try_acquire());
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(permits.try_acquire_for(30ms));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 30ms);
}

TEST_F(StandardLibrary, HasLatchesAndBarriers) {
  constexpr int kThreads = 6;
  std::latch begun{kThreads};
  std::atomic<int> phases{0};
  std::barrier barrier{kThreads, [&]() noexcept { phases.fetch_add(1); }};
  std::vector<std::thread> threads;
  for (int index = 0; index < kThreads; ++index) {
    threads.emplace_back([&] {
      begun.arrive_and_wait();
      for (int phase = 0; phase < 50; ++phase) barrier.arrive_and_wait();
    });
  }
  begun.wait();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(phases.load(), 50);
}

// A future's deadline is one on a clock that must be the right one: an hour that lasts no time, or
// a moment that lasts decades, are what going wrong looks like.
TEST_F(StandardLibrary, WaitsForAFutureAsLongAsAsked) {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  for (const auto time : {1ms, 300ms}) {
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(future.wait_for(time), std::future_status::timeout);
    const auto elapsed = std::chrono::steady_clock::now() - before;
    EXPECT_GE(elapsed, time);
    EXPECT_LT(elapsed, 10s);
  }
  EXPECT_EQ(future.wait_until(std::chrono::system_clock::now() + 50ms),
            std::future_status::timeout);
  EXPECT_EQ(future.wait_until(std::chrono::system_clock::now() - 1h), std::future_status::timeout);
  std::thread fulfiller{[&] {
    std::this_thread::sleep_for(20ms);
    promise.set_value(42);
  }};
  EXPECT_EQ(future.wait_for(1h), std::future_status::ready);
  EXPECT_EQ(future.get(), 42);
  fulfiller.join();
}

TEST_F(StandardLibrary, HasMutexesAndConditions) {
  std::mutex mutex;
  std::condition_variable condition;
  std::shared_timed_mutex shared;
  int turn = 0;
  constexpr int kTurns = 2000;
  const auto take_turns = [&](int mine) {
    for (int count = 0; count < kTurns / 2; ++count) {
      std::unique_lock lock{mutex};
      condition.wait(lock, [&] { return turn % 2 == mine; });
      ++turn;
      condition.notify_one();
      const std::shared_lock reading{shared};
    }
  };
  std::thread other{[&] { take_turns(1); }};
  take_turns(0);
  other.join();
  EXPECT_EQ(turn, kTurns);
  std::unique_lock lock{mutex};
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(condition.wait_for(lock, 50ms), std::cv_status::timeout);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 50ms);
}

TEST_F(StandardLibrary, StopsAWaitingThread) {
  std::mutex mutex;
  std::condition_variable_any condition;
  std::jthread waiter{[&](const std::stop_token& stop) {
    std::unique_lock lock{mutex};
    condition.wait(lock, stop, [] { return false; });
  }};
  std::this_thread::sleep_for(10ms);
}

TEST_F(StandardLibrary, HasPosixSemaphores) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::thread poster{[&] {
    for (int count = 0; count < 1000; ++count) sem_post(&semaphore);
  }};
  for (int count = 0; count < 1000; ++count) sem_wait(&semaphore);
  poster.join();
  timespec past{0, 0};
  EXPECT_EQ(sem_timedwait(&semaphore, &past), -1);
  EXPECT_EQ(errno, ETIMEDOUT);
  sem_destroy(&semaphore);
}

// What a join waits for is the kernel's own wake at the thread's end.
TEST_F(StandardLibrary, JoinsTenThousandThreads) {
  long sum = 0;
  for (long index = 0; index < 10000; ++index) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr, [](void* argument) { return argument; },
                  reinterpret_cast<void*>(index)),
              0);
    void* result = nullptr;
    ASSERT_EQ(pthread_join(thread, &result), 0);
    sum += reinterpret_cast<long>(result);
  }
  EXPECT_EQ(sum, 10000L * 9999 / 2);
}

TEST_F(StandardLibrary, RunsTasks) {
  std::vector<std::future<int>> futures;
  for (int index = 0; index < 32; ++index) {
    futures.push_back(std::async(std::launch::async, [index] { return index; }));
  }
  int sum = 0;
  for (auto& future : futures) sum += future.get();
  EXPECT_EQ(sum, 32 * 31 / 2);
}

}  // namespace
}  // namespace phutex::tests
