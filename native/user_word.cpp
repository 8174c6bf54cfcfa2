// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/user_word.hpp"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "native/memory.hpp"

namespace phutex::native {

namespace {

// One line for each place that loads a word: both are distances from the field itself.
struct Fixup {
  std::int32_t load;
  std::int32_t resume;
};

extern "C" {
[[gnu::visibility("hidden")]] extern const Fixup __start_phutex_faults[];
[[gnu::visibility("hidden")]] extern const Fixup __stop_phutex_faults[];
}

std::uintptr_t target_of(const std::int32_t& distance) noexcept {
  return reinterpret_cast<std::uintptr_t>(&distance) + static_cast<std::uintptr_t>(distance);
}

auto& program_counter(ucontext_t& context) noexcept {
#if defined(__x86_64__)
  return context.uc_mcontext.gregs[REG_RIP];
#else
  return context.uc_mcontext.pc;
#endif
}

bool resume_if_ours(ucontext_t& context) noexcept {
  auto& counter = program_counter(context);
  const auto at = static_cast<std::uintptr_t>(counter);
  for (const Fixup* fixup = __start_phutex_faults; fixup != __stop_phutex_faults; ++fixup) {
    if (target_of(fixup->load) != at) continue;
    counter = static_cast<std::remove_reference_t<decltype(counter)>>(target_of(fixup->resume));
    return true;
  }
  return false;
}

struct sigaction before_us[2];  // SIGSEGV, SIGBUS; written before our handlers are installed

struct sigaction& before(int signal) noexcept { return before_us[signal == SIGBUS ? 1 : 0]; }

// What would have happened without us. The default action is left to the kernel: the instruction
// faults again, with the default in place, so that the core shows the program and not us.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  const struct sigaction& next = before(signal);
  if ((next.sa_flags & SA_SIGINFO) != 0) {
    next.sa_sigaction(signal, info, context);
  } else if (next.sa_handler == SIG_DFL || next.sa_handler == SIG_IGN) {
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    sigaction(signal, &by_default, nullptr);
  } else {
    next.sa_handler(signal);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (!resume_if_ours(*static_cast<ucontext_t*>(context))) pass_on(signal, info, context);
}

constinit Atomic<std::uint32_t> is_catching{0};

}  // namespace

void catch_faults() noexcept {
  if (is_catching.load(relaxed<why::Hint>) != 0) return;
  if (is_catching.exchange(1, acq_rel<edge::TablePublished>) != 0) return;
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS}) {
    sigaction(signal, nullptr, &before(signal));
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace phutex::native
