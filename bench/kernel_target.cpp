// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/kernel_target.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/affinity.hpp"
#include "bench/failure.hpp"
#include "bench/run_workload.hpp"
#include "bench/word.hpp"

namespace phutex::bench {
namespace {

// <linux/prctl.h> of the oldest supported system does not name these.
constexpr int kPrFutexHash = 78;
constexpr unsigned long kSetSlots = 1;
constexpr unsigned long kGetSlots = 2;
constexpr unsigned long kMayBeReplaced = 0;
constexpr unsigned long kImmutable = 1;

constexpr long kSlotsLikelyMax = 1L << 24;
constexpr long kSlotBytes = 64;

/// 0, or an errno. The kernel looks at 32 bits of `slots` and takes 2^32 for 0, the global hash
/// for good, so no caller may come with more.
int set_slots(long slots, unsigned long flags) {
  const auto unsigned_slots = static_cast<unsigned long>(slots);
  return prctl(kPrFutexHash, kSetSlots, unsigned_slots, flags, 0UL) == 0 ? 0 : errno;
}

/// The kernel's futexes as a workload sees them.
class KernelFutex {
 public:
  using Word = bench::Word;

  explicit KernelFutex(int flags)
      : wait_(FUTEX_WAIT | flags), wake_(FUTEX_WAKE | flags), requeue_(FUTEX_CMP_REQUEUE | flags) {}

  int wait(Word& word, std::uint32_t expected) const noexcept {
    return syscall(SYS_futex, word.address(), wait_, expected, nullptr, nullptr, 0) == 0 ? 0
                                                                                         : errno;
  }
  int wake(Word& word, int count) const noexcept {
    const long woken = syscall(SYS_futex, word.address(), wake_, count, nullptr, nullptr, 0);
    return woken >= 0 ? static_cast<int>(woken) : -errno;
  }
  int replace(long buckets) const noexcept { return set_slots(buckets, kMayBeReplaced); }

  /// Wakes nobody and requeues all to where they are: the kernel says how many those were.
  int waiting(Word& word) const noexcept {
    constexpr long kNobody = 0;
    constexpr long kAll = INT_MAX;
    const long moved =
        syscall(SYS_futex, word.address(), requeue_, kNobody, kAll, word.address(), kWordAtFirst);
    return moved >= 0 ? static_cast<int>(moved) : -errno;
  }

 private:
  static constexpr std::uint32_t kWordAtFirst = 0;  // and as long as anybody sleeps on it

  int wait_;
  int wake_;
  int requeue_;
};

/// How many slots the kernel itself would choose at most.
long slots_by_rule(unsigned threads) {
  const auto cpus = static_cast<unsigned>(allowed_cpus().size());
  return std::max(16L, static_cast<long>(std::bit_ceil(4U * std::min(threads, cpus))));
}

std::string refusal_of_slots(long slots, int error) {
  const std::string what =
      fmt::format("-b {}: the kernel refuses that many slots ({})", slots, error_text(error));
  switch (error) {
    case ENOMEM:
      return fmt::format("{}; a power of two up to {} that memory holds ({} bytes a slot) is right",
                         what, kSlotsLikelyMax, kSlotBytes);
    case EBUSY:
      return what + "; something chose the hash of this process before, run without it";
    default:
      return what + "; it has no private futex hash (6.17 and later have one), leave -b out";
  }
}

std::string refusal_of_immutable(int error) {
  const std::string what =
      fmt::format("-I: this kernel has no immutable hash ({})", error_text(error));
  if (set_slots(16, kMayBeReplaced) == 0) {
    return what + "; 6.17 and later count per CPU and need none, leave -I out or use --on engine";
  }
  return what + ", nor any private one; leave -I out or use --on engine";
}

/// Of the workload resize: what it says has no use for leaving -b out.
std::string refusal_of_resize(int error) {
  return fmt::format(
      "resize: this kernel has no private futex hash that could be replaced ({}); 6.17 and later "
      "have one, use --on engine",
      error_text(error));
}

void choose_slots(const SampleSpec& spec) {
  if (spec.is_immutable) {
    const long slots = spec.buckets >= 0 ? spec.buckets : slots_by_rule(spec.threads);
    const int error = set_slots(slots, kImmutable);
    if (error == ENOMEM) throw Failure(refusal_of_slots(slots, error));
    if (error != 0) throw Failure(refusal_of_immutable(error));
  } else if (spec.buckets >= 0) {
    const int error = set_slots(spec.buckets, kMayBeReplaced);
    if (error != 0 && error != ENOMEM && spec.workload == kResize) {
      throw Failure(refusal_of_resize(error));
    }
    if (error != 0) throw Failure(refusal_of_slots(spec.buckets, error));
  }
}

}  // namespace

long kernel_slots() {
  const int slots = prctl(kPrFutexHash, kGetSlots, 0UL, 0UL, 0UL);
  return slots > 0 ? slots : kBucketsGlobal;
}

SampleResult run_on_kernel(const SampleSpec& spec) {
  choose_slots(spec);
  KernelFutex futex{spec.is_shared ? 0 : FUTEX_PRIVATE_FLAG};
  SampleResult result = run_workload(futex, spec, kernel_slots);
  result.is_immutable = spec.is_immutable;
  if (spec.workload == kResize) return result;  // which saw to it that each size was taken
  if (spec.buckets >= 0 && result.buckets_after != spec.buckets) {
    throw Failure(fmt::format("-b {}: the kernel agreed but uses {} slots; leave -b out",
                              spec.buckets, result.buckets_after));
  }
  return result;
}

}  // namespace phutex::bench
