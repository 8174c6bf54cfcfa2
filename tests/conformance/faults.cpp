// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whose fault is it? A word that cannot be read is the call's result; every other fault is the
// program's own, and takes the way it would have taken without us.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csetjmp>

#include "tests/conformance/machines.hpp"
#include "tests/conformance/places.hpp"

namespace phutex::tests {
namespace {

sigjmp_buf after_fault;
volatile sig_atomic_t signal_seen;

void on_plain(int signal) {
  signal_seen = signal;
  siglongjmp(after_fault, 1);
}
void on_informed(int signal, siginfo_t* info, void*) {
  signal_seen = info->si_signo == signal ? signal : -1;
  siglongjmp(after_fault, 1);
}

// Does this process, in which a bad word has been a result, still have its own faults?
[[gnu::noinline]] int read_badly(const volatile std::uint32_t* word) {
  return static_cast<int>(*word);
}

template <class Install>
int fault_after_a_futex_fault(Install&& install) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    install();
    const Arguments arguments;
    std::uint32_t* const bad = arguments.place("a forbidden page").word;
    if (phutex_futex(bad, kWait, 0, nullptr, nullptr, 0) != -EFAULT) _exit(1);
    signal_seen = 0;
    if (sigsetjmp(after_fault, 1) == 0) {
      read_badly(bad);
      _exit(2);
    }
    if (signal_seen != SIGSEGV) _exit(3);
    // And the other way round again, as often as one likes.
    if (phutex_futex(bad, kWait, 0, nullptr, nullptr, 0) != -EFAULT) _exit(4);
    if (sigsetjmp(after_fault, 1) == 0) {
      read_badly(bad);
      _exit(5);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(Faults, OfTheProgramReachItsPlainHandler) {
  EXPECT_EQ(fault_after_a_futex_fault([] {
              struct sigaction action {};
              action.sa_handler = on_plain;
              sigaction(SIGSEGV, &action, nullptr);
            }),
            0);
}

TEST(Faults, OfTheProgramReachItsInformedHandler) {
  EXPECT_EQ(fault_after_a_futex_fault([] {
              struct sigaction action {};
              action.sa_sigaction = on_informed;
              action.sa_flags = SA_SIGINFO;
              sigaction(SIGSEGV, &action, nullptr);
            }),
            0);
}

TEST(Faults, OfTheProgramEndItIfItHasNoHandler) {
  for (const auto by_default : {SIG_DFL, SIG_IGN}) {
    const int status = fault_after_a_futex_fault([by_default] {
      struct sigaction action {};
      action.sa_handler = by_default;
      sigaction(SIGSEGV, &action, nullptr);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  }
}

// A stack that has run out leaves a handler no room but its own: so ours runs on the program's
// alternative stack, if there is one.
TEST(Faults, LeaveTheAlternativeStackToTheProgram) {
  if (kUnderTsan || kUnderAsan) GTEST_SKIP() << "a sanitizer has its own ideas of stacks";
  EXPECT_EQ(fault_after_a_futex_fault([] {
              static char storage[65536];
              stack_t stack{};
              stack.ss_sp = storage;
              stack.ss_size = sizeof storage;
              sigaltstack(&stack, nullptr);
              struct sigaction action {};
              action.sa_sigaction = [](int signal, siginfo_t*, void*) {
                char local = 0;
                const bool is_there = &local >= storage && &local < storage + sizeof storage;
                signal_seen = is_there ? signal : -1;
                siglongjmp(after_fault, 1);
              };
              action.sa_flags = SA_SIGINFO | SA_ONSTACK;
              sigaction(SIGSEGV, &action, nullptr);
            }),
            0);
}

}  // namespace
}  // namespace phutex::tests
