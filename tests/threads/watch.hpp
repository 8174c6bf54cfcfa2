// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What keeps a test with real threads from waiting for ever, or for less than it should.
//
// Nothing here sleeps "to be sure": a test waits for a condition, and a condition that does not
// come ends the program with a line that says which.

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace phutex::tests {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PHUTEX_TESTS_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define PHUTEX_TESTS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define PHUTEX_TESTS_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PHUTEX_TESTS_ASAN 1
#endif

#if defined(PHUTEX_TESTS_TSAN)
inline constexpr bool kUnderTsan = true;
#else
inline constexpr bool kUnderTsan = false;
#endif
#if defined(PHUTEX_TESTS_ASAN)
inline constexpr bool kUnderAsan = true;
#else
inline constexpr bool kUnderAsan = false;
#endif

/// Ends the program: the threads that a broken promise leaves behind cannot be joined.
[[noreturn]] inline void give_up(const char* what) noexcept {
  std::fflush(stdout);
  std::fprintf(stderr, "gave up waiting: %s\n", what);
  std::abort();
}

/// Returns when `condition()` holds; ends the program after a generous while without.
template <class Condition>
void wait_until(Condition&& condition, const char* what) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  for (unsigned round = 0; !condition(); ++round) {
    if (std::chrono::steady_clock::now() > deadline) give_up(what);
    if (round < 64) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
  }
}

/// Ends the program if it still lives after `seconds`. Independent of what is under test: it
/// sleeps in poll(2).
class Watchdog {
 public:
  explicit Watchdog(int seconds, const char* what)
      : over_(eventfd(0, EFD_CLOEXEC)), thread_([fd = over_, seconds, what] {
          pollfd event{fd, POLLIN, 0};
          const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{seconds};
          for (;;) {  // a signal may end a poll early
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(
                deadline - std::chrono::steady_clock::now());
            if (left.count() <= 0) give_up(what);
            if (poll(&event, 1, static_cast<int>(left.count())) == 1) return;
          }
        }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    const std::uint64_t one = 1;
    if (write(over_, &one, sizeof one) != sizeof one) give_up("the watchdog to listen");
    thread_.join();
    close(over_);
  }

 private:
  int over_;
  std::thread thread_;
};

}  // namespace phutex::tests
