// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/affinity.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/failure.hpp"

namespace phutex::bench {
namespace {

constexpr unsigned kBitsPerWord = 8 * sizeof(unsigned long);
constexpr std::size_t kMaskWordsMax = 1U << 16;  // four million CPUs; the kernel stops far below

}  // namespace

CpuMask mask_of(unsigned cpu) {
  CpuMask mask(cpu / kBitsPerWord + 1, 0);
  mask.back() = 1UL << (cpu % kBitsPerWord);
  return mask;
}

std::vector<unsigned> cpus_in(std::span<const unsigned long> mask) {
  std::vector<unsigned> cpus;
  for (std::size_t word = 0; word < mask.size(); ++word) {
    for (unsigned bit = 0; bit < kBitsPerWord; ++bit) {
      if ((mask[word] >> bit & 1UL) != 0) {
        cpus.push_back(static_cast<unsigned>(word) * kBitsPerWord + bit);
      }
    }
  }
  return cpus;
}

unsigned cpu_of_worker(std::span<const unsigned> cpus, std::size_t index) {
  return cpus[index % cpus.size()];
}

std::vector<unsigned> allowed_cpus() {
  // The kernel answers EINVAL to a mask shorter than its own, and leaves offline CPUs out by
  // itself.
  CpuMask mask(1024 / kBitsPerWord, 0);
  while (syscall(SYS_sched_getaffinity, 0, mask.size() * sizeof(mask[0]), mask.data()) < 0) {
    if (errno != EINVAL || mask.size() >= kMaskWordsMax) {
      throw Failure(fmt::format("cannot learn which CPUs are allowed: {}", error_text(errno)));
    }
    mask.assign(mask.size() * 2, 0);
  }
  return cpus_in(mask);
}

int pin_this_thread(unsigned cpu) {
  const CpuMask mask = mask_of(cpu);
  const long result = syscall(SYS_sched_setaffinity, 0, mask.size() * sizeof(mask[0]), mask.data());
  return result == 0 ? 0 : errno;
}

}  // namespace phutex::bench
