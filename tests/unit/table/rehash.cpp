// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/table/rehash.hpp"

#include <deque>
#include <vector>

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

struct Sleeper {
  explicit Sleeper(std::uintptr_t identity) : waiter(Key{identity}, kMatchAny, parker) {}
  Parker<Direct> parker;
  Waiter<Direct> waiter;
};

void enqueue(Table<Direct>& table, Waiter<Direct>& waiter) {
  auto locked = table.bucket_of(waiter.key()).lock();
  table.note(locked);
  locked.announce();
  locked.enqueue(waiter);
}

int wake_one(Table<Direct>& table, Key key) {
  WakeList<Direct> list;
  table.bucket_of(key).lock().take(key, kMatchAny, 1, list);
  list.unpark_all();
  return list.count();
}

bool is_sound(Table<Direct>& table) {
  for (std::size_t index = 0; index < table.bucket_count(); ++index) {
    const auto locked = table.bucket_at(index).lock();
    bool is_empty = true;
    locked.queue().for_each_key([&](Key key, std::uint32_t) {
      is_empty = false;
      EXPECT_EQ(&table.bucket_of(key), &table.bucket_at(index)) << "a key in its bucket";
    });
    if (!locked.queue().is_sound() || table.bucket_at(index).maybe_waiting() == is_empty) {
      return false;
    }
  }
  return true;
}

TEST(Rehash, KeepsEveryWaiterAndTheOrderOfEachKey) {
  constexpr std::uintptr_t kKeys = 7;
  constexpr std::size_t kEach = 3;
  std::deque<Sleeper> sleepers;
  auto table = Table<Direct>::create(2);
  for (std::size_t turn = 0; turn < kEach; ++turn) {
    for (std::uintptr_t key = 0; key < kKeys; ++key) {
      enqueue(*table, sleepers.emplace_back(16 * key).waiter);
    }
  }
  for (const std::size_t count : {4U, 64U, 2U, 8U, 2U, 1024U}) {
    auto next = Table<Direct>::create(count);
    rehash(*table, *next);
    EXPECT_TRUE(is_sound(*next));
    for (std::size_t index = 0; index < table->bucket_count(); ++index) {
      EXPECT_FALSE(table->bucket_at(index).maybe_waiting()) << "nobody is left behind";
    }
    table = std::move(next);
  }
  for (std::size_t turn = 0; turn < kEach; ++turn) {
    for (std::uintptr_t key = 0; key < kKeys; ++key) {
      EXPECT_EQ(wake_one(*table, Key{16 * key}), 1);
      EXPECT_TRUE(sleepers[turn * kKeys + key].parker.is_woken()) << "the next in its key's order";
    }
  }
  EXPECT_TRUE(is_sound(*table));
}

TEST(Rehash, WakesNobody) {
  Sleeper sleeper{16};
  const auto from = Table<Direct>::create(2);
  const auto to = Table<Direct>::create(4);
  sleeper.parker.prepare();
  enqueue(*from, sleeper.waiter);
  rehash(*from, *to);
  EXPECT_FALSE(sleeper.parker.is_woken());
  EXPECT_TRUE(to->bucket_of(sleeper.waiter.key()).lock().leave(sleeper.waiter));
}

}  // namespace
}  // namespace phutex
