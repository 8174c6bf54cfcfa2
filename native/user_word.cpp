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

// Who had a signal before us. Written before our handler is installed, by every thread that finds
// it missing; whoever comes later writes the same.
struct Before {
  Atomic<std::uintptr_t> handler;
  Atomic<std::uint32_t> flags;
};
constinit Before before_us[2];  // SIGSEGV, SIGBUS

Before& before(int signal) noexcept { return before_us[signal == SIGBUS ? 1 : 0]; }

// What would have happened without us. The default action is left to the kernel: the instruction
// faults again, with the default in place, so that the core shows the program and not us.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  const std::uintptr_t handler = before(signal).handler.load(acquire<edge::TablePublished>);
  const std::uint32_t flags = before(signal).flags.load(acquire<edge::TablePublished>);
  if ((flags & SA_SIGINFO) != 0) {
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(handler)(signal, info, context);
    return;
  }
  const auto next = reinterpret_cast<sighandler_t>(handler);
  if (next == SIG_DFL || next == SIG_IGN) {
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    sigaction(signal, &by_default, nullptr);
  } else {
    next(signal);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (!resume_if_ours(*static_cast<ucontext_t*>(context))) pass_on(signal, info, context);
}

void catch_signal(int signal) noexcept {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if (now.sa_sigaction == on_fault) return;  // another thread was faster
  before(signal).handler.store(reinterpret_cast<std::uintptr_t>(now.sa_sigaction),
                               release<edge::TablePublished>);
  before(signal).flags.store(static_cast<std::uint32_t>(now.sa_flags),
                             release<edge::TablePublished>);
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(signal, &ours, nullptr);
}

constinit Atomic<std::uint32_t> is_catching{0};  // set when both handlers are in place

}  // namespace

// No thread waits for another to do it, which a fork or a signal handler might make endless: all
// that come before it is done do it.
void catch_faults() noexcept {
  if (is_catching.load(acquire<edge::TablePublished>) != 0) return;
  catch_signal(SIGSEGV);
  catch_signal(SIGBUS);
  is_catching.store(1, release<edge::TablePublished>);
}

}  // namespace phutex::native
