// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The preload library: SIGUSR2 writes the state of the hash to stderr, one line of JSON, if
// PHUTEX_SNAPSHOT=SIGUSR2 asks for that.
//
// A program that handles SIGUSR2 itself takes it over when it does so: later than this, which runs
// before main.

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "native/kernel.hpp"
#include "native/settings.hpp"
#include "phutex/phutex.h"

namespace {

constexpr int kStandardError = 2;

void write_snapshot(int) noexcept {
  char line[1024];
  const size_t length = phutex_snapshot_json(line, sizeof line - 1, 0);
  line[length] = '\n';
  phutex::native::kernel::call(SYS_write, kStandardError, phutex::native::kernel::pointer(line),
                               static_cast<long>(length + 1));
}

[[gnu::constructor]] void answer_signal() noexcept {
  if (!phutex::native::asks_for_snapshots()) return;
  struct sigaction action {};
  action.sa_handler = write_snapshot;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
}

}  // namespace
