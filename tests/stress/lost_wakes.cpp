// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// No wake is lost: whoever is about to sleep either sees the new value or is woken. A lost wake
// shows as a thread that sleeps on, and the watchdog says so.

#include <thread>
#include <vector>

#include "tests/stress/engines.hpp"

namespace phutex::tests {
namespace {

template <class C>
class LostWakes : public OnEveryEngine<C> {};
TYPED_TEST_SUITE(LostWakes, AllConfigurations, ConfigName);

// Two words handed to and fro with nothing but plain stores: the only fences are the engine's. An
// engine that looked for sleepers before the store was visible would leave both asleep.
TYPED_TEST(LostWakes, NeverHappenBetweenTwoThreadsWithPlainStores) {
  TestEngine<TypeParam> engine{16};
  alignas(64) Word ping{0};
  alignas(64) Word pong{0};
  const Budget budget{this->kShares};
  constexpr std::uint32_t kStop = ~std::uint32_t{0};
  const std::uint32_t seed = printed_seed();
  const auto await = [&](Chance& chance, Word& word, std::uint32_t old) {
    std::uint32_t value = old;
    for (std::uint32_t turn = chance.below(3000); turn != 0 && value == old; --turn) {
      value =
          word.load(std::memory_order_acquire);  // mostly without sleeping: that is when they meet
    }
    while (value == old) {
      engine.wait(word, old);
      value = word.load(std::memory_order_acquire);
    }
    return value;
  };
  const auto publish = [&](Word& word, std::uint32_t value) {
    word.store(value, std::memory_order_relaxed);
    engine.wake(word, 1);
  };
  std::thread other{[&] {
    pin_to_cpu(1);
    Chance chance{seed, 1};
    std::uint32_t last = 0;
    while ((last = await(chance, ping, last)) != kStop) publish(pong, last);
  }};
  pin_to_cpu(0);
  Chance chance{seed, 0};
  std::uint32_t rounds = 0;
  while (!budget.is_over()) {
    for (int turn = 0; turn < 100; ++turn) {
      publish(ping, ++rounds);
      ASSERT_EQ(await(chance, pong, rounds - 1), rounds);
    }
  }
  publish(ping, kStop);
  other.join();
  std::printf("%u hand-overs\n", rounds);
}

// A program that counts its own sleepers and wakes only if there are any leans on the engine for
// half of the argument: its count is up before the engine compares, and the comparison is a real
// look at the word.
TYPED_TEST(LostWakes, NeverHappenBehindACountOfOnesOwn) {
  TestEngine<TypeParam> engine{16};
  struct alignas(64) Side {
    Word value{0};
    std::atomic<int> sleepers{0};
  };
  Side ping;
  Side pong;
  constexpr std::uint32_t kStop = ~std::uint32_t{0};
  const auto await = [&](Chance& chance, Side& side, std::uint32_t old) {
    for (std::uint32_t turn = chance.below(3000); turn != 0; --turn) {
      if (side.value.load() != old) return side.value.load();
    }
    side.sleepers.fetch_add(1);
    while (side.value.load() == old) engine.wait(side.value, old);
    side.sleepers.fetch_sub(1);
    return side.value.load();
  };
  const auto publish = [&](Side& side, std::uint32_t value) {
    side.value.store(value);
    if (side.sleepers.load() != 0) engine.wake(side.value, 1);
  };
  const std::uint32_t seed = printed_seed();
  std::thread other{[&] {
    Chance chance{seed, 1};
    std::uint32_t last = 0;
    while ((last = await(chance, ping, last)) != kStop) publish(pong, last);
  }};
  Chance chance{seed, 0};
  const Budget budget{this->kShares};
  std::uint32_t rounds = 0;
  while (!budget.is_over()) {
    publish(ping, ++rounds);
    EXPECT_EQ(await(chance, pong, rounds - 1), rounds);
  }
  publish(ping, kStop);
  other.join();
  std::printf("%u hand-overs\n", rounds);
}

// One wait without a timeout against one store and one wake, at all distances: either the waiter
// finds the value changed, or the wake counts it; never neither, never both.
TYPED_TEST(LostWakes, NeverHappenBetweenComparingAndQueueing) {
  TestEngine<TypeParam> engine{16};
  Word word{0};
  std::atomic<std::uint32_t> go{0};
  std::atomic<std::uint32_t> begun{0};
  std::atomic<std::uint32_t> ended{0};
  std::atomic<Errno> outcome{Errno::none};
  constexpr std::uint32_t kStop = ~std::uint32_t{0};
  const std::uint32_t seed = printed_seed();
  std::thread waiter{[&] {
    Chance chance{seed, 1};
    for (std::uint32_t round = 1;; ++round) {
      spin_until([&] { return go.load() >= round; });
      if (go.load() == kStop) return;
      begun.store(round);
      linger(chance);
      outcome.store(engine.wait(word, round - 1));
      ended.store(round);
    }
  }};
  Chance chance{seed, 0};
  const Budget budget{this->kShares};
  std::uint32_t slept = 0;
  std::uint32_t round = 0;
  while (!budget.is_over()) {
    go.store(++round);
    spin_until([&] { return begun.load() == round; });
    linger(chance);
    word.store(round);
    const int woken = engine.wake(word, 1);
    spin_until([&] { return ended.load() == round; });
    const Errno result = outcome.load();
    EXPECT_TRUE(result == Errno::none || result == Errno::again) << static_cast<int>(result);
    EXPECT_EQ(woken, result == Errno::none ? 1 : 0);
    slept += result == Errno::none ? 1 : 0;
  }
  go.store(kStop);
  waiter.join();
  std::printf("%u rounds, asleep in %u\n", round, slept);
}

// Words that collide in one bucket, a sleeper each: a wake reaches the sleeper of its word and no
// other, or a stranger would use it up.
TYPED_TEST(LostWakes, NeverHappenToStrangersInOneBucket) {
  constexpr std::size_t kSleepers = 64;
  TestEngine<TypeParam> engine{2};
  struct alignas(64) Place {
    Word word{0};
    std::atomic<std::uint32_t> wakes{0};
  };
  std::vector<Place> storage(8 * kSleepers);
  std::vector<Place*> places;
  for (Place& place : storage) {
    if (key_of(place.word).hash() >> 63 == 0 && places.size() < kSleepers) places.push_back(&place);
  }
  ASSERT_EQ(places.size(), kSleepers);
  std::vector<std::thread> threads;
  for (Place* const place : places) {
    threads.emplace_back([&engine, place] {
      while (engine.wait(place->word, 0) == Errno::none) place->wakes.fetch_add(1);
    });
  }
  const auto wait_for_all = [&] {
    for (Place* const place : places) {
      wait_until([&] { return engine.waiting(place->word) == 1; }, "everybody to sleep");
    }
  };
  wait_for_all();
  Chance chance{printed_seed(), 0};
  const Budget budget{this->kShares};
  std::uint32_t rounds = 0;
  while (!budget.is_over()) {
    Place& place = *places[chance.below(kSleepers)];
    const std::uint32_t before = place.wakes.load();
    ASSERT_EQ(engine.wake(place.word, 1), 1);
    wait_until([&] { return engine.waiting(place.word) == 1; }, "the woken to sleep again");
    ASSERT_EQ(place.wakes.load(), before + 1);
    ++rounds;
  }
  std::uint32_t wakes = 0;
  for (Place* const place : places) {
    EXPECT_EQ(engine.waiting(place->word), 1U);
    wakes += place->wakes.load();
    place->word.store(1);
    EXPECT_EQ(engine.wake(place->word, 1), 1);
  }
  EXPECT_EQ(wakes, rounds);
  for (std::thread& thread : threads) thread.join();
  std::printf("%u wakes among %zu\n", rounds, kSleepers);
}

// The end of a thread, as a C library does it: the word goes from a number to 0, with a wake, and
// whoever joins takes the number it has just read for the old value. The value that a wait
// compares with is the caller's, not one that is read again on the way.
TYPED_TEST(LostWakes, NeverHappenAtTheEndOfAThread) {
  TestEngine<TypeParam> engine{16};
  const Budget budget{this->kShares};
  std::uint32_t rounds = 0;
  while (!budget.is_over()) {
    Word life{++rounds};
    std::thread thread{[&] {
      life.store(0, std::memory_order_release);
      engine.wake(life, INT32_MAX);
    }};
    while (const std::uint32_t value = life.load(std::memory_order_acquire)) {
      engine.wait(life, value);
    }
    thread.join();
  }
  std::printf("%u threads\n", rounds);
}

}  // namespace
}  // namespace phutex::tests
