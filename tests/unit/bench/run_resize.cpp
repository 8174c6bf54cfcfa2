// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Samples of the workload resize, on futexes that are slow, or lose their sleepers, on purpose.

#include "bench/run_resize.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "bench/word.hpp"

namespace phutex::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kHeld = 20ms;

/// No operation ends while this one's hash is being replaced, which takes long.
class SlowFutex {
 public:
  using Word = bench::Word;

  static int wait(Word&, std::uint32_t) {
    while (is_held.load()) std::this_thread::yield();
    return EAGAIN;
  }
  static int wake(Word&, int) { return 0; }
  static int waiting(Word&) { return 0; }
  int replace(long buckets) {
    is_held = true;
    std::this_thread::sleep_for(kHeld);
    is_held = false;
    size = buckets;
    return 0;
  }

  static inline std::atomic<bool> is_held{false};
  std::atomic<long> size{16};
};

/// Sleeps as a futex does; loses whom it is told to lose.
class SleepyFutex {
 public:
  using Word = bench::Word;

  int wait(Word& word, std::uint32_t expected) {
    std::unique_lock hold{lock_};
    if (!word.compare_exchange(expected, expected)) return EAGAIN;
    ++asleep_[&word];
    changed_.wait(hold, [&] { return asleep_[&word] == 0; });
    return 0;
  }
  int wake(Word& word, int) {
    const std::lock_guard hold{lock_};
    if (++woken_ == loses) return 0;
    const int count = std::exchange(asleep_[&word], 0);
    changed_.notify_all();
    return count;
  }
  int waiting(Word& word) {
    const std::lock_guard hold{lock_};
    return asleep_[&word];
  }
  int sleeper_count() {
    const std::lock_guard hold{lock_};
    int count = 0;
    for (const auto& [word, asleep] : asleep_) count += asleep;
    return count;
  }
  void disturb_somebody() {
    const std::lock_guard hold{lock_};
    asleep_.begin()->second = 0;
    changed_.notify_all();
  }
  int replace(long buckets) {
    size = buckets;
    return answer;
  }

  int loses = 0;  // which wake finds nobody; none is the 0th
  int answer = 0;
  std::atomic<long> size{16};

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::map<const Word*, int> asleep_;
  int woken_ = 0;
};

SampleSpec spec_of(ResizeSpec resize, double runtime_s) {
  return {.workload = std::string(kResize),
          .threads = 2,
          .futexes = 3,
          .buckets = 16,
          .runtime_s = runtime_s,
          .resize = resize};
}

template <class Futex>
SampleResult run(Futex& futex, ResizeSpec resize, double runtime_s) {
  return run_resize(futex, spec_of(resize, runtime_s), [&] { return futex.size.load(); });
}

// The measuring itself: a replacement that keeps everybody out is seen in full. An operation may
// end, and the next begin, in the moment it takes to shut the door; a tenth is more than that.
TEST(RunResize, SeesAStopAsLongAsAReplacementKeepsOperationsOut) {
  SlowFutex futex;
  const SampleResult result = run(futex, {.rate = 0}, 0.2);
  const auto held_ns = static_cast<double>(kHeld.count());
  const ResizeResult& resize = result.resize.value();
  EXPECT_GE(resize.disturbed.latency.value().max_ns, 0.9 * held_ns);
  EXPECT_GE(resize.replacements.median_ns.value(), 0.99 * held_ns);
  EXPECT_GE(resize.replacements.made, 4U);
}

// Kept out nearly all the time, a worker gets next to nothing done; in the other half it is free.
TEST(RunResize, TellsTheTwoPhasesApart) {
  SlowFutex futex;
  const SampleResult result = run(futex, {.rate = 0}, 0.2);
  const ResizeResult& resize = result.resize.value();
  ASSERT_EQ(resize.undisturbed.rates.size(), 2U);
  EXPECT_LT(mean_rate(resize.disturbed), mean_rate(resize.undisturbed));
  EXPECT_EQ(rates(result), resize.disturbed.rates);
  std::uint64_t operations = 0;
  for (const ThreadResult& thread : result.threads) operations += thread.operations;
  EXPECT_EQ(resize.undisturbed.operations + resize.disturbed.operations, operations);
  EXPECT_EQ(result.unexpected, 0U);
}

TEST(RunResize, FindsEverySleeper) {
  SleepyFutex futex;
  EXPECT_EQ(run(futex, {.rate = 0, .sleepers = 20}, 0.02).resize.value().sleepers_missed, 0U);
}

// The thread that cannot be woken is still asleep when the test is over, on a futex that stays.
TEST(RunResize, MissesASleeperThatNoWakeFinds) {
  static auto& futex = *new SleepyFutex;
  futex.loses = 3;
  EXPECT_EQ(run(futex, {.rate = 0, .sleepers = 20}, 0.02).resize.value().sleepers_missed, 1U);
}

TEST(RunResize, RefusesASizeWithoutAHalfAndAHashThatStays) {
  SleepyFutex futex;
  SampleSpec spec = spec_of({}, 0.01);
  spec.buckets = 2;
  const auto bucket_count = [&] { return futex.size.load(); };
  EXPECT_THROW(run_resize(futex, spec, bucket_count), Failure);
  futex.answer = EBUSY;
  EXPECT_THROW(run_resize(futex, spec_of({}, 0.01), bucket_count), Failure);
}

// The one that is awake may still be on its way out of the futex, which therefore stays.
TEST(Sleepers, MissOneThatNobodyHadToWake) {
  static auto& futex = *new SleepyFutex;
  Sleepers<SleepyFutex> sleepers{futex};
  sleepers.put_to_sleep(5);
  futex.disturb_somebody();
  EXPECT_EQ(sleepers.wake_all(), 1U);
}

TEST(Sleepers, AreWokenByTheirEndIfNotBefore) {
  SleepyFutex futex;
  {
    Sleepers<SleepyFutex> sleepers{futex};
    sleepers.put_to_sleep(5);
    EXPECT_EQ(futex.sleeper_count(), 5);
  }
  EXPECT_EQ(futex.sleeper_count(), 0);
}

}  // namespace
}  // namespace phutex::bench
