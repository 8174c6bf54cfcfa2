// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// SIGINT and SIGTERM as something to ask for and to poll, instead of the end of the process.

#include <csignal>

namespace phutex::bench {

/// While one exists, the two signals are held back from the calling thread and kept for is_here().
/// One at a time, and only in a process with one thread.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  /// Has somebody asked to stop? Never blocks.
  bool is_here();

  /// The signal that came; 0 before is_here() was true.
  [[nodiscard]] int signal() const { return signal_; }

  /// Becomes readable when somebody asks.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// The two signals, and what the thread held back before: a child is started with these.
  [[nodiscard]] const sigset_t& signals() const { return signals_; }
  [[nodiscard]] const sigset_t& mask_before() const { return mask_before_; }

 private:
  sigset_t signals_;
  sigset_t mask_before_;
  int descriptor_;
  int signal_ = 0;
};

}  // namespace phutex::bench
