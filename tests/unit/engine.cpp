// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Waiting, waking and replacing, on every configuration.

#include "engine/engine.hpp"

#include <climits>
#include <vector>

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

template <class C>
class EngineTest : public testing::Test {
 protected:
  static constexpr bool kIsReplaceable = !std::is_same_v<typename C::Scheme, scheme::Fixed<Direct>>;

  EngineTest() { EXPECT_TRUE(engine_.prepare()); }

  Result<void> wait(const std::uint32_t& word, std::uint32_t expected, Bitset bitset = kMatchAny,
                    const Deadline& deadline = Deadline::never()) {
    return engine_.wait(WordOf{word}, expected, bitset, deadline);
  }
  int wake(const std::uint32_t& word, int limit, Bitset bitset = kMatchAny) {
    return engine_.wake(key_of(word), limit, bitset);
  }
  std::size_t waiting(const std::uint32_t& word) { return engine_.waiting(key_of(word)); }

  /// Starts a thread that waits, and lets it fall asleep. Its number is added to woken_ at the end.
  void sleep(const std::uint32_t& word, int number, Bitset bitset = kMatchAny) {
    spawn("sleeper", [this, &word, number, bitset] {
      EXPECT_TRUE(static_cast<bool>(wait(word, word, bitset)));
      woken_.push_back(number);
    });
    let_others_run();
  }

  Engine<C> engine_{Table<Direct>::create(2)};
  std::vector<int> woken_;
};

TYPED_TEST_SUITE(EngineTest, AllConfigs, ConfigNames);

TYPED_TEST(EngineTest, DoesNotWaitOnAnotherValue) {
  on_fibres([this] {
    const std::uint32_t word = 7;
    EXPECT_EQ(this->wait(word, 8).error(), Errno::again);
    EXPECT_EQ(this->waiting(word), 0U);
    EXPECT_EQ(this->wake(word, 1), 0);
  });
}

TYPED_TEST(EngineTest, WakesNobodyWhereNobodyWaits) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    for (const int limit : {1, 2, INT_MAX}) EXPECT_EQ(this->wake(word, limit), 0);
  });
}

TYPED_TEST(EngineTest, WakesAsManyAsItIsTold) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    for (int number = 1; number <= 6; ++number) this->sleep(word, number);
    EXPECT_EQ(this->waiting(word), 6U);
    EXPECT_EQ(this->wake(word, 1), 1);
    EXPECT_EQ(this->wake(word, 2), 2);
    EXPECT_EQ(this->waiting(word), 3U);
    EXPECT_EQ(this->wake(word, INT_MAX), 3);
    EXPECT_EQ(this->wake(word, 1), 0);
    join_all();
    EXPECT_EQ(this->woken_.size(), 6U);
  });
}

TYPED_TEST(EngineTest, WakesTheLongestWaitingFirst) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    for (int number = 1; number <= 3; ++number) this->sleep(word, number);
    for (int number = 1; number <= 3; ++number) {
      EXPECT_EQ(this->wake(word, 1), 1);
      let_others_run();
      EXPECT_EQ(this->woken_.back(), number);
    }
    join_all();
  });
}

TYPED_TEST(EngineTest, WakesOnlyWhoSharesABit) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    this->sleep(word, 1, 1);
    this->sleep(word, 2, 2);
    this->sleep(word, 3, 3);
    EXPECT_EQ(this->wake(word, INT_MAX, 4), 0);
    EXPECT_EQ(this->wake(word, 1, 2), 1);
    let_others_run();
    EXPECT_EQ(this->woken_, (std::vector<int>{2}));
    EXPECT_EQ(this->wake(word, INT_MAX), 2);
    join_all();
    EXPECT_EQ(this->woken_, (std::vector<int>{2, 1, 3}));
  });
}

TYPED_TEST(EngineTest, KeepsWordsApartThatShareABucket) {
  on_fibres([this] {
    const std::uint32_t words[8] = {};  // four to a hash, and two buckets
    for (const int number : {0, 1, 2}) this->sleep(words[number], number);
    EXPECT_EQ(this->wake(words[3], INT_MAX), 0);
    EXPECT_EQ(this->wake(words[1], INT_MAX), 1);
    let_others_run();
    EXPECT_EQ(this->woken_, (std::vector<int>{1}));
    EXPECT_EQ(this->wake(words[0], 1) + this->wake(words[2], 1), 2);
    join_all();
  });
}

TYPED_TEST(EngineTest, TimesOutAndLeavesNothingBehind) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    for (int turn = 0; turn < 3; ++turn) {
      EXPECT_EQ(this->wait(word, 0, kMatchAny, kSoon).error(), Errno::timed_out);
      EXPECT_EQ(this->waiting(word), 0U);
    }
    EXPECT_EQ(this->wake(word, INT_MAX), 0);
  });
}

TYPED_TEST(EngineTest, TimesOutInTheOrderOfDeadlines) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    for (const int seconds : {3, 1, 2}) {
      spawn("sleeper", [this, &word, seconds] {
        const Deadline deadline = Deadline::at(Clock::monotonic, seconds, 0);
        EXPECT_EQ(this->wait(word, 0, kMatchAny, deadline).error(), Errno::timed_out);
        this->woken_.push_back(seconds);
      });
    }
    join_all();
    EXPECT_EQ(this->woken_, (std::vector<int>{1, 2, 3}));
  });
}

TYPED_TEST(EngineTest, IsInterruptedAndLeavesNothingBehind) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    const unsigned sleeper = spawn(
        "sleeper", [this, &word] { EXPECT_EQ(this->wait(word, 0).error(), Errno::interrupted); });
    let_others_run();
    EXPECT_EQ(this->waiting(word), 1U);
    fibers::Runtime::current()->interrupt(sleeper);
    let_others_run();
    EXPECT_EQ(this->waiting(word), 0U);
  });
}

TYPED_TEST(EngineTest, WaitsOnWordsOfEveryWidth) {
  on_fibres([this] {
    const auto wait_and_wake = [this]<class T>(T value) {
      spawn("sleeper", [this, &value] {
        EXPECT_EQ(this->engine_.wait(WordOf{value}, static_cast<T>(value - 1)).error(),
                  Errno::again);
        EXPECT_TRUE(static_cast<bool>(this->engine_.wait(WordOf{value}, value)));
      });
      let_others_run();
      EXPECT_EQ(this->engine_.wake(key_of(value), 1), 1);
      let_others_run();
    };
    wait_and_wake(std::uint8_t{200});
    wait_and_wake(std::uint16_t{50'000});
    wait_and_wake(std::uint32_t{4'000'000'000});
    wait_and_wake(std::uint64_t{1} << 40);
  });
}

TYPED_TEST(EngineTest, FailsAWaitWithoutMemoryAndCanWaitLater) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    fibers::DirectMemory::storage.left = 0;
    EXPECT_EQ(this->wait(word, 0, kMatchAny, kSoon).error(), Errno::no_memory);
    fibers::DirectMemory::storage.left = SIZE_MAX;
    EXPECT_EQ(this->wait(word, 0, kMatchAny, kSoon).error(), Errno::timed_out);
    fibers::DirectMemory::storage.left = 0;
    EXPECT_EQ(this->wait(word, 0, kMatchAny, kSoon).error(), Errno::timed_out) << "from then on";
    fibers::DirectMemory::storage.left = SIZE_MAX;
  });
}

TYPED_TEST(EngineTest, KeepsSleepersAsleepThroughReplacements) {
  on_fibres([this] {
    const std::uint32_t words[8] = {};
    for (int number = 0; number < 6; ++number) this->sleep(words[number / 2 * 2], number);
    for (const std::size_t count : {2U, 4U, 8U, 256U, 16U, 1024U, 2U}) {
      const Errno result = this->engine_.resize(count).error();
      EXPECT_EQ(result, this->kIsReplaceable ? Errno::none : Errno::busy);
      let_others_run();
      EXPECT_TRUE(this->woken_.empty());
    }
    for (int number = 0; number < 6; ++number) {
      EXPECT_EQ(this->wake(words[number / 2 * 2], 1), 1);
      let_others_run();
      EXPECT_EQ(this->woken_.back(), number) << "in the order they came";
    }
    join_all();
  });
}

TYPED_TEST(EngineTest, TimesOutOfAnotherTableThanItWentTo) {
  on_fibres([this] {
    const std::uint32_t word = 0;
    spawn("sleeper", [this, &word] {
      EXPECT_EQ(this->wait(word, 0, kMatchAny, kSoon).error(), Errno::timed_out);
    });
    let_others_run();
    (void)this->engine_.resize(64);
    EXPECT_EQ(this->waiting(word), 1U);
    join_all();
    EXPECT_EQ(this->waiting(word), 0U);
  });
}

TYPED_TEST(EngineTest, IsNotReplacedOnceFrozen) {
  on_fibres([this] {
    this->engine_.freeze();
    EXPECT_EQ(this->engine_.resize(4).error(), Errno::busy);
    EXPECT_EQ(this->engine_.bucket_count(), 2U);
    const std::uint32_t word = 0;
    this->sleep(word, 1);
    EXPECT_EQ(this->wake(word, 1), 1);
    join_all();
  });
}

}  // namespace
}  // namespace phutex
