// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The hash of a program that knows nothing of phutex grows with its threads, as the kernel's does,
// and is its user's from the moment that its user sets a size. Each row in a process of its own.

#include "tests/shim/preloaded.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

constexpr int kPrFutexHash = 78;

int set_slots(unsigned long count, unsigned long flags = 0) {
  return prctl(kPrFutexHash, 1, count, flags, 0) == -1 ? -errno : 0;
}
int slots() {
  return prctl(kPrFutexHash, 2, 0, 0, 0);
}

struct Variable {
  const char* name;
  const char* value;
};

struct Outcome {
  int status = -1;         // of the process: 0, or the number of the first thing that was wrong
  std::string complaints;  // what it wrote to stderr
};

// `body` in a process forked for it, with these variables set, before it has used futexes.
Outcome in_a_process(const std::vector<Variable>& variables, const std::function<int()>& body) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    alarm(40);
    dup2(ends[1], STDERR_FILENO);
    for (const Variable& each : variables) setenv(each.name, each.value, 1);
    _exit(body());
  }
  close(ends[1]);
  Outcome outcome;
  char buffer[1024];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    outcome.complaints.append(buffer, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status))
    outcome.status = WEXITSTATUS(status);
  return outcome;
}

// As many threads alive at once, beside the calling one; what `look` says with all of them there.
int beside(std::size_t count, const std::function<int()>& look) {
  std::atomic<std::size_t> there{0};
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < count; ++index) {
    threads.emplace_back([&] {
      there.fetch_add(1);
      wait_until([&] { return is_over.load(); }, "the end");
    });
  }
  wait_until([&] { return there.load() == count; }, "all threads");
  const int seen = look();
  is_over.store(true);
  for (std::thread& thread : threads) thread.join();
  return seen;
}
int slots_beside(std::size_t count) {
  return beside(count, slots);
}

void expect_right(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.complaints;
  EXPECT_EQ(outcome.complaints, "");
}

TEST(Growth, ComesFromTheLibraryUnderTest) {
  EXPECT_NE(origin_of("pthread_create").find("phutex-preload"), std::string::npos);
  EXPECT_NE(origin_of("thrd_create").find("phutex-preload"), std::string::npos);
}

// The numbers are the kernel's rule on this machine.
TEST(Growth, BeginsWithTheFirstThread) {
  expect_right(in_a_process({}, [] {
    if (slots() != 0) return 1;
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (slots_beside(1) != 16) return 2;
    if (slots() != 16) return 3;  // and it stays
    int most = 16;
    while (most < 4 * cpus) most *= 2;
    // The last thread comes beside `count` others, the main one among them.
    for (const int count : {4, 5, 9, 64}) {
      int wanted = 16;
      while (wanted < 4 * count && wanted < most) wanted *= 2;
      if (slots_beside(static_cast<std::size_t>(count)) != wanted) return 10 + count;
    }
    return 0;
  }));
}

TEST(Growth, FollowsTheThreadsWhereCpusDoNotCount) {
  expect_right(in_a_process({{"PHUTEX_SIZING", "by_threads"}}, [] {
    if (slots() != 0) return 1;
    if (slots_beside(1) != 16) return 2;
    if (slots_beside(4) != 16) return 3;
    if (slots_beside(5) != 32) return 4;
    if (slots_beside(40) != 256) return 5;
    return slots_beside(1) == 256 ? 0 : 6;  // it never shrinks
  }));
}

TEST(Growth, ComesWithTheThreadsOfC11) {
  expect_right(in_a_process({}, [] {
    thrd_t thread;
    if (thrd_create(
            &thread, [](void*) { return 7; }, nullptr) != thrd_success)
      return 1;
    int result = 0;
    if (thrd_join(thread, &result) != thrd_success || result != 7) return 2;
    return slots() == 16 ? 0 : 3;
  }));
}

TEST(Growth, PassesTheArgumentsOn) {
  expect_right(in_a_process({}, [] {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_t thread;
    int argument = 0;
    const auto start = [](void* given) -> void* { return static_cast<int*>(given) + 1; };
    if (pthread_create(&thread, &attributes, start, &argument) != 0) return 1;
    void* result = nullptr;
    if (pthread_join(thread, &result) != 0 || result != &argument + 1) return 2;
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 60);
    return pthread_create(&thread, &attributes, start, nullptr) == 0 ? 3 : 0;
  }));
}

TEST(Growth, EndsWhereAUserSetsASize) {
  for (const char* const rule : {"kernel", "by_threads", "kernel_twice", "occupancy"}) {
    SCOPED_TRACE(rule);
    expect_right(in_a_process({{"PHUTEX_SIZING", rule}}, [] {
      if (set_slots(2) != 0 || slots() != 2) return 1;
      if (slots_beside(64) != 2) return 2;
      if (set_slots(4) != 0) return 3;
      return slots_beside(64) == 4 ? 0 : 4;
    }));
  }
}

TEST(Growth, EndsWithTheGlobalHash) {
  expect_right(in_a_process({{"PHUTEX_SIZING", "by_threads"}}, [] {
    if (slots_beside(8) != 32) return 1;
    if (set_slots(0) != 0 || slots() != 0) return 2;
    if (slots_beside(64) != 0) return 3;
    return set_slots(16) == -EBUSY && set_slots(0) == -EBUSY && slots() == 0 ? 0 : 4;
  }));
}

// The published fault, in a whole program.
TEST(Growth, CanFreezeAtTheSecondThread) {
  expect_right(in_a_process({{"PHUTEX_SIZING", "freeze_at_cap"}}, [] {
    if (slots_beside(64) != 16) return 1;
    return set_slots(64) == -EBUSY ? 0 : 2;
  }));
}

TEST(Growth, BeginsAnewInAForkedChild) {
  expect_right(in_a_process({{"PHUTEX_SIZING", "by_threads"}}, [] {
    if (slots_beside(8) != 32) return 1;
    const pid_t child = fork();
    if (child == 0) _exit(slots() == 0 && slots_beside(1) == 16 ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0 ? 0 : 2;
  }));
}

long wait_on(std::uint32_t& word, const timespec* timeout) {
  return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, timeout, nullptr, 0);
}

// Up by those asleep on words of their own, and down again by one who keeps trying to sleep.
TEST(Growth, FollowsTheAddressesWaitedOnUpAndDown) {
  expect_right(in_a_process({{"PHUTEX_SIZING", "occupancy"}}, [] {
    constexpr std::size_t kSleepers = 200;
    struct alignas(64) Place {
      std::uint32_t word = 0;
    };
    std::vector<Place> places(kSleepers);
    std::atomic<std::size_t> woken{0};
    std::vector<std::thread> threads;
    for (Place& place : places) {
      threads.emplace_back([&] {
        if (wait_on(place.word, nullptr) == 0) ++woken;
      });
    }
    wait_until([] { return slots() >= 64; }, "a table that has grown with the sleepers");
    std::size_t found = 0;
    for (Place& place : places) {
      const auto wake = [&] {
        return syscall(SYS_futex, &place.word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0) == 1;
      };
      wait_until(wake, "every sleeper to be found");
      ++found;
    }
    for (std::thread& thread : threads) thread.join();
    if (found != kSleepers || woken.load() != kSleepers) return 1;
    const timespec now{};
    for (int turn = 0; turn < 3000; ++turn) (void)wait_on(places[0].word, &now);
    return slots() == 16 ? 0 : 2;
  }));
}

// Many threads create many threads: however they come upon each other, the hash grows for all of
// them, if not at once then by the hand of whoever was replacing it.
TEST(Growth, SurvivesCrowdsThatComeAtOnce) {
  for (int round = 0; round < 20; ++round) {
    expect_right(in_a_process({{"PHUTEX_SIZING", "by_threads"}}, [] {
      std::vector<std::thread> parents;
      for (int parent = 0; parent < 4; ++parent) {
        parents.emplace_back([&] {
          for (int turn = 0; turn < 5; ++turn) {
            beside(10, [] {
              wait_until([] { return slots() >= 64; }, "a hash for eleven");
              return 0;
            });
          }
        });
      }
      for (std::thread& parent : parents) parent.join();
      return slots() <= 256 ? 0 : 1;  // never more than 45 threads
    }));
  }
}

TEST(Prctl, Is617UnlessAsked) {
  for (const auto& variables :
       {std::vector<Variable>{}, std::vector<Variable>{{"PHUTEX_PRCTL", "6.17"}}}) {
    expect_right(in_a_process(variables, [] {
      if (set_slots(16, 1) != -EINVAL) return 1;
      return prctl(kPrFutexHash, 3, 0, 0, 0) == -1 && errno == EINVAL ? 0 : 2;
    }));
  }
}

TEST(Prctl, Is616WhereAsked) {
  expect_right(in_a_process({{"PHUTEX_PRCTL", "6.16"}}, [] {
    const auto is_immutable = [] { return prctl(kPrFutexHash, 3, 0, 0, 0); };
    if (is_immutable() != 0) return 1;
    if (set_slots(64) != 0 || is_immutable() != 0) return 2;
    if (set_slots(16, 2) != -EINVAL) return 3;
    if (set_slots(32, 1) != 0 || is_immutable() != 1 || slots() != 32) return 4;
    if (set_slots(64) != -EBUSY || set_slots(64, 1) != -EBUSY) return 5;
    return slots_beside(64) == 32 ? 0 : 6;
  }));
}

// One clear line, once; the program goes on as if nothing had been asked.
TEST(Settings, ThatMeanNothingAreSaidSo) {
  const Outcome sizing = in_a_process({{"PHUTEX_SIZING", "Kernel"}}, [] {
    return slots_beside(1) == 16 && slots_beside(2) == 16 ? 0 : 1;
  });
  EXPECT_EQ(sizing.status, 0);
  EXPECT_EQ(sizing.complaints,
            "phutex: PHUTEX_SIZING=Kernel is ignored; it may be kernel kernel_twice by_threads "
            "freeze_at_cap freeze_at_cap_corrected occupancy\n");
  const Outcome dialect = in_a_process({{"PHUTEX_PRCTL", "6.18"}}, [] {
    return set_slots(16, 1) == -EINVAL && set_slots(16) == 0 && slots() == 16 ? 0 : 1;
  });
  EXPECT_EQ(dialect.status, 0);
  EXPECT_EQ(dialect.complaints, "phutex: PHUTEX_PRCTL=6.18 is ignored; it may be 6.16 6.17\n");
}

TEST(Settings, MayBeOfAnyLength) {
  const std::string very_long(100'000, 'x');
  const Outcome outcome = in_a_process({{"PHUTEX_SIZING", very_long.c_str()}},
                                       [] { return slots_beside(1) == 16 ? 0 : 1; });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_LT(outcome.complaints.size(), 500U);
  EXPECT_EQ(outcome.complaints.find('\n'), outcome.complaints.size() - 1);
}

}  // namespace
}  // namespace phutex::tests
