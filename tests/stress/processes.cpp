// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fresh processes: forked while other threads are in the middle of everything, and those in which
// many threads make the first call at once.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>
#include <vector>

#include "phutex/phutex.hpp"
#include "tests/threads/budget.hpp"
#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

// The status of a child that has ended; it has as long as its own alarm says.
int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  return status;
}

// What a forked child does first: it has no sleepers and no hash, and can have both.
enum class Threads { none, one };
int use_everything(Threads threads) {
  static std::atomic<std::uint32_t> word{0};
  if (phutex_buckets() != 0) return 10;
  if (wake_all(word) != 0) return 11;
  for (int turn = 0; turn < 20; ++turn) {
    if (wait_for(word, 0, std::chrono::microseconds{10}) != wait_result::timed_out) return 12;
    if (wake_one(word) != 0) return 13;
  }
  if (phutex_set_buckets(64) != 0 || phutex_buckets() != 64) return 15;
  if (threads == Threads::none) return 0;
  std::thread sleeper{[] {
    while (word.load() == 0) wait(word, 0);
  }};
  while (wake_one(word) != 1) sched_yield();
  word.store(1);
  wake_one(word);
  sleeper.join();
  return 0;
}

// As fork(2), without anything that a C library does around it.
pid_t raw_fork() {
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

class Forks : public testing::Test {
 protected:
  // Forks again and again while threads wait, wake, time out and replace the hash.
  template <class Fork>
  void fork_in_a_hammering(Fork&& fork_now, Threads threads_of_child) {
    std::array<std::atomic<std::uint32_t>, 4> words{};
    std::vector<std::thread> threads;
    std::atomic<bool> is_over{false};
    const std::uint32_t seed = printed_seed();
    for (std::uint32_t index = 0; index < 4; ++index) {
      threads.emplace_back([&, index] {
        Chance chance{seed, index};
        while (!is_over.load()) {
          auto& word = words[chance.below(words.size())];
          if (chance.one_in(2)) {
            wake_all(word);
          } else {
            wait_for(word, 0, std::chrono::microseconds{chance.below(50)});
          }
        }
      });
    }
    threads.emplace_back([&] {
      while (!is_over.load()) {
        EXPECT_EQ(phutex_set_buckets(16), 0);
        EXPECT_EQ(phutex_set_buckets(1024), 0);
      }
    });
    wait_until([] { return phutex_buckets() != 0; }, "the parent's hash");
    const Budget budget;
    long children = 0;
    for (; !budget.is_over() && !HasFailure(); ++children) {
      const pid_t child = fork_now();
      ASSERT_GE(child, 0);
      if (child == 0) {
        alarm(20);
        _exit(use_everything(threads_of_child));
      }
      EXPECT_EQ(status_of(child), 0);
    }
    is_over.store(true);
    for (std::thread& thread : threads) thread.join();
    EXPECT_NE(phutex_buckets(), 0U);
    std::printf("%ld children\n", children);
  }

 private:
  Watchdog watchdog_{stress_limit(), "a stress test of forks"};
};

TEST_F(Forks, LeaveTheChildAnEngineOfItsOwn) {
  // TSan allows no threads after a fork of a process with threads, and ASan's allocator may be
  // locked for ever in the child, which a new thread's stack bounds are asked of.
  const bool is_sanitized = kUnderTsan || kUnderAsan;
  fork_in_a_hammering([] { return fork(); }, is_sanitized ? Threads::none : Threads::one);
}

TEST_F(Forks, WorkWithoutTheCLibrary) {
  if (kUnderTsan || kUnderAsan) GTEST_SKIP() << "a sanitizer must know of forks";
  fork_in_a_hammering(raw_fork, Threads::none);
}

// A mutex-like word that the parent's main thread holds and another thread sleeps on: in the
// child it is held and nobody sleeps on it.
TEST_F(Forks, KeepTheWordsAndLoseTheSleepers) {
  std::atomic<std::uint32_t> word{2};
  std::thread sleeper{[&] {
    while (word.load() == 2) wait(word, 2);
  }};
  wait_until([&] { return wake_one(word) == 1; }, "a sleeper");
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const bool is_sound = word.exchange(0) == 2 && wake_one(word) == 0 && word.exchange(1) == 0;
      _exit(is_sound ? 0 : 1);
    }
    EXPECT_EQ(status_of(child), 0);
  }
  word.store(0);
  wait_until([&] { return wake_one(word) == 1; }, "the sleeper to be woken");
  sleeper.join();
}

// Children of children, and a child that has never used its engine.
TEST_F(Forks, GoOnForGenerations) {
  std::atomic<std::uint32_t> word{0};
  EXPECT_EQ(wait(word, 1), wait_result::changed);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      alarm(20);
      _exit(use_everything(Threads::none));
    }
    const int of_grandchild = status_of(grandchild);
    _exit(of_grandchild != 0 ? 1 : use_everything(Threads::none));
  }
  EXPECT_EQ(status_of(child), 0);
}

// A process in which nobody has used phutex yet, and in which `count` threads get ready one by one
// and then do `first` at once.
template <class Prepare, class First>
int status_of_a_rush(std::size_t count, Prepare&& prepare, First&& first) {
  const pid_t child = fork();
  if (child != 0) return status_of(child);
  alarm(20);
  std::atomic<std::size_t> ready{0};
  std::atomic<int> worst{0};
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < count; ++index) {
    threads.emplace_back([&, index] {
      prepare();
      ready.fetch_add(1);
      spin_until([&] { return ready.load() == count; });
      if (const int wrong = first(index)) worst.store(wrong);
    });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(worst.load());
}

// Not a suite with a watchdog: these fork from a process that has one thread.

constexpr auto kUnprepared = [] {};

// Whoever comes first makes the engine; the others find it whole.
TEST(FirstUse, MayBeManyThreadsAtOnce) {
  const Budget budget;
  long processes = 0;
  for (; !budget.is_over() && !testing::Test::HasFailure(); ++processes) {
    EXPECT_EQ(
        status_of_a_rush(6, kUnprepared,
                         [](std::size_t index) {
                           const std::atomic<std::uint32_t> word{0};
                           if (index % 2 == 0) return wake_one(word);
                           if (wait_for(word, 1, std::chrono::hours{1}) != wait_result::changed) {
                             return 2;
                           }
                           return phutex_buckets() == 0 ? 3 : 0;
                         }),
        0);
  }
  std::printf("%ld processes\n", processes);
}

// The first bad word may be met by several threads at once: it is a fault for all of them, and a
// crash for none.
TEST(FirstUse, MayBeOfABadWord) {
  const Budget budget;
  long processes = 0;
  const auto wait_once = [] {
    const std::atomic<std::uint32_t> word{0};
    wait(word, 1);  // all is made by now but what turns faults into results
  };
  for (; !budget.is_over() && !testing::Test::HasFailure(); ++processes) {
    EXPECT_EQ(status_of_a_rush(2, wait_once,
                               [](std::size_t) {
                                 constexpr int kWait = 0 | 128;
                                 const long result =
                                     phutex_futex(nullptr, kWait, 0, nullptr, nullptr, 0);
                                 return result == -EFAULT ? 0 : 1;
                               }),
              0);
  }
  std::printf("%ld processes\n", processes);
}

// The global hash is asked for by many at once: some get it, the others learn that it is there.
// Sizes asked for at the same time come before it or not at all.
TEST(FirstUse, MayBeManyThatAskForTheGlobalHash) {
  const Budget budget;
  long processes = 0;
  for (; !budget.is_over() && !testing::Test::HasFailure(); ++processes) {
    EXPECT_EQ(status_of_a_rush(8, kUnprepared,
                               [](std::size_t index) {
                                 const std::atomic<std::uint32_t> word{0};
                                 const std::size_t counts[] = {0, 0, 0, 16, 0, 64, 0, 0};
                                 const int result = phutex_set_buckets(counts[index]);
                                 if (result != 0 && result != -EBUSY) return 1;
                                 if (counts[index] == 0 && phutex_buckets() != 0) return 2;
                                 if (wait_for(word, 0, std::chrono::microseconds{10}) !=
                                     wait_result::timed_out) {
                                   return 3;
                                 }
                                 return wake_one(word) == 0 ? 0 : 4;
                               }),
              0);
  }
  std::printf("%ld processes\n", processes);
}

}  // namespace
}  // namespace phutex::tests
