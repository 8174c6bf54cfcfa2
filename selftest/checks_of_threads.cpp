// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the threads of a process do to the size of its hash, and what they may not.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include <fmt/format.h>
#include <time.h>

#include "selftest/check.hpp"
#include "selftest/crew.hpp"

namespace phutex::selftest {
namespace {

constexpr std::size_t kManyThreads = 64;
constexpr long kSlotsMin = 16;       // of a hash that nobody chose
constexpr long kSlotsOfAThread = 4;  // and a hash has no more threads than CPUs to count
constexpr long kPolls = 20;
constexpr timespec kPoll{0, 100'000'000};

/// What a process has when a thread is made beside `threads` others.
long slots_by_rule(const Machine& machine, long threads) {
  const auto counted = static_cast<unsigned long>(std::min(threads, machine.online_cpus()));
  return std::max(kSlotsMin, static_cast<long>(std::bit_ceil(kSlotsOfAThread * counted)));
}

/// An operation that blocks: a replacement that waits for nothing else is completed by it.
void use_the_hash(const Machine& machine) {
  Word word;
  machine.wait(word, 0, &kPoll);
}

/// The size of the hash as soon as it is `wanted`, or else after the last poll.
template <class Wanted>
long poll_for_size(const Machine& machine, Wanted wanted) {
  for (long poll = 0; poll < kPolls; ++poll) {
    if (const long slots = machine.hash(kGet); wanted(slots)) return slots;
    use_the_hash(machine);
  }
  return machine.hash(kGet);
}

void have_one_after_the_first_thread(Findings& findings) {
  Bystanders bystander{findings.machine(), 1};
  const long slots = findings.machine().hash(kGet);
  if (slots <= 0) {
    findings.fail(fmt::format("{} > 0 expected after the first thread, {} found",
                              call_text(findings.machine(), kGet),
                              result_text(findings.machine(), slots)));
  }
}

void have_the_default_size(Findings& findings) {
  Bystanders bystander{findings.machine(), 1};
  findings.expect(kGet, slots_by_rule(findings.machine(), 1));
}

/// With one CPU more than this a hash of many threads is larger than one of a single thread.
bool has_more_cpus_than(Findings& findings, long least) {
  const long cpus = findings.machine().online_cpus();
  if (cpus > least) return true;
  findings.skip(fmt::format("needs more than {} online CPUs, {} found", least, cpus));
  return false;
}

void grow_with_the_threads(Findings& findings) {
  if (!has_more_cpus_than(findings, 16)) return;
  const Machine& machine = findings.machine();
  Bystanders first{machine, 1};
  const long before = machine.hash(kGet);
  Bystanders others{machine, kManyThreads};
  const long after = poll_for_size(machine, [&](long slots) { return slots > before; });
  if (after > before) return;
  findings.fail(fmt::format(
      "{} > {} expected with {} threads and {} online CPUs, {} found after "
      "{} waits of 100 ms",
      call_text(machine, kGet), before, kManyThreads + 2, machine.online_cpus(), after, kPolls));
}

void grow_to_the_rule(Findings& findings) {
  if (!has_more_cpus_than(findings, kSlotsMin / kSlotsOfAThread)) return;
  const Machine& machine = findings.machine();
  Bystanders many{machine, kManyThreads};
  const long wanted = slots_by_rule(machine, kManyThreads);
  poll_for_size(machine, [&](long slots) { return slots == wanted; });
  findings.expect(kGet, wanted);
}

void set_beside_threads(Findings& findings) {
  Bystanders bystander{findings.machine(), 1};
  for (const unsigned long size : std::array{2UL, 4UL, 8UL, 32UL, 16UL}) {
    findings.expect(set(size), 0);
    findings.expect(kGet, static_cast<long>(size));
  }
  findings.expect(set(15), -EINVAL);
  findings.expect(kGet, 16);
}

void keep_what_was_chosen(Findings& findings, unsigned long size) {
  const Machine& machine = findings.machine();
  findings.expect(set(size), 0);
  Bystanders many{machine, kManyThreads};
  findings.expect(kGet, static_cast<long>(size));
  use_the_hash(machine);
  findings.expect(kGet, static_cast<long>(size));
}

void let_many_set(Findings& findings) {
  constexpr std::array kSizes{4UL, 8UL, 32UL, 256UL};
  constexpr int kTimes = 10;
  const Machine& machine = findings.machine();
  std::array<std::atomic<long>, kSizes.size()> refusals{};
  {
    Crew crew{machine};
    for (std::size_t index = 0; index < kSizes.size(); ++index) {
      crew.start([&, index] {
        for (int time = 0; time < kTimes; ++time) {
          const long result = machine.hash(set(kSizes[index]));
          if (result != 0) refusals[index].store(result);
        }
      });
    }
  }
  for (std::size_t index = 0; index < kSizes.size(); ++index) {
    findings.expect(call_text(machine, set(kSizes[index])) + " beside others", 0,
                    refusals[index].load());
  }
  const long slots = machine.hash(kGet);
  if (std::find(kSizes.begin(), kSizes.end(), static_cast<unsigned long>(slots)) == kSizes.end()) {
    findings.fail(fmt::format("{} = 4, 8, 32 or 256 expected, {} found", call_text(machine, kGet),
                              result_text(machine, slots)));
  }
}

}  // namespace

std::vector<Check> checks_of_threads() {
  return {
      {"first_thread", "a process that has made a thread has a private hash", Needs::private_hash,
       have_one_after_the_first_thread},
      {"default_size", "the size that comes with the first thread is the rule's",
       Needs::private_hash, have_the_default_size},
      {"growth", "64 threads on more than 16 CPUs enlarge the hash", Needs::private_hash,
       grow_with_the_threads},
      {"growth_size", "the size that 64 threads enlarge the hash to is the rule's",
       Needs::private_hash, grow_to_the_rule},
      {"set_with_thread", "each size is there when SET_SLOTS returns, beside a thread",
       Needs::private_hash, set_beside_threads},
      {"kept", "a size that was set is kept when 64 threads come", Needs::private_hash,
       [](Findings& findings) { keep_what_was_chosen(findings, 2); }},
      {"kept_global", "the global hash is kept when 64 threads come", Needs::private_hash,
       [](Findings& findings) { keep_what_was_chosen(findings, 0); }},
      {"setters", "threads that set sizes at the same time all succeed", Needs::private_hash,
       let_many_set},
  };
}

}  // namespace phutex::selftest
