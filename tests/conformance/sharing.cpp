// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private words are the engine's and named by their address; shared ones are passed on to the
// kernel and named by what is mapped. The two never meet.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <new>

#include "tests/conformance/machines.hpp"

namespace phutex::tests {
namespace {

constexpr std::size_t kPage = 4096;

Word& word_at(void* mapping) {
  if (mapping == MAP_FAILED) give_up("a mapping");
  return *new (mapping) Word{0};
}

long wake(const Machine& machine, int flags, Word& word) {
  return machine.futex(address(word), FUTEX_WAKE | flags, INT_MAX, nullptr, nullptr, 0);
}

long wait_shared(const Machine& machine, Word& word) {
  return machine.futex(address(word), FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

class Sharing : public testing::TestWithParam<const Machine*> {
 protected:
  const Machine& machine() const { return *GetParam(); }

 private:
  Watchdog watchdog_{50, "a test of sharing"};
};

INSTANTIATE_TEST_SUITE_P(On, Sharing, testing::ValuesIn(kMachines),
                         [](const auto& each) { return std::string{each.param->name}; });

// A program that waits with one kind and wakes with the other has a bug, and it must not look as
// if it had none.
TEST_P(Sharing, KeepsPrivateAndSharedApart) {
  Word& word =
      word_at(mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  Sleeper shared{[&] { return wait_shared(machine(), word); }};
  wait_until([&] { return kernel_waiting_shared(word) == 1; }, "a shared sleeper");
  EXPECT_EQ(wake(machine(), FUTEX_PRIVATE_FLAG, word), 0);
  EXPECT_EQ(wake(machine(), 0, word), 1);
  EXPECT_EQ(shared.result(), 0);
  Sleeper by_address{machine(), word};
  wait_for_sleepers(machine(), word, 1);
  EXPECT_EQ(wake(machine(), 0, word), 0);
  EXPECT_EQ(wake(machine(), FUTEX_PRIVATE_FLAG, word), 1);
  EXPECT_EQ(by_address.result(), 0);
  munmap(&word, kPage);
}

// A shared word is one word through all its mappings, a private one is an address.
TEST_P(Sharing, NamesASharedWordByWhatIsMapped) {
  const int file = memfd_create("words", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, kPage), 0);
  const auto map = [&] {
    return mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  };
  Word& here = word_at(map());
  Word& there = word_at(map());
  Sleeper shared{[&] { return wait_shared(machine(), here); }};
  wait_until([&] { return kernel_waiting_shared(here) == 1; }, "a shared sleeper");
  EXPECT_EQ(wake(machine(), FUTEX_PRIVATE_FLAG, there), 0);
  EXPECT_EQ(wake(machine(), 0, there), 1);
  EXPECT_EQ(shared.result(), 0);
  Sleeper by_address{machine(), here};
  wait_for_sleepers(machine(), here, 1);
  EXPECT_EQ(wake(machine(), FUTEX_PRIVATE_FLAG, there), 0);
  EXPECT_EQ(wake(machine(), FUTEX_PRIVATE_FLAG, here), 1);
  EXPECT_EQ(by_address.result(), 0);
  munmap(&here, kPage);
  munmap(&there, kPage);
  close(file);
}

TEST_P(Sharing, ReachesOtherProcesses) {
  Word& word =
      word_at(mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(wait_shared(machine(), word) == 0 ? 0 : 1);
  }
  wait_until([&] { return kernel_waiting_shared(word) == 1; }, "the child to sleep");
  EXPECT_EQ(wake(machine(), 0, word), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  munmap(&word, kPage);
}

// A process that is killed in its sleep takes its place in the queue with it: a wake is not spent
// on the dead, and does not wait for them.
TEST_P(Sharing, ForgetsTheDead) {
  Word& word =
      word_at(mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (int round = 0; round < 50; ++round) {
    const pid_t victim = fork();
    if (victim == 0) {
      alarm(20);
      _exit(static_cast<int>(wait_shared(machine(), word)));
    }
    wait_until([&] { return kernel_waiting_shared(word) == 1; }, "the victim to sleep");
    const pid_t survivor = fork();
    if (survivor == 0) {
      alarm(20);
      _exit(wait_shared(machine(), word) == 0 ? 0 : 1);
    }
    wait_until([&] { return kernel_waiting_shared(word) == 2; }, "the survivor to sleep");
    kill(victim, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(victim, &status, 0), victim);
    EXPECT_EQ(machine().futex(address(word), FUTEX_WAKE, 1, nullptr, nullptr, 0), 1);
    ASSERT_EQ(waitpid(survivor, &status, 0), survivor);
    EXPECT_EQ(status, 0);
  }
  munmap(&word, kPage);
}

// A private key is the address alone, so a sleeper on memory that has gone can still be woken,
// also by somebody who means the word that has come to lie there since.
TEST_P(Sharing, NamesAPrivateWordByItsAddress) {
  Word& word =
      word_at(mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  Sleeper first{machine(), word};
  Sleeper second{machine(), word};
  wait_for_sleepers(machine(), word, 2);
  munmap(&word, kPage);
  EXPECT_EQ(machine().futex(address(word), kWake, 1, nullptr, nullptr, 0), 1);
  void* const again = mmap(&word, kPage, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(again, static_cast<void*>(&word));
  EXPECT_EQ(machine().futex(address(word), kWake, 1, nullptr, nullptr, 0), 1);
  EXPECT_EQ(first.result(), 0);
  EXPECT_EQ(second.result(), 0);
  munmap(&word, kPage);
}

// A child has its parent's words but none of its sleepers.
TEST_P(Sharing, LeavesTheParentsSleepersToTheParent) {
  static Word word{0};
  Sleeper sleeper{machine(), word};
  wait_for_sleepers(machine(), word, 1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(wake(machine(), FUTEX_PRIVATE_FLAG, word) == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(wake(machine(), FUTEX_PRIVATE_FLAG, word), 1);
  EXPECT_EQ(sleeper.result(), 0);
}

}  // namespace
}  // namespace phutex::tests
