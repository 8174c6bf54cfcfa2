// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One thread's waits, one after another: none inherits anything of the one before, however that
// one ended; and the place it slept in outlives it for the next thread.

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "native/instance.hpp"
#include "phutex/phutex.hpp"
#include "tests/stress/engines.hpp"

namespace phutex::tests {
namespace {

void do_nothing(int) {}

void interrupt_waits_with(int signal) {
  struct sigaction action {};
  action.sa_handler = do_nothing;
  sigaction(signal, &action, nullptr);
}

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

template <class C>
class Parkers : public OnEveryEngine<C> {};
TYPED_TEST_SUITE(Parkers, AllConfigurations, ConfigName);

// Waits that end by a wake, by their deadline, by a signal, and by a wake in the very moment of
// the deadline, in no order. A wake that came too late for one wait must not end the next: each
// that says "woken" was counted by a wake, and each that says "timed out" lasted as long as asked.
TYPED_TEST(Parkers, CarryNothingFromOneWaitToTheNext) {
  interrupt_waits_with(SIGUSR1);
  TestEngine<TypeParam> engine{16};
  Word word{0};
  std::atomic<bool> is_over{false};
  std::atomic<long> wakes{0};
  const std::uint32_t seed = printed_seed();
  long woken = 0;
  long timed_out = 0;
  long interrupted = 0;
  std::thread sleeper{[&] {
    Chance chance{seed, 0};
    while (!is_over.load()) {
      const Deadline deadline = deadline_in(chance.below(120));
      const std::int64_t end = deadline.seconds * 1'000'000'000 + deadline.nanoseconds;
      switch (engine.wait(word, 0, deadline)) {
        case Errno::none:
          ++woken;
          break;
        case Errno::interrupted:
          ++interrupted;
          break;
        case Errno::timed_out:
          ++timed_out;
          EXPECT_GE(now_ns(), end);
          break;
        default:
          ADD_FAILURE() << "an answer that no wait with this word can have";
      }
    }
  }};
  std::thread waker{[&] {
    Chance chance{seed, 1};
    while (!is_over.load()) {
      wakes.fetch_add(engine.wake(word, 1));
      std::this_thread::sleep_for(std::chrono::microseconds{chance.below(200)});
    }
  }};
  Chance chance{seed, 2};
  const Budget budget{this->kShares};
  while (!budget.is_over()) {
    pthread_kill(sleeper.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::microseconds{chance.below(400)});
  }
  is_over.store(true);
  sleeper.join();
  waker.join();
  EXPECT_EQ(woken, wakes.load());
  EXPECT_EQ(engine.waiting(word), 0U);
  std::printf("%ld woken, %ld timed out, %ld interrupted\n", woken, timed_out, interrupted);
}

// Two sleepers without a deadline, signals to both, wakes of one at a time: a wake that a signal
// swallowed would leave the books unbalanced, and one that went to a sleeper that had gone, too.
TYPED_TEST(Parkers, LoseNoWakeToASignal) {
  interrupt_waits_with(SIGUSR1);
  TestEngine<TypeParam> engine{16};
  Word word{0};
  std::atomic<long> woken{0};
  std::atomic<long> interrupted{0};
  std::vector<std::thread> sleepers;
  for (int index = 0; index < 2; ++index) {
    sleepers.emplace_back([&] {
      for (;;) {
        switch (engine.wait(word, 0)) {
          case Errno::none:
            woken.fetch_add(1);
            break;
          case Errno::interrupted:
            interrupted.fetch_add(1);
            break;
          default:
            return;
        }
      }
    });
  }
  Chance chance{printed_seed(), 0};
  const Budget budget{this->kShares};
  long wakes = 0;
  while (!budget.is_over()) {
    std::thread& sleeper = sleepers[chance.below(2)];
    const bool is_signal_first = chance.one_in(2);
    if (is_signal_first) pthread_kill(sleeper.native_handle(), SIGUSR1);
    linger(chance, 5000);
    wakes += engine.wake(word, 1);
    if (!is_signal_first) pthread_kill(sleeper.native_handle(), SIGUSR1);
    linger(chance, 5000);
    if (chance.one_in(4)) std::this_thread::yield();
  }
  word.store(1);
  wakes += engine.wake(word, INT32_MAX);
  for (std::thread& sleeper : sleepers) sleeper.join();
  EXPECT_EQ(woken.load(), wakes);
  EXPECT_EQ(engine.waiting(word), 0U);
  std::printf("%ld woken, %ld interrupted\n", woken.load(), interrupted.load());
}

long resident_pages() {
  long total = 0;
  long resident = 0;
  std::ifstream{"/proc/self/statm"} >> total >> resident;
  return resident;
}

class ParkersOfTheProcess : public testing::Test {
 private:
  Watchdog watchdog_{stress_limit(), "a stress test of parkers"};
};

// Threads that live for one wait. What one of them slept in serves the next: memory does not grow
// with the number of threads there have ever been.
TEST_F(ParkersOfTheProcess, ServeOneThreadAfterAnother) {
  constexpr int kThreads = kUnderTsan || kUnderAsan ? 2000 : 10000;
  constexpr int kAtOnce = 8;
  std::atomic<std::uint32_t> word{0};
  const auto live_once = [&] {
    std::vector<std::thread> threads;
    for (int index = 0; index < kAtOnce; ++index) {
      threads.emplace_back([&] { EXPECT_EQ(wait(word, 0), wait_result::woken); });
    }
    for (int left = kAtOnce; left != 0;) {
      const int woken = wake_all(word);
      left -= woken;
      if (woken == 0) std::this_thread::yield();
    }
    for (std::thread& thread : threads) thread.join();
  };
  for (int round = 0; round < 20; ++round) live_once();
  const long before = resident_pages();
  for (int count = 0; count < kThreads; count += kAtOnce) live_once();
  const long growth = resident_pages() - before;
  if (!kUnderTsan && !kUnderAsan) {
    EXPECT_LT(growth, 256) << "pages";
  }
  std::printf("%d threads, %ld pages more\n", kThreads, growth);
}

// How often a thread has given up its CPU of its own accord.
long voluntary_switches(pid_t thread) {
  std::ifstream status{"/proc/self/task/" + std::to_string(thread) + "/status"};
  for (std::string key; status >> key;) {
    if (key != "voluntary_ctxt_switches:") continue;
    long count = 0;
    status >> count;
    return count;
  }
  give_up("a thread's status");
}

// Asleep is asleep: nobody looks at the word now and then, to be sure.
TEST_F(ParkersOfTheProcess, SleepWithoutWakingUp) {
  std::atomic<std::uint32_t> word{0};
  std::atomic<pid_t> thread{0};
  std::thread sleeper{[&] {
    thread.store(gettid());
    EXPECT_EQ(wait(word, 0), wait_result::woken);
  }};
  native::Instance* const instance = native::Instance::get();
  wait_until([&] { return instance->engine().waiting(key_of(word)) == 1; }, "a sleeper");
  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  const long before = voluntary_switches(thread.load());
  std::this_thread::sleep_for(std::chrono::milliseconds{1500});
  EXPECT_EQ(voluntary_switches(thread.load()), before);
  EXPECT_EQ(wake_one(word), 1);
  sleeper.join();
}

// A wait in a signal handler that interrupts a wait has a parker of its own.
std::atomic<std::uint32_t> handler_word{0};
std::atomic<int> waits_in_handler{0};
void wait_in_handler(int) {
  const int result = phutex_wait(&handler_word, 4, 1, PHUTEX_ANY, nullptr, CLOCK_MONOTONIC);
  const timespec past{0, 0};
  const int late = phutex_wait(&handler_word, 4, 0, PHUTEX_ANY, &past, CLOCK_MONOTONIC);
  if (result == -EAGAIN && late == -ETIMEDOUT) waits_in_handler.fetch_add(1);
}

TEST_F(ParkersOfTheProcess, LetAHandlerWaitInsideAWait) {
  if (kUnderTsan) GTEST_SKIP() << "TSan puts handlers off until the thread's next library call";
  struct sigaction action {};
  action.sa_handler = wait_in_handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
  std::atomic<std::uint32_t> word{0};
  std::thread sleeper{[&] { EXPECT_EQ(wait(word, 0), wait_result::woken); }};
  native::Instance* const instance = native::Instance::get();
  wait_until([&] { return instance->engine().waiting(key_of(word)) == 1; }, "a sleeper");
  // Asleep in the kernel, not merely queued: a handler must not come while the queueing holds a
  // bucket's lock that the handler's own wait might want.
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  for (int round = 1; round <= 20; ++round) {
    pthread_kill(sleeper.native_handle(), SIGUSR2);
    wait_until([&] { return waits_in_handler.load() == round; }, "a handler's waits");
  }
  EXPECT_EQ(wake_one(word), 1);
  sleeper.join();
}

}  // namespace
}  // namespace phutex::tests
