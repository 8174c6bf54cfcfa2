// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What strangers in its bucket cost a wake: nobody, 10000 on one other address, and 10000 on as
// many other addresses.
//
// The strangers are queued as threads would be and are no threads: a wake looks at queues only.

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/op/wake.hpp"
#include "engine/scheme/split.hpp"
#include "native/platform.hpp"

namespace phutex {
namespace {

using native::Platform;
using Scheme = scheme::Split<Platform>;

constexpr Key kTarget{Key::kGranule};
constexpr int kStrangers = 10'000;

enum class Strangers { none, on_one_address, on_many_addresses };

struct Sleeper {
  explicit Sleeper(Key key) : waiter(key, kMatchAny, parker) {}
  Parker<Platform> parker;
  Waiter<Platform> waiter;
};

/// One bucket in which strangers wait, and whoever joins them.
class Crowd {
 public:
  explicit Crowd(Strangers strangers) : scheme_(Table<Platform>::create(2)) {
    if (strangers == Strangers::none) return;
    Key key = kTarget;
    for (int number = 0; number < kStrangers; ++number) {
      if (number == 0 || strangers == Strangers::on_many_addresses) key = next_in_bucket(key);
      enqueue(sleepers_.emplace_back(key));
    }
  }

  void enqueue(Sleeper& sleeper) {
    auto locked = scheme_.lock(sleeper.waiter.key());
    locked.announce();
    locked->enqueue(sleeper.waiter);
  }

  int wake() { return op::wake<Platform>(scheme_, kTarget, 1, kMatchAny); }

 private:
  static Key next_in_bucket(Key key) {
    do {
      key.identity += Key::kGranule;
    } while (key.hash() >> 63 != kTarget.hash() >> 63);
    return key;
  }

  Scheme scheme_;
  std::deque<Sleeper> sleepers_;
};

void wake_nobody(benchmark::State& state, Crowd& crowd) {
  for (auto each : state) benchmark::DoNotOptimize(crowd.wake());
}

// Queuing is a part of it: it looks for the address as the wake does.
void enqueue_and_wake_one(benchmark::State& state, Crowd& crowd) {
  Sleeper sleeper{kTarget};
  for (auto each : state) {
    crowd.enqueue(sleeper);
    if (crowd.wake() != 1) state.SkipWithError("the wake did not find its waiter");
  }
}

void add(const char* name, void (*measure)(benchmark::State&, Crowd&), Strangers strangers) {
  benchmark::RegisterBenchmark(name,
                               [=](benchmark::State& state) {
                                 const auto crowd = std::make_unique<Crowd>(strangers);
                                 measure(state, *crowd);
                               })
      ->Repetitions(20)
      ->MinTime(0.01)
      ->ReportAggregatesOnly()
      ->ComputeStatistics("min", [](const std::vector<double>& times) {
        return *std::min_element(times.begin(), times.end());
      });
}

}  // namespace
}  // namespace phutex

int main(int count, char** arguments) {
  using namespace phutex;
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  native::find_abilities();
  add("wake_nobody/no_strangers", wake_nobody, Strangers::none);
  add("wake_nobody/10000_on_one_address", wake_nobody, Strangers::on_one_address);
  add("wake_nobody/10000_addresses", wake_nobody, Strangers::on_many_addresses);
  add("enqueue_and_wake_one/no_strangers", enqueue_and_wake_one, Strangers::none);
  add("enqueue_and_wake_one/10000_on_one_address", enqueue_and_wake_one,
      Strangers::on_one_address);
  add("enqueue_and_wake_one/10000_addresses", enqueue_and_wake_one, Strangers::on_many_addresses);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
