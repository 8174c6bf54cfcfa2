// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Work in a process of its own: what it does to its hash is gone with it, and a crash or a hang of
// it is an answer like any other.
//
// Flow       run_apart -> fork -> body -> lines through a pipe, an exit status
// Invariant  [I1] who calls run_apart has one thread, as its child then has.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace phutex::selftest {

enum class End {
  returned,     // by its own will; `value` is what it returned
  exited,       // the process ended before the body did; `value` is the exit status
  signalled,    // `value` is the signal
  hung,         // killed when its time was over
  not_started,  // `value` is the errno
};

struct Ending {
  End end;
  int value = 0;
  std::vector<std::string> threads;  // of a hung one: what each of its threads slept in
};

/// Where the body's lines go, and the side of run_apart they come out at.
using TakeLine = std::function<void(std::string_view line)>;

/// Returns a number from 0 to 63. `say` is for its own thread and for those it starts.
using Body = std::function<int(const TakeLine& say)>;

/// Runs `body` in a fork of this process, passing on each line as it comes. Blocks until the
/// process has ended, or until it has been killed when the limit was over.
Ending run_apart(const Body& body, std::chrono::milliseconds limit, const TakeLine& take_line);

}  // namespace phutex::selftest
