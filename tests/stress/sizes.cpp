// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Words of 1, 2, 4 and 8 bytes: compared whole, read no wider than they are, and each known by its
// own address, however close its neighbours.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "native/instance.hpp"
#include "phutex/phutex.hpp"
#include "tests/threads/budget.hpp"
#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

std::size_t waiting(const void* word) {
  native::Instance* const instance = native::Instance::get_if_used();
  return instance == nullptr
             ? 0
             : instance->engine().waiting(Key{reinterpret_cast<std::uintptr_t>(word)});
}

template <class T>
class Sizes : public testing::Test {
 private:
  Watchdog watchdog_{stress_limit(), "a stress test of sizes"};
};

struct SizeName {
  template <class T>
  static std::string GetName(int) {
    return "of_" + std::to_string(sizeof(T));
  }
};

using Widths = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Sizes, Widths, SizeName);

// The highest bit alone makes a difference, at entry and while asleep.
TYPED_TEST(Sizes, AreComparedWhole) {
  constexpr auto kHigh = static_cast<TypeParam>(TypeParam{1} << (8 * sizeof(TypeParam) - 1));
  std::atomic<TypeParam> word{kHigh};
  EXPECT_EQ(wait(word, 0), wait_result::changed);
  word.store(0);
  std::thread waiter{[&] {
    while (word.load() == 0) wait(word, 0);
  }};
  wait_until([&] { return waiting(&word) == 1; }, "the waiter to sleep");
  word.store(kHigh);
  EXPECT_EQ(wake_one(word), 1);
  waiter.join();
}

// A value that differs by a multiple of what the word can hold is another value.
TYPED_TEST(Sizes, HoldNoWiderValue) {
  if (sizeof(TypeParam) == 8) return;
  const TypeParam word = 0;
  const std::uint64_t beyond = std::uint64_t{1} << (8 * sizeof(TypeParam) % 64);
  EXPECT_EQ(phutex_wait(&word, sizeof word, beyond, PHUTEX_ANY, nullptr, 0), -EAGAIN);
}

// The last word before a page that may not be read, and the first one after it.
TYPED_TEST(Sizes, AreReadNoWiderThanTheyAre) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* const pages =
      static_cast<char*>(mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(pages), MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page, page, PROT_READ | PROT_WRITE), 0);
  for (char* const place : {pages + page, pages + 2 * page - sizeof(TypeParam)}) {
    auto& word = *new (place) std::atomic<TypeParam>{1};
    EXPECT_EQ(wait(word, 0), wait_result::changed);
    EXPECT_EQ(wait_for(word, 1, std::chrono::milliseconds{1}), wait_result::timed_out);
    std::thread waiter{[&] { EXPECT_EQ(wait(word, 1), wait_result::woken); }};
    wait_until([&] { return waiting(&word) == 1; }, "the waiter to sleep");
    EXPECT_EQ(wake_one(word), 1);
    waiter.join();
  }
  munmap(pages, 3 * page);
}

// Eight bytes' worth of words side by side, a waiter on each: a wake of one is for its waiter, and
// all others sleep on.
TYPED_TEST(Sizes, AreKnownByTheirAddresses) {
  constexpr std::size_t kWords = 8 / sizeof(TypeParam) + 1;
  alignas(16) std::array<std::atomic<TypeParam>, kWords> words{};
  std::array<std::atomic<int>, kWords> wakes{};
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < kWords; ++index) {
    threads.emplace_back([&, index] {
      while (words[index].load() == 0) {
        if (wait(words[index], 0) == wait_result::woken) wakes[index].fetch_add(1);
      }
    });
  }
  const auto expect_all_asleep = [&] {
    for (auto& word : words) {
      wait_until([&] { return waiting(&word) == 1; }, "everybody to sleep");
    }
  };
  expect_all_asleep();
  Chance chance{printed_seed(), 0};
  std::array<int, kWords> expected{};
  for (int round = 0; round < 500; ++round) {
    const std::size_t index = chance.below(kWords);
    ASSERT_EQ(wake_all(words[index]), 1);
    ++expected[index];
    expect_all_asleep();
    for (std::size_t each = 0; each < kWords; ++each) ASSERT_EQ(wakes[each].load(), expected[each]);
  }
  for (auto& word : words) {
    word.store(1);
    EXPECT_EQ(wake_all(word), 1);
  }
  for (std::thread& thread : threads) thread.join();
}

// Nobody is woken by the traffic of unrelated words, not even by a hundred thousand of it, and not
// after a store that nobody was told of; then, told, it wakes.
TYPED_TEST(Sizes, AreNotWokenByStrangers) {
  std::atomic<TypeParam> word{0};
  std::atomic<int> returns{0};
  std::thread waiter{[&] {
    wait(word, 0);
    returns.fetch_add(1);
  }};
  wait_until([&] { return waiting(&word) == 1; }, "the waiter to sleep");
  word.store(1);
  std::vector<std::atomic<TypeParam>> strangers(1000);
  for (int round = 0; round < 100; ++round) {
    for (auto& stranger : strangers) ASSERT_EQ(wake_all(stranger), 0);
  }
  EXPECT_EQ(returns.load(), 0);
  EXPECT_EQ(waiting(&word), 1U);
  EXPECT_EQ(wake_all(word), 1);
  waiter.join();
}

// One hand-over after another with relaxed stores: the value's order is the engine's to keep, for
// every width.
TYPED_TEST(Sizes, LoseNoHandOver) {
  alignas(64) std::atomic<TypeParam> ping{0};
  alignas(64) std::atomic<TypeParam> pong{0};
  std::atomic<bool> is_over{false};
  const std::uint32_t seed = printed_seed();
  const auto await = [](Chance& chance, const std::atomic<TypeParam>& word, TypeParam old) {
    for (std::uint32_t turn = chance.below(2000); turn != 0; --turn) {
      if (word.load(std::memory_order_relaxed) != old) return;
    }
    while (word.load(std::memory_order_relaxed) == old) wait(word, old);
  };
  std::thread other{[&] {
    Chance chance{seed, 1};
    for (TypeParam value = 0;; ++value) {
      await(chance, ping, value);
      if (is_over.load()) return;
      pong.store(static_cast<TypeParam>(value + 1), std::memory_order_relaxed);
      wake_one(pong);
    }
  }};
  Chance chance{seed, 0};
  const Budget budget{4};
  long rounds = 0;
  for (TypeParam value = 0;; ++value, ++rounds) {
    is_over.store(budget.is_over());
    ping.store(static_cast<TypeParam>(value + 1), std::memory_order_relaxed);
    wake_one(ping);
    if (is_over.load()) break;
    await(chance, pong, value);
  }
  other.join();
  std::printf("%ld hand-overs\n", rounds);
}

}  // namespace
}  // namespace phutex::tests
