// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/workers.hpp"

#include <chrono>
#include <latch>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "bench/affinity.hpp"
#include "bench/failure.hpp"

namespace phutex::bench {
namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

/// The threads of one run. Whatever happens, its end releases, stops and joins them.
class Crew {
 public:
  explicit Crew(const WorkPlan& plan)
      : plan_(plan), cpus_(allowed_cpus()), ready_(plan.threads), workers_(plan.threads) {
    threads_.reserve(plan.threads);
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { finish(); }

  void assemble() {
    for (std::size_t index = 0; index < workers_.size(); ++index) {
      try {
        threads_.emplace_back([this, index] { live(index); });
      } catch (const std::system_error& error) {
        throw Failure(fmt::format("-t {}: thread {} cannot be made ({}); ask for fewer",
                                  workers_.size(), index + 1, error.code().message()));
      }
    }
    ready_.wait();
    for (std::size_t index = 0; index < workers_.size(); ++index) check_pinned(index);
  }

  void release() {
    is_released_ = true;
    go_.count_down();
  }

  void stop() { stop_.set(); }

  void finish() {
    stop();
    if (!is_released_) release();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  /// Only after finish().
  [[nodiscard]] std::vector<workload::Tally> tallies() const {
    std::vector<workload::Tally> all;
    for (const Worker& worker : workers_) all.push_back(worker.tally);
    return all;
  }

 private:
  struct Worker {
    int pin_error = 0;
    workload::Tally tally;  // written by its thread, read after the join
  };

  void live(std::size_t index) {
    workers_[index].pin_error = pin_this_thread(cpu_of_worker(cpus_, index));
    ready_.count_down();
    go_.wait();
    workers_[index].tally = plan_.work(index, stop_);
  }

  void check_pinned(std::size_t index) const {
    const int error = workers_[index].pin_error;
    if (error == 0) return;
    throw Failure(fmt::format("thread {} cannot be tied to CPU {} ({}); was it taken offline?",
                              index + 1, cpu_of_worker(cpus_, index), error_text(error)));
  }

  const WorkPlan& plan_;
  const std::vector<unsigned> cpus_;
  std::latch ready_;
  std::latch go_{1};
  bool is_released_ = false;
  StopFlag stop_;
  std::vector<Worker> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace

WorkDone run_workers(const WorkPlan& plan) {
  Crew crew{plan};
  crew.assemble();
  const long buckets_before = plan.bucket_count();
  const Clock::time_point released = Clock::now();
  crew.release();
  if (plan.meanwhile) {
    plan.meanwhile();
  } else {
    std::this_thread::sleep_until(released + std::chrono::duration_cast<Clock::duration>(
                                                 std::chrono::duration<double>(plan.runtime_s)));
  }
  crew.stop();
  const std::chrono::duration<double> elapsed = Clock::now() - released;
  const long buckets_after = plan.bucket_count();
  crew.finish();
  return {crew.tallies(), elapsed.count(), buckets_before, buckets_after};
}

}  // namespace phutex::bench
