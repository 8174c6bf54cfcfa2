// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a signal handler does to a wait: with and without SA_RESTART, with and without a timeout,
// and when a wake comes at the same moment. Kernel and engine alike.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <memory>
#include <random>
#include <string>

#include "tests/conformance/machines.hpp"

namespace phutex::tests {
namespace {

std::atomic<int> handled{0};

void on_signal(int) {
  handled.fetch_add(1);
}

void install(int flags) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = flags;
  sigaction(SIGUSR1, &action, nullptr);
  handled.store(0);
}

class Signals : public testing::TestWithParam<const Machine*> {
 protected:
  const Machine& machine() const { return *GetParam(); }
  long wake() { return machine().futex(address(word_), kWake, 1, nullptr, nullptr, 0); }

  // Signals a sleeper until its wait has ended. One signal need not be enough: it may come when
  // the waiter is queued but not yet asleep, which is as if it had come before the call.
  void signal_until_back(Sleeper& sleeper) {
    wait_until(
        [&] {
          pthread_kill(sleeper.handle(), SIGUSR1);
          return sleeper.is_back();
        },
        "a signal to end a wait");
  }

  // Signals a sleeper for a while, each time until the handler has run.
  void signal_often(Sleeper& sleeper) {
    for (int round = 1; round <= 50; ++round) {
      pthread_kill(sleeper.handle(), SIGUSR1);
      wait_until([&] { return handled.load() >= round; }, "a handler to run");
    }
  }

  Word word_{0};

 private:
  Watchdog watchdog_{50, "a test of signals"};
};

INSTANTIATE_TEST_SUITE_P(On, Signals, testing::ValuesIn(kMachines),
                         [](const auto& each) { return std::string{each.param->name}; });

TEST_P(Signals, EndAWaitIfTheirHandlerDoesNotRestart) {
  install(0);
  Sleeper sleeper{machine(), word_};
  wait_for_sleepers(machine(), word_, 1);
  signal_until_back(sleeper);
  EXPECT_EQ(sleeper.result(), -EINTR);
  EXPECT_EQ(machine().waiting(word_), 0U);
  EXPECT_EQ(wake(), 0);
}

TEST_P(Signals, EndATimedWaitIfTheirHandlerDoesNotRestart) {
  install(0);
  const timespec until = in(CLOCK_MONOTONIC, 3'600'000);
  Sleeper sleeper{machine(), word_, kAnyBit, &until};
  wait_for_sleepers(machine(), word_, 1);
  signal_until_back(sleeper);
  EXPECT_EQ(sleeper.result(), -EINTR);
  EXPECT_EQ(machine().waiting(word_), 0U);
}

// With a timeout there is nothing to restart with: the handler ends the wait all the same.
TEST_P(Signals, EndATimedWaitEvenIfTheirHandlerRestarts) {
  install(SA_RESTART);
  const timespec in_an_hour{3600, 0};
  Sleeper relative{
      [&] { return machine().futex(address(word_), kWait, 0, &in_an_hour, nullptr, 0); }};
  wait_for_sleepers(machine(), word_, 1);
  signal_until_back(relative);
  EXPECT_EQ(relative.result(), -EINTR);
  const timespec until = in(CLOCK_REALTIME, 3'600'000);
  Sleeper absolute{machine(), word_, kAnyBit, &until, kRealtime};
  wait_for_sleepers(machine(), word_, 1);
  signal_until_back(absolute);
  EXPECT_EQ(absolute.result(), -EINTR);
  EXPECT_EQ(machine().waiting(word_), 0U);
}

TEST_P(Signals, LeaveAWaitAloneIfTheirHandlerRestarts) {
  if (kUnderTsan) GTEST_SKIP() << "TSan puts handlers off until the thread's next library call";
  install(SA_RESTART);
  Sleeper sleeper{machine(), word_};
  wait_for_sleepers(machine(), word_, 1);
  signal_often(sleeper);
  EXPECT_FALSE(sleeper.is_back());
  EXPECT_EQ(machine().waiting(word_), 1U);
  EXPECT_EQ(wake(), 1);
  EXPECT_EQ(sleeper.result(), 0);
}

// Stopping and continuing runs no handler, so nobody's wait ends, timed or not.
TEST_P(Signals, ThatStopAndContinueEndNoWait) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const timespec time{0, 300'000'000};
    Word mine{0};
    const long result = machine().futex(address(mine), kWait, 0, &time, nullptr, 0);
    _exit(result == -ETIMEDOUT ? 0 : 1);
  }
  for (int round = 0; round < 20; ++round) {
    kill(child, SIGSTOP);
    int status = 0;
    waitpid(child, &status, WUNTRACED);
    if (!WIFSTOPPED(status)) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
      return;
    }
    kill(child, SIGCONT);
    const timespec pause{0, 5'000'000};
    nanosleep(&pause, nullptr);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A wake that counted a thread is never swallowed by a signal to it, nor the other way round: the
// wait says "interrupted" exactly if no wake counted it, and then it is not queued any more.
TEST_P(Signals, AndWakesNeverBothCount) {
  install(0);
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random{seed};
  int interrupted = 0;
  for (int round = 0; round < 1000; ++round) {
    Sleeper sleeper{machine(), word_};
    wait_for_sleepers(machine(), word_, 1);
    const bool is_signal_first = random() % 2 == 0;
    if (is_signal_first) pthread_kill(sleeper.handle(), SIGUSR1);
    for (auto turn = random() % 2000; turn != 0; --turn) (void)word_.load();
    const long woken = wake();
    if (!is_signal_first) pthread_kill(sleeper.handle(), SIGUSR1);
    if (woken == 0) signal_until_back(sleeper);
    const long result = sleeper.result();
    ASSERT_EQ(result, woken == 1 ? 0 : -EINTR);
    ASSERT_EQ(machine().waiting(word_), 0U);
    if (result != 0) ++interrupted;
  }
  std::printf("%d of 1000 interrupted\n", interrupted);
}

}  // namespace
}  // namespace phutex::tests
