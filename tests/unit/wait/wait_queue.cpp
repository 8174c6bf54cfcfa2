// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/wait/wait_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "fibers/direct_memory.hpp"

namespace phutex {
namespace {

using Direct = fibers::DirectPlatform;
using Queue = WaitQueue<Direct>;

struct Sleeper {
  explicit Sleeper(std::uintptr_t identity, Bitset bitset = kMatchAny)
      : waiter(Key{identity}, bitset, parker) {}
  Parker<Direct> parker;
  Waiter<Direct> waiter;
};

class WaitQueueTest : public testing::Test {
 protected:
  Sleeper& append(std::uintptr_t identity, Bitset bitset = kMatchAny) {
    Sleeper& sleeper = sleepers_.emplace_back(identity, bitset);
    sleeper.parker.prepare();
    queue_.append(sleeper.waiter);
    expect_sound();
    return sleeper;
  }

  /// The indices, in order of appending, of those a take has woken, in the order it woke them.
  std::vector<std::size_t> take(std::uintptr_t identity, int limit, Bitset bitset = kMatchAny) {
    WakeList<Direct> list;
    const int count = queue_.take(Key{identity}, bitset, limit, list);
    EXPECT_EQ(count, list.count());
    expect_sound();
    list.unpark_all();
    std::vector<std::size_t> woken;
    for (std::size_t index = 0; index < sleepers_.size(); ++index) {
      if (!is_reported_[index] && sleepers_[index].parker.is_woken()) {
        is_reported_[index] = true;
        woken.push_back(index);
      }
    }
    return woken;
  }

  std::map<std::uintptr_t, std::uint32_t> lengths() const {
    std::map<std::uintptr_t, std::uint32_t> lengths;
    queue_.for_each_key([&](Key key, std::uint32_t length) {
      EXPECT_TRUE(lengths.try_emplace(key.identity, length).second) << "each key once";
    });
    return lengths;
  }

  void expect_sound() const { EXPECT_TRUE(queue_.is_sound()); }

  using Lengths = std::map<std::uintptr_t, std::uint32_t>;
  Queue queue_;

 private:
  std::deque<Sleeper> sleepers_;
  std::map<std::size_t, bool> is_reported_;
};

TEST_F(WaitQueueTest, IsEmptyAtFirst) {
  expect_sound();
  EXPECT_EQ(lengths(), Lengths{});
  EXPECT_TRUE(take(1, 1).empty());
}

TEST_F(WaitQueueTest, TakesTheLongestWaitingFirst) {
  for (int turn = 0; turn < 4; ++turn) append(1);
  EXPECT_EQ(take(1, 1), (std::vector<std::size_t>{0}));
  EXPECT_EQ(take(1, 2), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(take(1, 9), (std::vector<std::size_t>{3}));
  EXPECT_TRUE(take(1, 9).empty());
  EXPECT_EQ(lengths(), Lengths{});
}

TEST_F(WaitQueueTest, KeepsAQueueForEachKey) {
  for (const std::uintptr_t identity : {1U, 2U, 1U, 3U, 2U, 1U}) append(identity);
  EXPECT_EQ(lengths(), (Lengths{{1, 3}, {2, 2}, {3, 1}}));
  EXPECT_EQ(take(2, 9), (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(lengths(), (Lengths{{1, 3}, {3, 1}}));
  EXPECT_EQ(take(3, 9), (std::vector<std::size_t>{3}));
  EXPECT_TRUE(take(4, 9).empty());
  EXPECT_EQ(take(1, 9), (std::vector<std::size_t>{0, 2, 5}));
}

TEST_F(WaitQueueTest, SkipsThoseThatShareNoBit) {
  append(1, 1);
  append(1, 2);
  append(1, 3);
  append(1, 4);
  EXPECT_EQ(take(1, 9, 8), (std::vector<std::size_t>{}));
  EXPECT_EQ(take(1, 1, 2), (std::vector<std::size_t>{1}));
  EXPECT_EQ(take(1, 9, 2), (std::vector<std::size_t>{2}));
  EXPECT_EQ(take(1, 9, 5), (std::vector<std::size_t>{0, 3}));
}

TEST_F(WaitQueueTest, CountsTheTakenAndNotTheSkippedAgainstTheLimit) {
  for (const Bitset bitset : {1U, 2U, 1U, 2U, 1U, 2U}) append(1, bitset);
  EXPECT_EQ(take(1, 2, 2), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(take(1, 1), (std::vector<std::size_t>{0}));
}

TEST_F(WaitQueueTest, RemovesFirstMiddleAndLast) {
  Sleeper& first = append(1);
  append(1);
  Sleeper& middle = append(1);
  append(1);
  Sleeper& last = append(1);
  append(2);
  for (Sleeper* const sleeper : {&middle, &last, &first}) {
    EXPECT_TRUE(queue_.remove(sleeper->waiter));
    expect_sound();
    EXPECT_FALSE(queue_.remove(sleeper->waiter)) << "only once";
  }
  EXPECT_EQ(lengths(), (Lengths{{1, 2}, {2, 1}}));
  EXPECT_EQ(take(1, 9), (std::vector<std::size_t>{1, 3}));
}

TEST_F(WaitQueueTest, RemovesTheOnlyWaiterOfAKeyWhereverTheKeyStands) {
  Sleeper& one = append(1);
  Sleeper& two = append(2);
  Sleeper& three = append(3);
  for (Sleeper* const sleeper : {&two, &three, &one}) {
    EXPECT_TRUE(queue_.remove(sleeper->waiter));
    expect_sound();
  }
  EXPECT_EQ(lengths(), Lengths{});
}

TEST_F(WaitQueueTest, KeepsAKeysPlaceWhenItsFirstLeaves) {
  append(1);
  Sleeper& first = append(2);
  append(3);
  append(2);
  EXPECT_TRUE(queue_.remove(first.waiter));
  expect_sound();
  EXPECT_EQ(lengths(), (Lengths{{1, 1}, {2, 1}, {3, 1}}));
  EXPECT_EQ(take(2, 9), (std::vector<std::size_t>{3}));
}

TEST_F(WaitQueueTest, KnowsAWaiterThatWasTaken) {
  Sleeper& sleeper = append(1);
  take(1, 1);
  EXPECT_FALSE(queue_.remove(sleeper.waiter));
}

TEST_F(WaitQueueTest, QueuesAWaiterAgainAfterItLeft) {
  Sleeper& sleeper = append(1);
  append(1);
  EXPECT_TRUE(queue_.remove(sleeper.waiter));
  queue_.append(sleeper.waiter);
  expect_sound();
  EXPECT_EQ(take(1, 1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(take(1, 1), (std::vector<std::size_t>{0}));
}

TEST_F(WaitQueueTest, MovesWholeQueuesWithTheirOrder) {
  for (const std::uintptr_t identity : {1U, 2U, 1U, 2U, 1U}) append(identity);
  Queue other;
  std::uint32_t moved = 0;
  while (Waiter<Direct>* const first = queue_.detach_any()) {
    expect_sound();
    moved += Queue::length_of(*first);
    other.attach(*first);
    EXPECT_TRUE(other.is_sound());
  }
  EXPECT_EQ(moved, 5U);
  EXPECT_EQ(lengths(), Lengths{});
  while (Waiter<Direct>* const first = other.detach_any()) queue_.attach(*first);
  EXPECT_EQ(take(1, 1), (std::vector<std::size_t>{0}));
  EXPECT_EQ(take(1, 9), (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(take(2, 9), (std::vector<std::size_t>{1, 3}));
}

// Every sequence of a few operations on two keys, against a list a key.
TEST_F(WaitQueueTest, DoesAsAListDoes) {
  constexpr unsigned kOperations = 6;
  constexpr unsigned kKinds = 5;  // append 1, append 2, take one of 1, remove oldest, remove newest
  unsigned sequences = 1;
  for (unsigned turn = 0; turn < kOperations; ++turn) sequences *= kKinds;
  for (unsigned sequence = 0; sequence < sequences; ++sequence) {
    Queue queue;
    std::deque<Sleeper> sleepers;
    std::deque<Sleeper*> model;
    unsigned rest = sequence;
    for (unsigned turn = 0; turn < kOperations; ++turn, rest /= kKinds) {
      const unsigned kind = rest % kKinds;
      if (kind < 2) {
        model.push_back(&sleepers.emplace_back(kind + 1));
        queue.append(model.back()->waiter);
      } else if (kind == 2) {
        WakeList<Direct> list;
        const auto oldest = std::find_if(model.begin(), model.end(), [](const Sleeper* sleeper) {
          return sleeper->waiter.key() == Key{1};
        });
        ASSERT_EQ(queue.take(Key{1}, kMatchAny, 1, list), oldest == model.end() ? 0 : 1);
        list.unpark_all();
        if (oldest == model.end()) continue;
        ASSERT_TRUE((*oldest)->parker.is_woken());
        model.erase(oldest);
      } else if (!model.empty()) {
        Sleeper* const gone = kind == 3 ? model.front() : model.back();
        std::erase(model, gone);
        ASSERT_TRUE(queue.remove(gone->waiter));
      }
      ASSERT_TRUE(queue.is_sound()) << "sequence " << sequence;
    }
  }
}

}  // namespace
}  // namespace phutex
