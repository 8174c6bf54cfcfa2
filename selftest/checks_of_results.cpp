// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What each call answers in a process with one thread: sizes, refusals, and the order of checks.

#include <cerrno>
#include <chrono>
#include <utility>

#include "selftest/apart.hpp"
#include "selftest/check.hpp"

namespace phutex::selftest {
namespace {

/// A call and its result.
struct Step {
  HashCall call;
  long result;
};

/// One call after another; a wrong result does not keep the next from being looked at.
std::function<void(Findings&)> steps(std::vector<Step> all) {
  return [all = std::move(all)](Findings& findings) {
    for (const Step& step : all) findings.expect(step.call, step.result);
  };
}

HashCall with_flags(unsigned long count, unsigned long flags) {
  return {kSetSlots, count, flags};
}

void set_a_million(Findings& findings) {
  constexpr unsigned long kMillion = 1UL << 20;
  if (findings.machine().hash(set(kMillion)) == -ENOMEM) {
    findings.skip("no memory for 64 MiB of slots");
    return;
  }
  findings.expect(kGet, kMillion);
  findings.expect(set(kMillion), 0);
  findings.expect(kGet, kMillion);
}

/// The same for the hash of a child of this process.
void in_a_child(Findings& findings, std::vector<Step> all) {
  constexpr std::chrono::minutes kLimit{10};  // the check's own is over before
  const Ending ending = run_apart(
      [&](const TakeLine& say) {
        Findings of_child{findings.machine(), say};
        steps(std::move(all))(of_child);
        return static_cast<int>(of_child.verdict());
      },
      kLimit, [&](std::string_view line) { findings.note(line); });
  if (ending.end == End::returned && ending.value == static_cast<int>(Verdict::pass)) return;
  findings.fail(ending.end == End::returned ? "that was in a forked child"
                                            : "a forked child did not come to its end");
}

void forget_at_fork(Findings& findings) {
  findings.expect(set(64), 0);
  in_a_child(findings, {{kGet, 0}, {set(8), 0}, {kGet, 8}});
  findings.expect(kGet, 64);
}

void forget_global_at_fork(Findings& findings) {
  findings.expect(set(0), 0);
  findings.expect(set(16), -EBUSY);
  in_a_child(findings, {{kGet, 0}, {set(16), 0}, {kGet, 16}});
  findings.expect(set(16), -EBUSY);
}

}  // namespace

std::vector<Check> checks_of_results() {
  constexpr unsigned long kCut = 1UL << 32;
  return {
      {"fresh", "a process that has made no thread has no private hash", Needs::any_answer,
       steps({{kGet, 0}})},
      {"none", "without private hashes SET_SLOTS is refused and GET_SLOTS is 0",
       Needs::no_private_hash, steps({{set(16), -EINVAL}, {set(0), -EINVAL}, {kGet, 0}})},
      {"set", "each size is there when SET_SLOTS returns", Needs::private_hash,
       steps({{set(2), 0},
              {kGet, 2},
              {set(4), 0},
              {kGet, 4},
              {set(8), 0},
              {kGet, 8},
              {set(32), 0},
              {kGet, 32},
              {set(16), 0},
              {kGet, 16}})},
      {"set_million", "1 << 20 slots can be had", Needs::private_hash, set_a_million},
      {"bad_size", "a size that is no power of two from 2 is EINVAL and changes nothing",
       Needs::private_hash,
       steps({{set(15), -EINVAL},
              {set(1), -EINVAL},
              {kGet, 0},
              {set(32), 0},
              {set(15), -EINVAL},
              {set(1), -EINVAL},
              {set(3), -EINVAL},
              {set(0x8000'0001), -EINVAL},
              {kGet, 32}})},
      {"too_big", "1 << 29 slots are ENOMEM, and 4 can be had afterwards", Needs::private_hash,
       steps({{set(2), 0},
              {set(1UL << 29), -ENOMEM},
              {kGet, 2},
              {set(1UL << 31), -ENOMEM},
              {kGet, 2},
              {set(4), 0},
              {kGet, 4}})},
      {"global", "0 slots are the global hash", Needs::private_hash,
       steps({{set(4), 0}, {set(0), 0}, {kGet, 0}})},
      {"global_for_good", "after 0 slots a good size is EBUSY, a bad one EINVAL",
       Needs::private_hash,
       steps({{set(0), 0},
              {set(4), -EBUSY},
              {set(8), -EBUSY},
              {set(8), -EBUSY},
              {set(0), -EBUSY},
              {set(6), -EINVAL},
              {set(15), -EINVAL},
              {set(1), -EINVAL},
              {kGet, 0}})},
      {"flags", "a flag is EINVAL before any look at the size", Needs::no_immutable,
       steps({{with_flags(16, 1), -EINVAL},
              {kGet, 0},
              {with_flags(0, 1), -EINVAL},
              {set(16), 0},
              {kGet, 16},
              {with_flags(15, 2), -EINVAL},
              {with_flags(1UL << 29, 1), -EINVAL},
              {set(0), 0},
              {with_flags(16, 1), -EINVAL},
              {with_flags(0, 1), -EINVAL}})},
      {"operations", "a sub-operation that does not exist is EINVAL", Needs::private_hash,
       steps({{{0}, -EINVAL}, {{4}, -EINVAL}, {{9, 16}, -EINVAL}, {{~0UL}, -EINVAL}, {kGet, 0}})},
      {"operation_3", "sub-operation 3, once GET_IMMUTABLE, is EINVAL", Needs::no_immutable,
       steps({{{kGetImmutable}, -EINVAL}, {set(16), 0}, {{kGetImmutable}, -EINVAL}})},
      {"get_arguments", "GET_SLOTS looks at no further argument", Needs::private_hash,
       steps({{set(16), 0}, {{kGetSlots, 77, 99}, 16}, {{kGetSlots, 15}, 16}})},
      {"fifth_argument", "the fifth argument is ignored", Needs::unused_argument,
       steps({{{kSetSlots, 32, 0, 77}, 0},
              {{kGetSlots, 0, 0, 77}, 32},
              {{kSetSlots, 15, 0, 77}, -EINVAL}})},
      {"cut", "a size is cut to 32 bits before it is looked at", Needs::private_hash,
       steps({{set(5 * kCut + 16), 0}, {kGet, 16}, {set(kCut + 1), -EINVAL}, {kGet, 16}})},
      {"cut_to_global", "1 << 32 slots are 0: the global hash, for good", Needs::private_hash,
       steps({{set(kCut), 0}, {kGet, 0}, {set(16), -EBUSY}, {kGet, 0}})},
      {"fork", "a forked child has no private hash and may have its own", Needs::private_hash,
       forget_at_fork},
      {"fork_global", "a forked child is not on the global hash for good", Needs::private_hash,
       forget_global_at_fork},
      {"immutable", "an immutable hash says so and is EBUSY for every good size", Needs::immutable,
       steps({{set(32), 0},
              {{kGetImmutable}, 0},
              {with_flags(16, kImmutable), 0},
              {kGet, 16},
              {{kGetImmutable}, 1},
              {set(32), -EBUSY},
              {set(0), -EBUSY},
              {kGet, 16}})},
      {"immutable_global", "the global hash counts as immutable", Needs::immutable,
       steps({{set(0), 0}, {{kGetImmutable}, 1}})},
  };
}

}  // namespace phutex::selftest
