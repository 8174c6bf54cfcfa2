// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Who decides everything that a real machine leaves to chance.
//
// A run is the list of its answers: the same answers give the same run, in any process.

#include <cstddef>
#include <cstdint>
#include <span>

namespace phutex::fibers {

/// Threads of one run, thread 0 included.
inline constexpr unsigned kThreadsMax = 8;

/// What is being decided.
enum class Choice : std::uint8_t {
  preempt,     // who goes on, where the running thread could; 0: it does
  next,        // who goes on, where the running thread cannot
  rouse,       // which of several sleepers is roused; 0: who sleeps longest
  allocation,  // is there memory? 0: yes
  delay,       // does a store that another thread asks about still wait? 0: no
  stale,       // the same of a store that has been waiting; 0: no
  cpu,         // on which processor does a thread find itself? 0: where it was
};
inline constexpr std::size_t kChoiceKinds = 7;

/// Why a thread can go on.
enum class Reason : std::uint8_t {
  ready,        // it neither sleeps nor waits
  timed_out,    // it sleeps, and its deadline passes
  interrupted,  // it sleeps, and a signal handler runs
};

struct Candidate {
  std::uint8_t thread;
  Reason reason;
};

class Chooser {
 public:
  virtual ~Chooser() = default;

  /// One of 0 ... count - 1, where 0 is what happens when nothing special does. `count` >= 2.
  virtual unsigned choose(Choice kind, unsigned count) = 0;

  /// The place in `candidates`, at least two, of who goes on. For Choice::preempt the first is the
  /// running thread.
  virtual unsigned choose_thread(Choice kind, std::span<const Candidate> candidates) {
    return choose(kind, static_cast<unsigned>(candidates.size()));
  }
};

/// Lets every thread run until it cannot, and everything go well.
class FirstChoice : public Chooser {
 public:
  unsigned choose(Choice, unsigned) override { return 0; }
};

}  // namespace phutex::fibers
