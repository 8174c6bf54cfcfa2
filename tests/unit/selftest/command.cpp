// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `phutex selftest` as it is built, from outside.
//
// The program is the one in ../bin beside the folder of this test, or what PHUTEX_CLI_PATH names.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "selftest/check.hpp"

namespace phutex::selftest {
namespace {

namespace files = std::filesystem;

struct Outcome {
  int status = -1;
  std::string text;  // both outputs

  [[nodiscard]] bool says(std::string_view part) const {
    return text.find(part) != std::string::npos;
  }
};

std::string program() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets variables here
  if (const char* const path = std::getenv("PHUTEX_CLI_PATH"); path != nullptr) return path;
  return files::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin" / "phutex";
}

Outcome run(const std::string& arguments) {
  Outcome outcome;
  std::FILE* const pipe = popen((program() + " selftest " + arguments + " 2>&1").c_str(), "r");
  for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe)) {
    outcome.text += static_cast<char>(byte);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

// Whatever kernel this is: what it does not have is skipped, not failed.
TEST(SelftestCommand, PassesOnTheKernelAtHand) {
  const Outcome outcome = run("--on kernel");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(outcome.text.starts_with("KTAP version 1\n1..1\n  KTAP version 1\n  1.."))
      << outcome.text;
  EXPECT_TRUE(outcome.says("\nok 1 kernel")) << outcome.text;
  EXPECT_TRUE(outcome.says("\n# Totals: pass:")) << outcome.text;
  EXPECT_FALSE(outcome.says("not ok")) << outcome.text;
}

TEST(SelftestCommand, ChecksKernelAndEngineIfNotTold) {
  const Outcome outcome = run("fresh");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(outcome.says("KTAP version 1\n1..2\n")) << outcome.text;
  EXPECT_TRUE(outcome.says("\nok 2 engine\n")) << outcome.text;
}

TEST(SelftestCommand, ChecksWhatBeginsWithAName) {
  const Outcome outcome = run("--on engine,engine global_for global");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(outcome.says("1..1\n  KTAP version 1\n  1..2\n")) << outcome.text;
  EXPECT_TRUE(outcome.says("  ok 1 global: ")) << outcome.text;
  EXPECT_TRUE(outcome.says("  ok 2 global_for_good: ")) << outcome.text;
}

// A check that cannot end in this time is one that hangs.
TEST(SelftestCommand, FailsIfACheckFails) {
  const Outcome outcome = run("--on engine --timeout 0.001 timeouts");
  EXPECT_EQ(outcome.status, 1) << outcome.text;
  EXPECT_TRUE(outcome.says("  # not over after 0.001 s, killed\n")) << outcome.text;
  EXPECT_TRUE(outcome.says("\n  not ok 1 timeouts: ")) << outcome.text;
  EXPECT_TRUE(outcome.says("\nnot ok 1 engine\n")) << outcome.text;
  EXPECT_TRUE(outcome.says("\n# Totals: pass:0 fail:1 ")) << outcome.text;
}

TEST(SelftestCommand, ListsEveryCheckWithItsClaim) {
  const Outcome outcome = run("--list");
  EXPECT_EQ(outcome.status, 0);
  for (const Check& check : checks()) {
    EXPECT_TRUE(outcome.says(check.name)) << check.name;
    EXPECT_TRUE(outcome.says(std::string(check.sentence) + "\n")) << check.sentence;
  }
  EXPECT_EQ(static_cast<std::size_t>(std::count(outcome.text.begin(), outcome.text.end(), '\n')),
            checks().size());
}

TEST(SelftestCommand, ExplainsItself) {
  const Outcome outcome = run("--help");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with("usage: phutex selftest ")) << outcome.text;
  EXPECT_EQ(run("-h").text, outcome.text);
  for (const char* const option : {"--on", "--timeout", "--list", "--help"}) {
    EXPECT_TRUE(outcome.says(option)) << option;
  }
}

TEST(SelftestCommand, RefusesInOneLineWhatCannotBeChecked) {
  for (const char* const arguments :
       {"--on fibers", "--on ''", "--on kernel,", "--on", "nothing", "fresh nothing", "--timeout 0",
        "--timeout soon", "--timeout -1", "--bogus", "-x"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
    EXPECT_TRUE(outcome.text.starts_with("phutex selftest: ")) << outcome.text;
  }
}

}  // namespace
}  // namespace phutex::selftest
