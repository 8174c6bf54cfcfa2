// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/sleeping.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "native/kernel.hpp"

namespace phutex::native {

Awoken Sleeping::sleep_on(Atomic<std::uint32_t>& word, std::uint32_t expected,
                          const Deadline& deadline) noexcept {
  const timespec until{static_cast<time_t>(deadline.seconds),
                       static_cast<long>(deadline.nanoseconds)};
  const long clock = deadline.clock == Clock::realtime ? FUTEX_CLOCK_REALTIME : 0;
  const long result = kernel::call(
      SYS_futex, kernel::pointer(word.address()), FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | clock,
      static_cast<long>(expected), deadline.is_never ? 0 : kernel::pointer(&until), 0,
      static_cast<long>(FUTEX_BITSET_MATCH_ANY));
  switch (result) {
    case -ETIMEDOUT: return Awoken::timed_out;
    case -EINTR: return Awoken::interrupted;
    default: return Awoken::roused;  // 0, or EAGAIN: the word has changed
  }
}

void Sleeping::rouse(Atomic<std::uint32_t>& word) noexcept {
  kernel::call(SYS_futex, kernel::pointer(word.address()), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

std::uint64_t Sleeping::now_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void Sleeping::back_off(unsigned round) noexcept {
  if (round < 16) {
    for (unsigned turn = 0; turn < 64; ++turn) pause();
  } else if (round < 24) {
    kernel::call(SYS_sched_yield);
  } else {
    const timespec a_little{0, 20'000};
    kernel::call(SYS_nanosleep, kernel::pointer(&a_little));
  }
}

}  // namespace phutex::native
