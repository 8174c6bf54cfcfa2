// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables replaced under sleepers, under those that give up, under wakers and under each other:
// nobody wakes of it, nobody is lost, nothing of an old table is used.

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/stress/engines.hpp"

namespace phutex::tests {
namespace {

long resident_pages() {
  long total = 0;
  long resident = 0;
  std::ifstream{"/proc/self/statm"} >> total >> resident;
  return resident;
}

template <class C>
class Replacement : public OnEveryEngine<C> {};
TYPED_TEST_SUITE(Replacement, ReplaceableConfigurations, ConfigName);

// Sixty-four threads asleep, some on common words, through two hundred replacements of all sizes.
TYPED_TEST(Replacement, LetsSleepersSleep) {
  constexpr std::size_t kSleepers = 64;
  constexpr std::size_t kWords = 48;
  const int replacements = kUnderTsan || kUnderAsan ? 60 : 200;
  TestEngine<TypeParam> engine{16};
  std::deque<Word> words(kWords);
  std::atomic<int> awake{0};
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < kSleepers; ++index) {
    threads.emplace_back([&, index] {
      EXPECT_EQ(engine.wait(words[index % kWords], 0), Errno::none);
      awake.fetch_add(1);
    });
  }
  const auto asleep = [&] {
    std::size_t count = 0;
    for (Word& word : words) count += engine.waiting(word);
    return count;
  };
  wait_until([&] { return asleep() == kSleepers; }, "everybody to sleep");
  Chance chance{printed_seed(), 0};
  const long pages_before = resident_pages();
  for (int round = 0; round < replacements; ++round) {
    const std::size_t count = std::size_t{2} << chance.below(16);
    ASSERT_EQ(engine.resize(count), Errno::none);
    ASSERT_EQ(engine.bucket_count(), count);
    ASSERT_EQ(asleep(), kSleepers);
  }
  EXPECT_EQ(awake.load(), 0);
  if (!kUnderTsan && !kUnderAsan) {
    EXPECT_LT(resident_pages() - pages_before, 4096) << "old tables are still there";
  }
  std::size_t woken = 0;
  for (Word& word : words) woken += static_cast<std::size_t>(engine.wake(word, INT32_MAX));
  EXPECT_EQ(woken, kSleepers);
  for (std::thread& thread : threads) thread.join();
}

// Order is kept: a word's waiters move together, however often.
TYPED_TEST(Replacement, KeepsFirstComeFirstServed) {
  constexpr std::size_t kSleepers = 8;
  TestEngine<TypeParam> engine{2};
  Word word{0};
  std::array<std::atomic<bool>, kSleepers> is_back{};
  std::vector<std::thread> threads;
  Chance chance{printed_seed(), 0};
  for (std::size_t index = 0; index < kSleepers; ++index) {
    threads.emplace_back([&, index] {
      engine.wait(word, 0);
      is_back[index].store(true);
    });
    wait_until([&] { return engine.waiting(word) == index + 1; }, "another sleeper");
    ASSERT_EQ(engine.resize(std::size_t{2} << chance.below(8)), Errno::none);
  }
  for (std::size_t index = 0; index < kSleepers; ++index) {
    ASSERT_EQ(engine.wake(word, 1), 1);
    wait_until([&] { return is_back[index].load(); }, "the first in line to come back");
    ASSERT_EQ(engine.resize(std::size_t{2} << chance.below(8)), Errno::none);
  }
  for (std::thread& thread : threads) thread.join();
}

// Waiters that time out find their own way out of the queue, whichever table it is in by then,
// while others wake them and the table is replaced without a pause. The books balance.
TYPED_TEST(Replacement, KeepsTheBooksOfTimeoutsAndWakes) {
  TestEngine<TypeParam> engine{16};
  std::array<Word, 8> words{};
  std::atomic<long> successes{0};
  std::atomic<long> wakes{0};
  std::atomic<long> timeouts{0};
  std::atomic<long> replacements{0};
  const std::uint32_t seed = printed_seed();
  const Budget budget{this->kShares};
  std::vector<std::thread> threads;
  for (std::uint32_t index = 0; index < 16; ++index) {
    threads.emplace_back([&, index] {
      Chance chance{seed, index};
      while (!budget.is_over()) {
        Word& word = words[chance.below(words.size())];
        const Errno result = engine.wait(word, 0, deadline_in(50 + chance.below(150)));
        EXPECT_TRUE(result == Errno::none || result == Errno::timed_out);
        (result == Errno::none ? successes : timeouts).fetch_add(1);
      }
    });
  }
  for (std::uint32_t index = 0; index < 2; ++index) {
    threads.emplace_back([&, index] {
      Chance chance{seed, 100 + index};
      while (!budget.is_over()) {
        wakes.fetch_add(engine.wake(words[chance.below(words.size())], 1));
        linger(chance);
      }
    });
  }
  threads.emplace_back([&] {
    Chance chance{seed, 200};
    while (!budget.is_over()) {
      const Errno result = engine.resize(std::size_t{2} << chance.below(10));
      EXPECT_EQ(result, Errno::none);
      replacements.fetch_add(1);
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(successes.load(), wakes.load());
  for (Word& word : words) EXPECT_EQ(engine.waiting(word), 0U);
  std::printf("%ld woken, %ld timed out, %ld replacements\n", successes.load(), timeouts.load(),
              replacements.load());
}

// Replacements that race each other: one at a time, the last one stays; and once the table is
// frozen, it stays for good.
TYPED_TEST(Replacement, IsOneAtATime) {
  TestEngine<TypeParam> engine{16};
  Word word{0};
  const std::uint32_t seed = printed_seed();
  std::vector<std::thread> threads;
  for (std::uint32_t index = 0; index < 4; ++index) {
    threads.emplace_back([&, index] {
      Chance chance{seed, index};
      while (engine.resize(std::size_t{2} << chance.below(8)) == Errno::none) {
        const std::size_t count = engine.bucket_count();
        EXPECT_TRUE(std::has_single_bit(count) && count <= 256) << count;
      }
      EXPECT_EQ(engine.resize(2), Errno::busy);
    });
  }
  std::thread sleeper{[&] {
    while (engine.wait(word, 0) != Errno::again) {
    }
  }};
  const Budget budget{this->kShares};
  long wakes = 0;
  while (!budget.is_over()) wakes += engine.wake(word, 1);
  engine.freeze();
  const std::size_t count = engine.bucket_count();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(engine.bucket_count(), count);
  wakes += engine.wake(word, 1);
  word.store(1);
  engine.wake(word, 1);
  sleeper.join();
  std::printf("%ld wakes\n", wakes);
}

}  // namespace
}  // namespace phutex::tests
