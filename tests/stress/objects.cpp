// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mutexes, conditions and semaphores on the process's engine: everybody gets on, nobody gets in
// twice, also while signal handlers run all the time.

#include "tests/stress/objects.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <thread>
#include <vector>

#include "tests/threads/budget.hpp"
#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

void do_nothing(int) {}

// Interrupts threads ten thousand times a second for as long as the budget lasts. Without
// SA_RESTART, so that every wait that sleeps is cut short.
void storm(std::vector<std::thread>& victims, const Budget& budget) {
  struct sigaction action {};
  action.sa_handler = do_nothing;
  sigaction(SIGUSR1, &action, nullptr);
  while (!budget.is_over()) {
    for (std::thread& victim : victims) pthread_kill(victim.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::microseconds{100});
  }
}

class Objects : public testing::Test {
 protected:
  // Runs the threads and waits for them to end.
  void run_all() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  const std::uint32_t seed_ = printed_seed();
  std::vector<std::thread> threads_;
  Budget budget_;

 private:
  Watchdog watchdog_{stress_limit(), "a stress test of objects"};
};

class ObjectsInCalmOrStorm : public Objects, public testing::WithParamInterface<bool> {
 protected:
  void run_in_weather() {
    if (GetParam()) storm(threads_, budget_);
    run_all();
  }
};

INSTANTIATE_TEST_SUITE_P(In, ObjectsInCalmOrStorm, testing::Bool(), [](const auto& each) {
  return each.param ? std::string{"Storm"} : std::string{"Calm"};
});

// A thread that was woken and finds the mutex taken again must leave a mark for the one that
// sleeps beside it: or the third is forgotten.
TEST_P(ObjectsInCalmOrStorm, LetEverybodyIntoAMutexInTurn) {
  Mutex mutex;
  long inside = 0;  // of the mutex
  std::atomic<long> outside{0};
  for (std::uint32_t index = 0; index < 3; ++index) {
    threads_.emplace_back([&, index] {
      Chance chance{seed_, index};
      while (!budget_.is_over()) {
        {
          const Holding holding{mutex};
          ++inside;
          linger(chance, 4000);
        }
        outside.fetch_add(1);
        linger(chance, 4000);
      }
    });
  }
  run_in_weather();
  EXPECT_EQ(inside, outside.load());
  std::printf("%ld turns\n", inside);
}

// Tickets made one by one, each with one notification, to takers that come back late: a
// notification that goes to nobody, or to somebody who no longer waits, leaves a ticket untaken.
TEST_P(ObjectsInCalmOrStorm, GiveEveryTicketToSomebody) {
  Mutex mutex;
  Condition has_tickets;
  std::uint32_t tickets = 0;  // these three are mutex's
  long made = 0;
  long taken = 0;
  int makers = 2;
  for (std::uint32_t index = 0; index < 4; ++index) {
    threads_.emplace_back([&, index] {
      Chance chance{seed_, index};
      for (;;) {
        {
          const Holding holding{mutex};
          while (tickets == 0 && makers != 0) {
            if (chance.one_in(2)) {
              has_tickets.wait(mutex);
            } else {
              has_tickets.wait_for(mutex, std::chrono::hours{1});
            }
          }
          if (tickets == 0) return;
          --tickets;
          ++taken;
        }
        linger(chance);
      }
    });
  }
  for (std::uint32_t index = 0; index < 2; ++index) {
    threads_.emplace_back([&, index] {
      Chance chance{seed_, 10 + index};
      while (!budget_.is_over()) {
        {
          const Holding holding{mutex};
          ++tickets;
          ++made;
        }
        if (chance.one_in(4)) std::this_thread::yield();
        has_tickets.notify_one();
        linger(chance);
      }
      const Holding holding{mutex};
      if (--makers == 0) has_tickets.notify_all();
    });
  }
  run_in_weather();
  EXPECT_EQ(made, taken);
  std::printf("%ld tickets\n", made);
}

// One condition for both ends of a small ring, so that a notification may find the wrong side
// about to wait: neither side may end up asleep with the other.
void pass_through_a_ring(std::vector<std::thread>& threads, const Budget& budget,
                         std::uint32_t pairs, long& passed) {
  struct Ring {
    Mutex mutex;
    Condition changed;
    std::array<std::uint32_t, 8> items{};
    std::size_t count = 0;
    long put = 0;
    long got = 0;
    std::uint32_t writers = 0;
  };
  auto* const ring = new Ring;
  ring->writers = pairs;
  const auto notify = [ring, pairs] {
    if (pairs == 1) {
      ring->changed.notify_one();
    } else {
      ring->changed.notify_all();
    }
  };
  for (std::uint32_t pair = 0; pair < pairs; ++pair) {
    threads.emplace_back([ring, notify, &budget] {
      while (!budget.is_over()) {
        {
          const Holding holding{ring->mutex};
          while (ring->count == ring->items.size()) ring->changed.wait(ring->mutex);
          ring->items[ring->count++] = 1;
          ++ring->put;
        }
        notify();
      }
      {
        const Holding holding{ring->mutex};
        --ring->writers;
      }
      notify();
    });
    threads.emplace_back([ring, notify] {
      for (;;) {
        {
          const Holding holding{ring->mutex};
          while (ring->count == 0 && ring->writers != 0) ring->changed.wait(ring->mutex);
          if (ring->count == 0) return;
          --ring->count;
          ++ring->got;
        }
        notify();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  EXPECT_EQ(ring->put, ring->got);
  passed = ring->put;
  delete ring;
}

TEST_F(Objects, NeverLeaveBothEndsOfARingAsleep) {
  long passed = 0;
  pass_through_a_ring(threads_, budget_, 1, passed);
  std::printf("%ld items\n", passed);
}

TEST_F(Objects, NeverLeaveAllEndsOfARingAsleep) {
  long passed = 0;
  pass_through_a_ring(threads_, budget_, 2, passed);
  std::printf("%ld items\n", passed);
}

// Two acquirers and two single releases back to back: the second release meets a count that is
// not zero any more, and must wake all the same.
TEST_F(Objects, WakeOneForEachPermit) {
  Semaphore permits{0};
  Semaphore done{0};
  std::atomic<bool> is_over{false};
  for (int index = 0; index < 2; ++index) {
    threads_.emplace_back([&] {
      for (;;) {
        permits.acquire();
        if (is_over.load()) return;
        done.release();
      }
    });
  }
  Chance chance{seed_, 0};
  long rounds = 0;
  while (!budget_.is_over()) {
    if (chance.one_in(2)) {
      permits.release();
      permits.release();
    } else {
      permits.release(2);
    }
    done.acquire();
    done.acquire();
    ++rounds;
  }
  is_over.store(true);
  permits.release(2);
  run_all();
  std::printf("%ld rounds\n", rounds);
}

// Who waited first is woken first: a timed waiter that comes after the notification cannot have
// it, and times out.
TEST_F(Objects, DoNotLetALateComerStealANotification) {
  std::atomic<std::uint32_t> word{0};
  long rounds = 0;
  while (!budget_.is_over()) {
    word.store(0);
    std::atomic<bool> is_waiting{false};
    std::thread first{[&] {
      is_waiting.store(true);
      EXPECT_EQ(phutex::wait(word, 0), wait_result::woken);
    }};
    wait_until([&] { return is_waiting.load() && phutex::wake_one(word) == 1; }, "a first waiter");
    EXPECT_EQ(phutex::wait_for(word, 0, std::chrono::microseconds{200}), wait_result::timed_out);
    first.join();
    ++rounds;
  }
  std::printf("%ld rounds\n", rounds);
}

}  // namespace
}  // namespace phutex::tests
