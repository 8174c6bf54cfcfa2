// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threads that announce threads, threads that set sizes, and threads that use the table meanwhile:
// no growth is forgotten, what a user sets stays, and nobody asleep notices.

#include <algorithm>
#include <array>
#include <barrier>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "engine/control.hpp"
#include "tests/stress/engines.hpp"

namespace phutex::tests {
namespace {

using TestedConfig = Config<native::Platform, scheme::Split, mismatch::Locked>;
using TestedEngine = Engine<TestedConfig>;

constexpr sizing::Cpus kMany{.online = 256, .possible = 256};

/// A hash of 16 buckets, and a rule that grows it with the threads.
struct Tested {
  Tested() {
    if (!engine.prepare()) give_up("what a scheme needs");
  }
  TestedEngine engine{make_table(16)};
  Control<TestedEngine> control{
      engine, *sizing::rule_named("by_threads"), kMany, {Origin::automatic, 16}};
};

class Growth : public testing::Test {
 private:
  Watchdog watchdog_{stress_limit(), "a stress test of growth"};
};

constexpr std::size_t kThreads = 4;

/// Does `act(thread, chance)` in all threads at once, again and again; between two times, in one
/// of them, `look()`.
template <class Act, class Look>
void in_rounds(Act&& act, Look&& look) {
  const std::uint32_t seed = printed_seed();
  const Budget budget;
  std::atomic<bool> is_over{false};
  long rounds = 0;
  std::barrier meet{static_cast<std::ptrdiff_t>(kThreads)};
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Chance chance{seed, thread};
      while (!is_over.load()) {
        meet.arrive_and_wait();
        linger(chance);
        act(thread, chance);
        meet.arrive_and_wait();
        if (thread == 0) {
          look();
          ++rounds;
          is_over.store(budget.is_over() || testing::Test::HasFailure());
        }
        meet.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld rounds\n", rounds);
}

// Whoever finds a replacement under way leaves a wish and goes: when all have gone, the hash is as
// big as the biggest of the wishes.
TEST_F(Growth, ForgetsNoWish) {
  std::optional<Tested> tested{std::in_place};
  std::array<std::size_t, kThreads> announced{};
  in_rounds(
      [&](std::uint32_t thread, Chance& chance) {
        const std::size_t threads = 4 + chance.below(1000);
        announced[thread] = threads;
        EXPECT_TRUE(static_cast<bool>(tested->control.follow({.threads = threads})));
      },
      [&] {
        const std::size_t most = *std::max_element(announced.begin(), announced.end());
        const Hash wanted{Origin::automatic, sizing::four_for_each(most, kMany)};
        EXPECT_EQ(tested->control.hash(), wanted);
        EXPECT_EQ(tested->engine.bucket_count(), wanted.buckets);
        tested.emplace();
      });
}

// A user's size beats every wish, whether it was left before, meanwhile or after.
TEST_F(Growth, LeavesAUsersSizeAlone) {
  std::optional<Tested> tested{std::in_place};
  in_rounds(
      [&](std::uint32_t thread, Chance& chance) {
        if (thread == 0) {
          EXPECT_TRUE(static_cast<bool>(tested->control.set(8)));
          EXPECT_EQ(tested->control.hash(), (Hash{Origin::custom, 8}));
        } else {
          EXPECT_TRUE(static_cast<bool>(tested->control.follow({.threads = chance.below(1000)})));
        }
      },
      [&] {
        EXPECT_EQ(tested->control.hash(), (Hash{Origin::custom, 8}));
        EXPECT_EQ(tested->engine.bucket_count(), 8U);
        tested.emplace();
      });
}

// The global hash is asked for by two at once, beside sizes and wishes: one gets it, and it stays.
TEST_F(Growth, EndsWithTheGlobalHash) {
  std::optional<Tested> tested{std::in_place};
  std::atomic<int> granted{0};
  in_rounds(
      [&](std::uint32_t thread, Chance& chance) {
        if (thread < 2) {
          const Errno answer = tested->control.set(0).error();
          EXPECT_TRUE(answer == Errno::none || answer == Errno::busy);
          granted.fetch_add(answer == Errno::none ? 1 : 0);
        } else if (thread == 2) {
          const Errno answer = tested->control.set(std::size_t{2} << chance.below(8)).error();
          EXPECT_TRUE(answer == Errno::none || answer == Errno::busy);
        } else {
          EXPECT_TRUE(static_cast<bool>(tested->control.follow({.threads = chance.below(100)})));
        }
      },
      [&] {
        EXPECT_EQ(granted.exchange(0), 1);
        EXPECT_EQ(tested->control.hash().origin, Origin::global);
        EXPECT_EQ(tested->engine.bucket_count(), sizing::kernel_global(kMany));
        tested.emplace();
      });
}

// Sixteen threads sleep through thousands of changes of size, whoever asks for them.
TEST_F(Growth, LetsSleepersSleep) {
  Tested tested;
  std::deque<Word> words(16);
  std::atomic<int> awake{0};
  std::vector<std::thread> sleepers;
  for (Word& word : words) {
    sleepers.emplace_back([&] {
      const auto* const address = reinterpret_cast<const std::uint32_t*>(&word);
      EXPECT_TRUE(static_cast<bool>(tested.engine.wait(native::Word<std::uint32_t>{address}, 0U)));
      awake.fetch_add(1);
    });
  }
  for (Word& word : words) {
    wait_until([&] { return tested.engine.waiting(key_of(word)) == 1; }, "everybody to sleep");
  }
  in_rounds(
      [&](std::uint32_t thread, Chance& chance) {
        if (thread == 0) {
          EXPECT_TRUE(static_cast<bool>(tested.control.set(std::size_t{2} << chance.below(9))));
        } else if (thread == 1) {
          EXPECT_TRUE(static_cast<bool>(tested.control.reserve(chance.below(64))));
        } else {
          EXPECT_TRUE(static_cast<bool>(tested.control.follow({.threads = chance.below(200)})));
        }
      },
      [&] {
        EXPECT_EQ(awake.load(), 0);
        EXPECT_EQ(tested.engine.bucket_count(), tested.control.hash().buckets);
      });
  for (Word& word : words) EXPECT_EQ(tested.engine.wake(key_of(word), 1), 1);
  for (std::thread& sleeper : sleepers) sleeper.join();
}

}  // namespace
}  // namespace phutex::tests
