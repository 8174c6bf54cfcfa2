// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long it takes to replace the hash while threads sleep in it, on the engine and on the kernel.
//
// 64 sleepers sit in each. Sizes go round from 2 to 65536, the engine a thousand times in all, the
// kernel as often as the second argument says (it takes about 30 ms a time). Then all sleepers are
// woken and counted: none may have woken before, none may be lost. Exits with 1 otherwise.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <thread>
#include <vector>

#include <linux/futex.h>
#include <sys/prctl.h>

#include "native/instance.hpp"
#include "native/kernel.hpp"

namespace phutex {
namespace {

using native::kernel::call;
using native::kernel::pointer;

constexpr int kSleepers = 64;
constexpr std::size_t kSizes = 16;  // 2, 4, ... 65536

constexpr std::size_t size_at(int round) {
  return std::size_t{2} << (static_cast<std::size_t>(round) % kSizes);
}

struct OnEngine {
  static void wait(std::uint32_t& word) {
    (void)native::Instance::get()->engine().wait(native::Word<std::uint32_t>{&word}, 0U);
  }
  static long asleep(std::uint32_t& word) {
    return static_cast<long>(native::Instance::get()->engine().waiting(key(word)));
  }
  static long wake(std::uint32_t& word) {
    return native::Instance::get()->engine().wake(key(word), INT_MAX);
  }
  static bool replace(std::size_t count) {
    return static_cast<bool>(native::Instance::get()->set_buckets(count));
  }
  static Key key(std::uint32_t& word) { return {reinterpret_cast<std::uintptr_t>(&word)}; }
};

struct OnKernel {
  static void wait(std::uint32_t& word) {
    call(SYS_futex, pointer(&word), FUTEX_WAIT_PRIVATE, 0);
  }
  // A requeue to where they are counts the sleepers and leaves them in peace.
  static long asleep(std::uint32_t& word) {
    return call(SYS_futex, pointer(&word), FUTEX_CMP_REQUEUE_PRIVATE, 0, INT_MAX, pointer(&word));
  }
  static long wake(std::uint32_t& word) {
    return call(SYS_futex, pointer(&word), FUTEX_WAKE_PRIVATE, INT_MAX);
  }
  static bool replace(std::size_t count) {
    constexpr long kPrFutexHash = 78;
    constexpr long kSetSlots = 1;
    return call(SYS_prctl, kPrFutexHash, kSetSlots, static_cast<long>(count)) == 0;
  }
};

template <class On>
class Sleepers {
 public:
  Sleepers() : words_(kSleepers) {
    for (std::uint32_t& word : words_) {
      threads_.emplace_back([this, &word] {
        On::wait(word);
        woken_.fetch_add(1);
      });
    }
    for (std::uint32_t& word : words_) {
      while (On::asleep(word) != 1) std::this_thread::yield();
    }
  }

  /// Microseconds; negative if it was refused.
  double time_replacement(std::size_t count) {
    const auto start = std::chrono::steady_clock::now();
    const bool is_done = On::replace(count);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    return is_done ? took.count() : -1;
  }

  /// Wakes all; true if all were asleep until now and all have been found.
  bool wake_all(const char* name, int replacements) {
    const int early = woken_.load();
    long found = 0;
    for (std::uint32_t& word : words_) found += On::wake(word);
    std::printf("%s: %d replacements, %d of %d sleepers woke of it, %ld woken afterwards\n", name,
                replacements, early, kSleepers, found);
    if (early != 0 || found != kSleepers) return false;
    for (std::thread& thread : threads_) thread.join();
    return true;
  }

 private:
  std::deque<std::uint32_t> words_;
  std::vector<std::thread> threads_;
  std::atomic<int> woken_{0};  // returned from their wait, for whatever reason
};

using Times = std::array<std::vector<double>, kSizes>;

double median(std::vector<double> times) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int compare(int engine_rounds, int kernel_rounds) {
  Sleepers<OnEngine> on_engine;
  Sleepers<OnKernel> on_kernel;
  Times engine_times;
  Times kernel_times;
  const int kernel_every = std::max(1, engine_rounds / std::max(1, kernel_rounds));
  int kernel_done = 0;
  for (int round = 0; round < engine_rounds; ++round) {
    engine_times[static_cast<std::size_t>(round) % kSizes].push_back(
        on_engine.time_replacement(size_at(round)));
    if (round % kernel_every != 0 || kernel_done == kernel_rounds) continue;
    const double took = on_kernel.time_replacement(size_at(kernel_done));
    kernel_times[static_cast<std::size_t>(kernel_done++) % kSizes].push_back(took);
  }
  std::printf("%8s %14s %14s   (median, us)\n", "buckets", "engine", "kernel");
  for (std::size_t index = 0; index < kSizes; ++index) {
    std::printf("%8zu %14.1f %14.1f\n", size_at(static_cast<int>(index)),
                median(engine_times[index]), median(kernel_times[index]));
  }
  const bool engine_is_right = on_engine.wake_all("engine", engine_rounds);
  const bool kernel_is_right = on_kernel.wake_all("kernel", kernel_done);
  std::fflush(stdout);
  if (!engine_is_right || !kernel_is_right) std::_Exit(1);  // with threads that will never end
  return 0;
}

}  // namespace
}  // namespace phutex

int main(int count, char** arguments) {
  const int engine_rounds = count > 1 ? std::atoi(arguments[1]) : 1000;
  const int kernel_rounds = count > 2 ? std::atoi(arguments[2]) : 64;
  if (count > 3 || engine_rounds < 1 || kernel_rounds < 0) {
    std::fprintf(stderr, "usage: %s [ENGINE_REPLACEMENTS [KERNEL_REPLACEMENTS]]\n", arguments[0]);
    return 2;
  }
  return phutex::compare(engine_rounds, kernel_rounds);
}
