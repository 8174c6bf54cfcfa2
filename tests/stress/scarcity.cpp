// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// No memory: a call says so, changes nothing, and works as soon as there is some again.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <new>
#include <thread>
#include <vector>

#include "phutex/phutex.hpp"
#include "tests/threads/budget.hpp"
#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Lets the process map no more than `size` bytes beyond what it has.
void allow(std::size_t size) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = address_space() + size;
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(90);
}
void allow_all() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

template <class Life>
int status_of(Life&& life) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(life());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

class Scarcity : public testing::Test {
 protected:
  void SetUp() override {
    if (kUnderTsan || kUnderAsan) GTEST_SKIP() << "a sanitizer needs the address space itself";
  }
};

// Whichever of the first calls' allocations fails, the call says that there is no memory, and the
// next one, with memory, is as the first should have been.
TEST_F(Scarcity, FailsAFirstWaitAndNothingElse) {
  static std::atomic<std::uint32_t> word{0};
  for (std::size_t pages = 0; pages < 12; ++pages) {
    SCOPED_TRACE(pages);
    EXPECT_EQ(
        status_of([pages] {
          allow(pages * 4096);
          const wait_result first = wait(word, 1);
          const bool is_defined = first == wait_result::no_memory || first == wait_result::changed;
          if (wake_one(word) != 0) return 2;
          allow_all();
          if (!is_defined) return 1;
          if (wait(word, 1) != wait_result::changed) return 3;
          return wait_for(word, 0, std::chrono::microseconds{1}) == wait_result::timed_out ? 0 : 4;
        }),
        0);
  }
}

TEST_F(Scarcity, FailsAFirstWaitWithNothingAtAll) {
  static std::atomic<std::uint32_t> word{0};
  EXPECT_EQ(status_of([] {
              allow(0);
              if (wait(word, 1) != wait_result::no_memory) return 1;
              if (phutex_set_buckets(32) != -ENOMEM) return 2;
              if (phutex_buckets() != 0 || wake_one(word) != 0) return 3;
              return 0;
            }),
            0);
}

// Failing over and over uses nothing up.
TEST_F(Scarcity, LeaksNothingWhenItFails) {
  static std::atomic<std::uint32_t> word{0};
  EXPECT_EQ(status_of([] {
              for (std::size_t pages = 0; pages < 8; ++pages) {
                allow(pages * 4096);
                if (wait(word, 1) != wait_result::no_memory) return 0;  // enough for everything
                const std::size_t before = address_space();  // what could be made is kept
                for (int round = 0; round < 100; ++round) {
                  if (wait(word, 1) != wait_result::no_memory) return 3;
                }
                if (address_space() != before) return 1;
                allow_all();
              }
              return 2;
            }),
            0);
}

// A table that does not fit leaves the one there is, with all that works.
TEST_F(Scarcity, FailsAReplacementAndKeepsTheTable) {
  static std::atomic<std::uint32_t> word{0};
  EXPECT_EQ(status_of([] {
              if (phutex_set_buckets(64) != 0) return 1;
              allow(1 << 20);
              for (int round = 0; round < 50; ++round) {
                if (phutex_set_buckets(1 << 16) != -ENOMEM) return 2;
                if (phutex_buckets() != 64) return 3;
              }
              if (wait_for(word, 0, std::chrono::microseconds{1}) != wait_result::timed_out) {
                return 4;
              }
              if (phutex_set_buckets(128) != 0 || phutex_buckets() != 128) return 5;
              allow_all();
              return phutex_set_buckets(1 << 16) == 0 ? 0 : 6;
            }),
            0);
}

// A thread that is announced where there is no memory for the hash: the kernel would not create it.
TEST_F(Scarcity, FailsTheFirstThreadAndNothingElse) {
  static std::atomic<std::uint32_t> word{0};
  for (std::size_t pages = 0; pages < 12; ++pages) {
    SCOPED_TRACE(pages);
    EXPECT_EQ(status_of([pages] {
                allow(pages * 4096);
                const int first = phutex_thread_coming();
                if (first != 0 && first != -ENOMEM) return 1;
                if (phutex_buckets() != (first == 0 ? 16U : 0U) || wake_one(word) != 0) return 2;
                if (pages == 0 && first == 0) return 3;
                allow_all();
                return phutex_thread_coming() == 0 && phutex_buckets() == 16 ? 0 : 4;
              }),
              0);
  }
}

// A hash that there is no memory to enlarge stays, sleepers and all, and grows at the next chance.
TEST_F(Scarcity, FailsToGrowAndKeepsTheHash) {
  EXPECT_EQ(status_of([] {
              std::atomic<std::uint32_t> word{0};
              setenv("PHUTEX_SIZING", "by_threads", 1);
              if (phutex_thread_coming() != 0 || phutex_buckets() != 16) return 1;
              constexpr int kSleepers = 9;
              std::vector<std::thread> sleepers;
              std::atomic<int> awake{0};
              for (int index = 0; index < kSleepers; ++index) {
                sleepers.emplace_back([&] {
                  while (word.load() == 0) wait(word, 0);
                  awake.fetch_add(1);
                });
              }
              int woken = 0;
              wait_until([&] { return (woken += wake_one(word)) >= kSleepers; }, "sleepers");
              allow(0);
              for (int round = 0; round < 20; ++round) {
                if (phutex_thread_coming() != -ENOMEM || phutex_buckets() != 16) return 2;
              }
              allow_all();
              if (phutex_thread_coming() != 0 || phutex_buckets() != 64) return 3;
              word.store(1);
              wait_until([&] { return wake_all(word), awake.load() == kSleepers; }, "their end");
              for (std::thread& sleeper : sleepers) sleeper.join();
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace phutex::tests
