// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Who is woken, how many, and in which order: kernel and engine alike.

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/conformance/machines.hpp"

namespace phutex::tests {
namespace {

long wake(const Machine& machine, Word& word, int count) {
  return machine.futex(address(word), kWake, static_cast<std::uint32_t>(count), nullptr, nullptr,
                       0);
}

long wake_bits(const Machine& machine, Word& word, int count, std::uint32_t bits) {
  return machine.futex(address(word), kWakeBitset, static_cast<std::uint32_t>(count), nullptr,
                       nullptr, bits);
}

class Wakes : public testing::TestWithParam<const Machine*> {
 protected:
  const Machine& machine() const { return *GetParam(); }

  // Sleepers that queue one after the other, so that their order is known.
  void put_to_sleep(const std::vector<std::uint32_t>& sets) {
    for (const std::uint32_t bits : sets) {
      const std::size_t before = machine().waiting(word_);
      sleepers_.push_back(std::make_unique<Sleeper>([this, bits, index = sleepers_.size()] {
        const long result = machine().futex(address(word_), kWaitBitset, 0, nullptr, nullptr, bits);
        const std::lock_guard<std::mutex> guard{order_lock_};
        order_.push_back(index);
        return result;
      }));
      wait_for_sleepers(machine(), word_, before + 1);
    }
  }
  void put_to_sleep(std::size_t count) { put_to_sleep(std::vector(count, kAnyBit)); }

  // The order in which they came back, when `count` have.
  std::vector<std::size_t> order_of(std::size_t count) {
    std::vector<std::size_t> order;
    wait_until(
        [&] {
          const std::lock_guard<std::mutex> guard{order_lock_};
          order = order_;
          return order.size() >= count;
        },
        "the woken to come back");
    return order;
  }

  void expect_all_woken() {
    for (const auto& sleeper : sleepers_) EXPECT_EQ(sleeper->result(), 0);
    EXPECT_EQ(machine().waiting(word_), 0U);
    EXPECT_EQ(wake(machine(), word_, INT_MAX), 0);
  }

  Word word_{0};

 private:
  Watchdog watchdog_{50, "a test of wakes"};
  std::mutex order_lock_;
  std::vector<std::size_t> order_;
  std::vector<std::unique_ptr<Sleeper>> sleepers_;
};

INSTANTIATE_TEST_SUITE_P(On, Wakes, testing::ValuesIn(kMachines),
                         [](const auto& each) { return std::string{each.param->name}; });

// A count of none, or of less than none, wakes one: the kernel's loop counts after it has woken,
// and programs may have come to rely on it. A negative count is not a huge one.
TEST_P(Wakes, OfNoneOrFewerAreOfOne) {
  put_to_sleep(4);
  EXPECT_EQ(wake(machine(), word_, 0), 1);
  EXPECT_EQ(wake(machine(), word_, -1), 1);
  EXPECT_EQ(wake(machine(), word_, INT_MIN), 1);
  EXPECT_EQ(wake_bits(machine(), word_, 0, kAnyBit), 1);
  EXPECT_EQ(wake(machine(), word_, 0), 0);
  expect_all_woken();
}

TEST_P(Wakes, AreAsManyAsAskedFor) {
  put_to_sleep(5);
  EXPECT_EQ(wake(machine(), word_, 1), 1);
  EXPECT_EQ(machine().waiting(word_), 4U);
  EXPECT_EQ(wake(machine(), word_, 3), 3);
  EXPECT_EQ(machine().waiting(word_), 1U);
  EXPECT_EQ(wake(machine(), word_, INT_MAX), 1);
  expect_all_woken();
}

// A limit that an implementation may have inside (how many it can wake at once) must not show:
// neither by waking everybody nor by losing the rest.
TEST_P(Wakes, AreExactForHundreds) {
  constexpr std::size_t kSleepers = kUnderTsan || kUnderAsan ? 400 : 2000;
  std::vector<std::unique_ptr<Sleeper>> sleepers;
  for (std::size_t index = 0; index < kSleepers; ++index) {
    sleepers.push_back(std::make_unique<Sleeper>(machine(), word_));
  }
  wait_for_sleepers(machine(), word_, kSleepers);
  const int most = static_cast<int>(kSleepers / 2 + 24);
  EXPECT_EQ(wake(machine(), word_, most), most);
  EXPECT_EQ(wake(machine(), word_, 1), 1);
  const int rest = static_cast<int>(kSleepers) - most - 1;
  EXPECT_EQ(machine().waiting(word_), static_cast<std::size_t>(rest));
  EXPECT_EQ(wake(machine(), word_, INT_MAX), rest);
  for (const auto& sleeper : sleepers) EXPECT_EQ(sleeper->result(), 0);
}

TEST_P(Wakes, AreFirstComeFirstServed) {
  constexpr std::size_t kSleepers = 8;
  put_to_sleep(kSleepers);
  for (std::size_t index = 0; index < kSleepers; ++index) {
    ASSERT_EQ(wake(machine(), word_, 1), 1);
    EXPECT_EQ(order_of(index + 1).at(index), index);
  }
  expect_all_woken();
}

// Who leaves the middle of the queue leaves the order of the others as it was.
TEST_P(Wakes, KeepTheirOrderWhenOthersTimeOut) {
  std::vector<std::unique_ptr<Sleeper>> impatient;
  const timespec soon = in(CLOCK_MONOTONIC, 150);
  put_to_sleep(2);
  impatient.push_back(std::make_unique<Sleeper>(machine(), word_, kAnyBit, &soon));
  wait_until([&] { return impatient[0]->is_back() || machine().waiting(word_) == 3; }, "a third");
  EXPECT_EQ(impatient[0]->result(), -ETIMEDOUT);
  put_to_sleep(2);
  for (std::size_t index = 0; index < 4; ++index) {
    ASSERT_EQ(wake(machine(), word_, 1), 1);
    EXPECT_EQ(order_of(index + 1).at(index), index);
  }
  expect_all_woken();
}

TEST_P(Wakes, PickByBits) {
  put_to_sleep({1, 2, 3});
  EXPECT_EQ(wake_bits(machine(), word_, INT_MAX, 4), 0);
  EXPECT_EQ(wake_bits(machine(), word_, 9, 2), 2);
  EXPECT_EQ(order_of(2).size(), 2U);
  EXPECT_EQ(machine().waiting(word_), 1U);
  EXPECT_EQ(wake(machine(), word_, INT_MAX), 1);  // a wake without bits is one with all
  EXPECT_EQ(order_of(3).back(), 0U);
  expect_all_woken();
}

// Only those that match count, and those that do not are passed over.
TEST_P(Wakes, CountOnlyThoseWithTheBits) {
  put_to_sleep({1, 2, 1, 2});
  EXPECT_EQ(wake_bits(machine(), word_, 1, 2), 1);
  EXPECT_EQ(order_of(1).at(0), 1U);
  EXPECT_EQ(wake_bits(machine(), word_, 1, 6), 1);
  EXPECT_EQ(order_of(2).at(1), 3U);
  EXPECT_EQ(wake_bits(machine(), word_, 1, 3), 1);
  EXPECT_EQ(order_of(3).at(2), 0U);
  EXPECT_EQ(wake_bits(machine(), word_, 5, 0x80000001), 1);
  expect_all_woken();
}

TEST_P(Wakes, OfOtherWordsWakeNobody) {
  alignas(64) Word neighbours[16]{};
  put_to_sleep(1);
  for (Word& neighbour : neighbours) EXPECT_EQ(wake(machine(), neighbour, INT_MAX), 0);
  EXPECT_EQ(machine().waiting(word_), 1U);
  EXPECT_EQ(wake(machine(), word_, 1), 1);
  expect_all_woken();
}

// A wake reads nothing: the word may have any value by then, its old one included.
TEST_P(Wakes, DoNotCareForTheValue) {
  put_to_sleep(2);
  EXPECT_EQ(wake(machine(), word_, 1), 1);
  word_.store(7);
  EXPECT_EQ(wake(machine(), word_, 1), 1);
  expect_all_woken();
}

// What pthread_join asks for: a set wait on the wall clock, without a timeout and with all bits.
TEST_P(Wakes, ReachAWaitOnTheWallClockWithoutATimeout) {
  Sleeper sleeper{machine(), word_, kAnyBit, nullptr, kRealtime};
  wait_for_sleepers(machine(), word_, 1);
  EXPECT_EQ(wake(machine(), word_, 1), 1);
  EXPECT_EQ(sleeper.result(), 0);
}

// Two waits of one thread from different depths of its stack are one word's waits: a key is made
// of the word's address, not of where a wait keeps its own affairs.
TEST_P(Wakes, FindAWaiterWhateverItsStack) {
  for (const std::size_t depth : {std::size_t{16}, std::size_t{20000}}) {
    Sleeper sleeper{[&] {
      std::vector<char> unused(depth);
      volatile char* const on_stack = static_cast<volatile char*>(__builtin_alloca(depth));
      on_stack[0] = unused[0];
      return machine().futex(address(word_), kWait, 0, nullptr, nullptr, 0);
    }};
    wait_for_sleepers(machine(), word_, 1);
    EXPECT_EQ(wake(machine(), word_, 1), 1);
    EXPECT_EQ(sleeper.result(), 0);
  }
}

}  // namespace
}  // namespace phutex::tests
