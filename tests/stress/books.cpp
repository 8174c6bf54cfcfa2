// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Double-entry book-keeping: every wake that says it woke somebody is some wait's success, and
// every success some wake's; and at the end nobody is left.

#include <sys/mman.h>

#include <array>
#include <thread>
#include <vector>

#include "phutex/phutex.h"
#include "tests/stress/engines.hpp"

namespace phutex::tests {
namespace {

template <class C>
class Books : public OnEveryEngine<C> {};
TYPED_TEST_SUITE(Books, AllConfigurations, ConfigName);

TYPED_TEST(Books, BalanceUnderATangleOfWaitsTimeoutsAndWakes) {
  constexpr std::uint32_t kThreads = 8;
  TestEngine<TypeParam> engine{2};  // few, so that words share buckets
  std::array<Word, 8> words{};
  std::atomic<long> successes{0};
  std::atomic<long> wakes{0};
  std::atomic<long> timeouts{0};
  const std::uint32_t seed = printed_seed();
  const Budget budget{this->kShares};
  std::vector<std::thread> threads;
  for (std::uint32_t index = 0; index < kThreads; ++index) {
    threads.emplace_back([&, index] {
      Chance chance{seed, index};
      while (!budget.is_over()) {
        Word& word = words[chance.below(words.size())];
        switch (chance.below(4)) {
          case 0:
            wakes.fetch_add(engine.wake(word, 1));
            break;
          case 1:
            wakes.fetch_add(engine.wake(word, INT32_MAX));
            break;
          default: {
            const std::uint32_t expected = chance.one_in(8) ? 1 : 0;
            const Errno result = engine.wait(word, expected, deadline_in(chance.below(100)));
            if (result == Errno::none) {
              successes.fetch_add(1);
            } else if (result == Errno::timed_out) {
              timeouts.fetch_add(1);
            } else {
              EXPECT_EQ(result, Errno::again);
              EXPECT_EQ(expected, 1U);
            }
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(successes.load(), wakes.load());
  for (Word& word : words) {
    EXPECT_EQ(engine.waiting(word), 0U);
    EXPECT_EQ(engine.wake(word, INT32_MAX), 0);
  }
  std::printf("%ld woken, %ld timed out\n", successes.load(), timeouts.load());
}

class BooksOfTheProcess : public testing::Test {
 private:
  Watchdog watchdog_{stress_limit(), "a stress test of books"};
};

// Words whose pages come and go under those who wait and wake on them: a wait finds the word, a
// page of zeroes in its place, or a fault; whatever it finds, the books balance.
TEST_F(BooksOfTheProcess, BalanceOnWordsThatComeAndGo) {
  constexpr std::size_t kPages = 4;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* const pages = static_cast<char*>(
      mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(pages), MAP_FAILED);
  const auto word_on = [&](std::uint32_t index) {
    return reinterpret_cast<std::uint32_t*>(pages + index * page);
  };
  constexpr int kWait = 0 | 128;
  constexpr int kWake = 1 | 128;
  std::atomic<long> successes{0};
  std::atomic<long> wakes{0};
  std::atomic<long> faults{0};
  const std::uint32_t seed = printed_seed();
  const Budget budget;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    Chance chance{seed, 0};
    while (!budget.is_over()) {
      void* const victim = word_on(chance.below(kPages));
      const int protection = chance.one_in(2) ? PROT_NONE : PROT_READ | PROT_WRITE;
      mmap(victim, page, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      linger(chance);
    }
  });
  for (std::uint32_t index = 1; index < 5; ++index) {
    threads.emplace_back([&, index] {
      Chance chance{seed, index};
      while (!budget.is_over()) {
        std::uint32_t* const word = word_on(chance.below(kPages));
        if (chance.one_in(2)) {
          const long woken = phutex_futex(word, kWake, 1 + chance.below(3), nullptr, nullptr, 0);
          EXPECT_GE(woken, 0);
          wakes.fetch_add(woken);
          continue;
        }
        const timespec time{0, static_cast<long>(chance.below(100'000))};
        const long result = phutex_futex(word, kWait, 0, &time, nullptr, 0);
        EXPECT_TRUE(result == 0 || result == -ETIMEDOUT || result == -EFAULT) << result;
        successes.fetch_add(result == 0 ? 1 : 0);
        faults.fetch_add(result == -EFAULT ? 1 : 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(successes.load(), wakes.load());
  for (std::uint32_t index = 0; index < kPages; ++index) {
    EXPECT_EQ(phutex_futex(word_on(index), kWake, INT32_MAX, nullptr, nullptr, 0), 0);
  }
  munmap(pages, kPages * page);
  std::printf("%ld woken, %ld faults\n", successes.load(), faults.load());
}

}  // namespace
}  // namespace phutex::tests
