// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/interruption.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bench/failure.hpp"

namespace phutex::bench {

Interruption::Interruption() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  descriptor_ = signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) {
    throw Failure(fmt::format("cannot listen for signals: {}", error_text(errno)));
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
}

Interruption::~Interruption() {
  is_here();  // takes what is pending, so that it does not end the process now
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  close(descriptor_);
}

bool Interruption::is_here() {
  signalfd_siginfo arrived{};
  while (read(descriptor_, &arrived, sizeof(arrived)) == sizeof(arrived)) {
    if (signal_ == 0) signal_ = static_cast<int>(arrived.ssi_signo);
  }
  return signal_ != 0;
}

}  // namespace phutex::bench
