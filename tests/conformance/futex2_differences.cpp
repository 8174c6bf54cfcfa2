// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where futex_wait(2) and futex_wake(2) of the engine mean to differ from the kernel's, and why.
// Should a row come to agree, it is to be deleted.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>

#include "native/nodes.hpp"
#include "tests/conformance/futex2.hpp"

namespace phutex::tests {
namespace {

bool has_kernel_calls() {
  Pair pair;
  return kernel_wake(&pair, kAnyBit, 0, kPlain) == 0;
}

std::atomic<int> handled{0};

void on_signal(int) {
  handled.fetch_add(1);
}

// The engine's threads sleep in FUTEX_WAIT_BITSET, which no handler lets go on to its timeout.
TEST(Futex2Differs, AboutATimedWaitAfterAHandlerThatRestarts) {
  if (kUnderTsan) GTEST_SKIP() << "TSan puts handlers off until the thread's next library call";
  if (!has_kernel_calls()) GTEST_SKIP() << "this kernel has no futex_wake(2)";
  const Watchdog watchdog{50, "a timed wait with signals"};
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  const timespec until = in(CLOCK_MONOTONIC, 3'600'000);
  for (const Calls* const calls : kBothCalls) {
    SCOPED_TRACE(calls->name);
    Pair pair;
    Sleeper sleeper{[&] { return calls->wait(&pair, 0, kAnyBit, kNuma, &until, CLOCK_MONOTONIC); }};
    wait_until([&] { return calls->waiting(pair, kNuma) == 1; }, "a sleeper");
    if (calls == &kEngineCalls) {
      // One signal need not be enough: the sleeper may be in line and not yet asleep.
      wait_until([&] { return pthread_kill(sleeper.handle(), SIGUSR1), sleeper.is_back(); },
                 "a signal to end a wait");
      EXPECT_EQ(sleeper.result(), -EINTR);
      continue;
    }
    handled.store(0);
    for (int round = 1; round <= 50; ++round) {
      pthread_kill(sleeper.handle(), SIGUSR1);
      wait_until([&] { return handled.load() >= round; }, "a handler to run");
    }
    EXPECT_FALSE(sleeper.is_back());
    // After the last handler it goes back in line in its own time.
    wait_until([&] { return calls->wake(&pair, kAnyBit, 1, kNuma) == 1; }, "it to wait on");
    EXPECT_EQ(sleeper.result(), 0);
  }
}

// Without a private hash the kernel has one table of a node for all words. The engine's stand-in
// for the global table, after phutex_set_buckets(0), is still one of words without a node only.
TEST(Futex2Differs, AboutWordsWithAndWithoutANodeWhenThereIsNoPrivateHash) {
  if (!has_kernel_calls()) GTEST_SKIP() << "this kernel has no futex_wake(2)";
  if (native::possible_nodes().count() != 1) GTEST_SKIP() << "the other node is a matter of luck";
  constexpr int kPrFutexHash = 78;
  if (prctl(kPrFutexHash, 1, 0, 0) != 0) GTEST_SKIP() << "this kernel has no private hash";
  ASSERT_EQ(phutex_set_buckets(0), 0);
  const Watchdog watchdog{50, "a wait without a private hash"};
  for (const Calls* const calls : kBothCalls) {
    SCOPED_TRACE(calls->name);
    Pair pair;
    Sleeper sleeper{[&] { return calls->wait(&pair, 0, kAnyBit, kNuma, nullptr, 0); }};
    wait_until([&] { return calls->waiting(pair, kNuma) == 1; }, "a sleeper");
    const bool is_kernel = calls == &kKernelCalls;
    EXPECT_EQ(calls->wake(&pair, kAnyBit, 1, kPlain), is_kernel ? 1 : 0);
    EXPECT_EQ(calls->wake(&pair, kAnyBit, 1, kNuma), is_kernel ? 0 : 1);
    EXPECT_EQ(sleeper.result(), 0);
  }
}

}  // namespace
}  // namespace phutex::tests
