// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/codegen/single_step.hpp"

#include <cstdint>
#include <csignal>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phutex::codegen {

namespace {

constexpr long kBreakpoint = 0xcc;  // int3
constexpr long kStepsMax = 100'000;

// The first breakpoint stops the child before the code; counting ends in front of the second.
[[noreturn, gnu::noinline]] void run_child(void (*prepare)(), void (*code)(void*), void* argument) {
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
  prepare();
  code(argument);
  asm volatile("int3" ::: "memory");
  code(argument);
  asm volatile("int3" ::: "memory");
  _exit(0);
}

bool wait_for_trap(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

bool is_at_breakpoint(pid_t child) {
  user_regs_struct registers{};
  ptrace(PTRACE_GETREGS, child, nullptr, &registers);
  return (ptrace(PTRACE_PEEKTEXT, child, registers.rip, nullptr) & 0xff) == kBreakpoint;
}

void disarm_restart(pid_t child, const void* rseq_area) {
  if (rseq_area == nullptr) return;
  const std::uintptr_t descriptor = reinterpret_cast<std::uintptr_t>(rseq_area) + 8;
  ptrace(PTRACE_POKEDATA, child, descriptor, nullptr);
}

long count_steps(pid_t child, const void* rseq_area) {
  for (long steps = 0; steps < kStepsMax; ++steps) {
    if (is_at_breakpoint(child)) return steps;
    disarm_restart(child, rseq_area);
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0 || !wait_for_trap(child)) break;
  }
  return -1;
}

}  // namespace

std::optional<long> count_instructions(void (*prepare)(), void (*code)(void*), void* argument,
                                       const void* rseq_area) {
  const pid_t child = fork();
  if (child == 0) run_child(prepare, code, argument);
  const long steps = child > 0 && wait_for_trap(child) ? count_steps(child, rseq_area) : -1;
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  if (steps < 0) return std::nullopt;
  return steps;
}

}  // namespace phutex::codegen
