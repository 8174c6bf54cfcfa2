// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whatever a check does, its result says it.

#include "selftest/runner.hpp"

#include <csignal>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace phutex::selftest {
namespace {

using namespace std::chrono_literals;

struct Printed {
  Totals totals;
  std::string text;

  [[nodiscard]] bool has(std::string_view part) const {
    return text.find(part) != std::string::npos;
  }
};

Printed run(const std::vector<Check>& checks, const std::vector<const Machine*>& machines,
            std::chrono::milliseconds limit = 60s) {
  Session session{machines, {}, limit};
  for (const Check& check : checks) session.checks.push_back(&check);
  Printed printed;
  printed.totals = run_checks(session, [&](std::string_view line) { printed.text += line; });
  return printed;
}

/// One check that always applies, on the engine.
Printed run(std::function<void(Findings&)> body, std::chrono::milliseconds limit = 60s) {
  return run({{"it", "is so", Needs::any_answer, std::move(body)}}, {&machine_named("engine")},
             limit);
}

TEST(Runner, TellsOfACheckThatPasses) {
  const Printed printed = run([](Findings&) {});
  EXPECT_EQ(printed.totals.pass, 1U);
  EXPECT_TRUE(printed.has("\n  ok 1 it: is so\n")) << printed.text;
  EXPECT_TRUE(printed.has("\nok 1 engine\n")) << printed.text;
  EXPECT_TRUE(printed.text.ends_with("\n# Totals: pass:1 fail:0 xfail:0 xpass:0 skip:0 error:0\n"))
      << printed.text;
}

TEST(Runner, TellsWhatWasExpectedAndWhatWasFound) {
  const Printed printed = run([](Findings& findings) {
    findings.expect(set(15), 0);
    findings.expect(set(16), -EINVAL);
    findings.expect(set(1UL << 32), -EBUSY);
    findings.expect(kGet, 0);
  });
  EXPECT_EQ(printed.totals.fail, 1U);
  EXPECT_TRUE(
      printed.has("\n"
                  "  # phutex_prctl_hash(SET_SLOTS, 15, 0) = 0 expected, -EINVAL found\n"
                  "  # phutex_prctl_hash(SET_SLOTS, 16, 0) = -EINVAL expected, 0 found\n"
                  "  # phutex_prctl_hash(SET_SLOTS, 1 << 32, 0) = -EBUSY expected, 0 found"
                  "\n  not ok 1 it: is so\n"))
      << printed.text;
  EXPECT_TRUE(printed.has("\nnot ok 1 engine\n")) << printed.text;
}

TEST(Runner, TellsWhyACheckIsSkipped) {
  const Printed printed = run([](Findings& findings) { findings.skip("2 CPUs"); });
  EXPECT_EQ(printed.totals.skip, 1U);
  EXPECT_TRUE(printed.has("\n  ok 1 it: is so # SKIP 2 CPUs\n")) << printed.text;
  EXPECT_TRUE(printed.has("\nok 1 engine # SKIP ")) << printed.text;
}

TEST(Runner, LetsNoSkipHideAFailure) {
  const Printed printed = run([](Findings& findings) {
    findings.fail("wrong");
    findings.skip("2 CPUs");
  });
  EXPECT_EQ(printed.totals.fail, 1U);
  EXPECT_TRUE(printed.has("\n  # wrong\n  not ok 1 it: is so\n")) << printed.text;
}

TEST(Runner, TellsOfAHangWhichIsAFailure) {
  const Printed printed = run(
      [](Findings& findings) {
        findings.note("so far so good");
        for (;;) pause();
      },
      300ms);
  EXPECT_EQ(printed.totals.fail, 1U);
  EXPECT_TRUE(printed.has("  # so far so good\n  # not over after 0.3 s, killed\n  # 1 thread: "))
      << printed.text;
}

TEST(Runner, TellsOfACrashWhichIsAFailure) {
  const Printed printed = run([](Findings&) { raise(SIGKILL); });
  EXPECT_EQ(printed.totals.fail, 1U);
  EXPECT_TRUE(printed.has("  # the process was ended by a signal: Killed (SIGKILL)\n  not ok 1 "))
      << printed.text;
}

TEST(Runner, TellsOfAnEarlyExitWhichIsAFailure) {
  const Printed printed = run([](Findings&) { _exit(0); });
  EXPECT_EQ(printed.totals.fail, 1U);
  EXPECT_TRUE(printed.has("exited with status 0 before its end\n  not ok 1 ")) << printed.text;
}

TEST(Runner, TellsOfACheckThatCannotGoOnWhichIsAnError) {
  const Printed printed = run([](Findings&) { throw std::runtime_error("no thread left"); });
  EXPECT_EQ(printed.totals.error, 1U);
  EXPECT_TRUE(printed.has("  # the check cannot go on: no thread left\n  not ok 1 "))
      << printed.text;
}

TEST(Runner, GoesOnAfterAFailureAndOnEveryMachine) {
  const std::vector<Check> three{
      {"a", "crashes", Needs::any_answer, [](Findings&) { raise(SIGKILL); }},
      {"b", "global", Needs::private_hash, [](Findings& f) { f.expect(set(0), 0); }},
      {"c", "not inherited", Needs::private_hash, [](Findings& f) { f.expect(set(8), 0); }},
  };
  const Printed printed = run(three, {&machine_named("engine"), &machine_named("engine_6.16")});
  EXPECT_EQ(printed.totals.pass, 4U) << printed.text;
  EXPECT_EQ(printed.totals.fail, 2U) << printed.text;
  EXPECT_TRUE(printed.text.starts_with("KTAP version 1\n1..2\n  KTAP version 1\n  1..3\n"));
  EXPECT_TRUE(printed.has("\nnot ok 1 engine\n  KTAP version 1\n")) << printed.text;
  EXPECT_TRUE(printed.has("\nnot ok 2 engine_6.16\n")) << printed.text;
}

// Kernels that this one is not.

Machine machine_answering(long (*hash)(const HashCall&) noexcept) {
  Machine machine = machine_named("kernel");
  machine.hash = hash;
  return machine;
}

TEST(Runner, SkipsAllOnAKernelWithoutTheCall) {
  const Machine old =
      machine_answering([](const HashCall&) noexcept { return static_cast<long>(-EINVAL); });
  const Printed printed = run({checks().begin(), checks().end()}, {&old});
  EXPECT_EQ(printed.totals.skip, checks().size()) << printed.text;
  EXPECT_TRUE(printed.has("# SKIP no PR_FUTEX_HASH; Linux 6.16 and later have it\n"));
}

TEST(Runner, SkipsAllButTwoOnAKernelWithoutPrivateHashes) {
  const Machine without = machine_answering([](const HashCall& call) noexcept {
    return static_cast<long>(call.operation == kGetSlots ? 0 : -EINVAL);
  });
  const Printed printed = run({checks().begin(), checks().end()}, {&without});
  EXPECT_EQ(printed.totals.pass, 2U) << printed.text;
  EXPECT_EQ(printed.totals.skip, checks().size() - 2) << printed.text;
  EXPECT_TRUE(printed.has("  ok 1 fresh: ")) << printed.text;
  EXPECT_TRUE(printed.has("  ok 2 none: ")) << printed.text;
}

TEST(Runner, TellsOfAMachineThatAnswersNothing) {
  const Machine dead = machine_answering([](const HashCall&) noexcept {
    raise(SIGKILL);
    return 0L;
  });
  const Printed printed = run({checks().front()}, {&dead});
  EXPECT_EQ(printed.totals.fail, 1U) << printed.text;
}

}  // namespace
}  // namespace phutex::selftest
