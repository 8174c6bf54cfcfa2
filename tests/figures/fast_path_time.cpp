// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fast paths in nanoseconds, beside the system call that the kernel needs for the same.
//
// Each is measured in many short repetitions in random order, and the least of them stands for the
// path: whatever else runs on the machine only adds.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>
#include <linux/futex.h>

#include "native/kernel.hpp"
#include "tests/codegen/paths.hpp"

namespace phutex::codegen {
namespace {

std::uint32_t word;

void kernel_wait_differs(void*) {
  native::kernel::call(SYS_futex, native::kernel::pointer(&word), FUTEX_WAIT_PRIVATE, 1);
}
void kernel_wake_nobody(void*) {
  native::kernel::call(SYS_futex, native::kernel::pointer(&word), FUTEX_WAKE_PRIVATE, 1);
}

void add(const Path& path) {
  benchmark::RegisterBenchmark(path.name.c_str(),
                               [path](benchmark::State& state) {
                                 for (auto each : state) path.code(path.argument);
                               })
      ->Repetitions(40)
      ->MinTime(0.005)
      ->ReportAggregatesOnly()
      ->ComputeStatistics("min", [](const std::vector<double>& times) {
        return *std::min_element(times.begin(), times.end());
      });
}

}  // namespace
}  // namespace phutex::codegen

int main(int count, char** arguments) {
  using namespace phutex::codegen;
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  use_instance();
  for (const Path& path : all_paths()) add(path);
  add({"kernel.wait_differs", kernel_wait_differs, nullptr});
  add({"kernel.wake_nobody", kernel_wake_nobody, nullptr});
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
