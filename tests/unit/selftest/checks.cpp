// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The checks themselves: each finds the fault that it is there for, and the engine has none.

#include "selftest/check.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "selftest/apart.hpp"
#include "selftest/runner.hpp"

namespace phutex::selftest {
namespace {

using namespace std::chrono_literals;

const Check& check_named(std::string_view name) {
  const auto found = std::find_if(checks().begin(), checks().end(),
                                  [&](const Check& check) { return check.name == name; });
  if (found == checks().end()) throw std::out_of_range(std::string(name));
  return *found;
}

struct Found {
  Ending ending;
  std::string text;
};

/// What the check says of the machine, whatever it needs.
Found find_with(std::string_view check, const Machine& machine) {
  Found found;
  found.ending = run_apart(
      [&](const TakeLine& say) {
        Findings findings{machine, say};
        check_named(check).run(findings);
        return static_cast<int>(findings.verdict());
      },
      50s,
      [&](std::string_view line) {
        found.text += line;
        found.text += '\n';
      });
  return found;
}

void expect_verdict(Verdict verdict, std::string_view check, const Machine& machine) {
  const Found found = find_with(check, machine);
  EXPECT_EQ(found.ending.end, End::returned) << check << ": " << found.text;
  EXPECT_EQ(found.ending.value, static_cast<int>(verdict)) << check << ": " << found.text;
}

const Machine& engine() {
  return machine_named("engine");
}

TEST(Checks, HaveNamesThatChooseOne) {
  std::set<std::string_view> names;
  for (const Check& check : checks()) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_EQ(check.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"),
              std::string_view::npos)
        << check.name;
  }
}

// One answer is wrong; the rest is the engine's.

long nothing_set(const HashCall& call) noexcept {
  return call.operation == kSetSlots ? 0 : engine().hash(call);
}
long never_a_size(const HashCall& call) noexcept {
  return call.operation == kGetSlots ? 0 : engine().hash(call);
}
long sixteen_from_the_start(const HashCall& call) noexcept {
  const long result = engine().hash(call);
  return call.operation == kGetSlots && result == 0 ? 16 : result;
}
long eight_from_the_start(const HashCall& call) noexcept {
  const long result = engine().hash(call);
  return call.operation == kGetSlots && result == 16 ? 8 : result;
}
long any_size_is_good(const HashCall& call) noexcept {
  const long result = engine().hash(call);
  return result == -EINVAL && call.operation == kSetSlots && call.flags == 0 ? 0 : result;
}
long global_is_not_for_good(const HashCall& call) noexcept {
  const long result = engine().hash(call);
  return result == -EBUSY ? 0 : result;
}
long busy_before_a_bad_size(const HashCall& call) noexcept {
  static bool is_global = false;
  if (is_global && call.operation == kSetSlots) return -EBUSY;
  const long result = engine().hash(call);
  is_global = is_global || (call.operation == kSetSlots && call.count == 0 && result == 0);
  return result;
}
long no_look_at_flags(const HashCall& call) noexcept {
  return engine().hash({call.operation, call.count, 0});
}
long memory_for_all(const HashCall& call) noexcept {
  const long result = engine().hash(call);
  return result == -ENOMEM ? 0 : result;
}
long any_operation(const HashCall& call) noexcept {
  return call.operation == kSetSlots || call.operation == kGetSlots ? engine().hash(call) : 0;
}
long get_looks_at_the_size(const HashCall& call) noexcept {
  return call.operation == kGetSlots && call.count == 15 ? -EINVAL : engine().hash(call);
}
long fifth_argument_looked_at(const HashCall& call) noexcept {
  return call.unused != 0 ? -EINVAL : engine().hash(call);
}
long sixty_four_bits(const HashCall& call) noexcept {
  return call.count > UINT_MAX ? -EINVAL : engine().hash(call);
}
long thread_takes_all(const HashCall& call) noexcept {
  const long result = engine().hash(call);
  return call.operation == kSetSlots && call.count == 256 ? -ENOMEM : result;
}

/// A fault of prctl(PR_FUTEX_HASH), and a check that must notice.
struct Fault {
  std::string_view check;
  long (*hash)(const HashCall& call) noexcept;
};

constexpr Fault kFaults[] = {
    {"fresh", sixteen_from_the_start},
    {"none", nothing_set},
    {"set", nothing_set},
    {"set", never_a_size},
    {"set_million", nothing_set},
    {"bad_size", any_size_is_good},
    {"too_big", memory_for_all},
    {"global", sixteen_from_the_start},
    {"global_for_good", global_is_not_for_good},
    {"global_for_good", busy_before_a_bad_size},
    {"flags", no_look_at_flags},
    {"operations", any_operation},
    {"operation_3", any_operation},
    {"get_arguments", get_looks_at_the_size},
    {"fifth_argument", fifth_argument_looked_at},
    {"cut", sixty_four_bits},
    {"cut_to_global", sixty_four_bits},
    {"fork", sixteen_from_the_start},
    {"fork_global", sixteen_from_the_start},
    {"immutable", any_operation},
    {"immutable_global", nothing_set},
    {"first_thread", never_a_size},
    {"default_size", eight_from_the_start},
    {"set_with_thread", nothing_set},
    {"kept", nothing_set},
    {"kept_global", sixteen_from_the_start},
    {"setters", thread_takes_all},
    {"sleepers", thread_takes_all},
    {"order", thread_takes_all},
    {"timeouts", thread_takes_all},
    {"wakes", thread_takes_all},
};

TEST(Checks, NoticeAWrongAnswer) {
  for (const Fault& fault : kFaults) {
    Machine broken = engine();
    broken.hash = fault.hash;
    expect_verdict(Verdict::fail, fault.check, broken);
  }
}

// Growth needs CPUs that this machine may not have.

long many_cpus() noexcept {
  return 32;
}

/// Sixteen slots, and after some polls as many as the rule says.
long grows_late(const HashCall& call) noexcept {
  static int polls = 0;
  if (call.operation != kGetSlots) return engine().hash(call);
  return ++polls < 4 ? 16 : 128;
}
long sixteen_for_ever(const HashCall& call) noexcept {
  return call.operation == kGetSlots ? 16 : engine().hash(call);
}

TEST(Checks, WaitForAHashThatGrowsLate) {
  Machine large = engine();
  large.online_cpus = many_cpus;
  large.hash = grows_late;
  expect_verdict(Verdict::pass, "growth", large);
  expect_verdict(Verdict::pass, "growth_size", large);
  large.hash = sixteen_for_ever;
  expect_verdict(Verdict::fail, "growth", large);
  expect_verdict(Verdict::fail, "growth_size", large);
}

TEST(Checks, SkipGrowthWhereFewCpusAre) {
  Machine small = engine();
  small.online_cpus = []() noexcept { return 4L; };
  small.hash = sixteen_for_ever;
  expect_verdict(Verdict::skip, "growth", small);
  expect_verdict(Verdict::skip, "growth_size", small);
}

// Sleepers, waits and wakes.

TEST(Checks, NoticeAWakeThatFindsNobody) {
  Machine broken = engine();
  broken.wake = [](Word& word, int count) noexcept {
    const long woken = engine().wake(word, count);
    return count == 1 ? 0L : woken;
  };
  expect_verdict(Verdict::fail, "sleepers", broken);
  expect_verdict(Verdict::fail, "order", broken);
}

TEST(Checks, NoticeAWakeThatFindsTheWrongOne) {
  Machine broken = engine();
  broken.wake = [](Word& word, int count) noexcept {
    return std::min(engine().wake(word, count == 1 ? 2 : count), static_cast<long>(count));
  };
  expect_verdict(Verdict::fail, "order", broken);
}

TEST(Checks, NoticeASleeperThatAReplacementWakes) {
  static std::vector<Word*> words;
  Machine broken = engine();
  broken.sleeping = [](Word& word) noexcept {
    if (std::find(words.begin(), words.end(), &word) == words.end()) words.push_back(&word);
    return engine().sleeping(word);
  };
  broken.hash = [](const HashCall& call) noexcept {
    if (call.operation == kSetSlots && call.count == 1024) engine().wake(*words.front(), 1);
    return engine().hash(call);
  };
  expect_verdict(Verdict::fail, "sleepers", broken);
}

TEST(Checks, NoticeATimeoutThatIsNone) {
  Machine broken = engine();
  broken.wait = [](Word& word, std::uint32_t expected, const timespec* timeout) noexcept {
    const long result = engine().wait(word, expected, timeout);
    return result == -ETIMEDOUT ? 0 : result;
  };
  expect_verdict(Verdict::fail, "timeouts", broken);
}

TEST(Checks, NoticeAWakeThatIsLost) {
  Machine broken = engine();
  broken.wake = [](Word& word, int) noexcept {
    return static_cast<long>(engine().sleeping(word));  // as if they had been woken
  };
  expect_verdict(Verdict::fail, "wakes", broken);
}

TEST(Checks, SayWhenNoThreadCanBeMade) {
  Machine broken = engine();
  broken.announce_thread = []() noexcept { return static_cast<long>(-ENOMEM); };
  const Session session{{&broken}, {&check_named("first_thread")}, 60s};
  std::string text;
  const Totals totals = run_checks(session, [&](std::string_view line) { text += line; });
  EXPECT_EQ(totals.error, 1U) << text;
}

void expect_no_failure(std::string_view machine) {
  Session session{{&machine_named(machine)}, {}, 50s};
  for (const Check& check : checks()) session.checks.push_back(&check);
  std::string text;
  const Totals totals = run_checks(session, [&](std::string_view line) { text += line; });
  EXPECT_EQ(totals.fail + totals.error, 0U) << text;
  EXPECT_GE(totals.pass, 20U) << text;
}

TEST(Checks, PassOnTheEngine) {
  expect_no_failure("engine");
}

TEST(Checks, PassOnTheEngineOfTheOtherDialect) {
  expect_no_failure("engine_6.16");
}

}  // namespace
}  // namespace phutex::selftest
