// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `phutex check` and `phutex edges` as they are built, from outside.
//
// The program is the one in ../bin beside the folder of this test, or what PHUTEX_CLI_PATH names.

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/check/exploring.hpp"

namespace phutex::checker {
namespace {

namespace files = std::filesystem;

struct Outcome {
  int status = -1;
  std::string text;  // both outputs
};

std::string program() {
  if (const char* const path = std::getenv("PHUTEX_CLI_PATH"); path != nullptr) return path;
  return files::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin" / "phutex";
}

Outcome run(const std::string& arguments) {
  Outcome outcome;
  std::FILE* const pipe = popen((program() + " " + arguments + " 2>&1").c_str(), "r");
  for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe)) {
    outcome.text += static_cast<char>(byte);
  }
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

bool says(const Outcome& outcome, const std::string& part) {
  return outcome.text.find(part) != std::string::npos;
}

TEST(CheckCommand, SaysThatAScenarioHolds) {
  const Outcome outcome = run("check LostWakeup/fixed --mode sc");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(says(outcome, "holds")) << outcome.text;
}

TEST(CheckCommand, ShowsACounterexampleAndHowToSeeItAgain) {
  const Outcome found = run("check --weaken EnqueueOrValue --mode tso LostWakeup/fixed/locked");
  EXPECT_EQ(found.status, 1) << found.text;
  EXPECT_TRUE(says(found, "=> asleep for ever: waiter")) << found.text;
  const std::size_t begin = found.text.find("again: phutex ");
  ASSERT_NE(begin, std::string::npos) << found.text;
  const std::size_t word = begin + std::string("again: phutex ").size();
  const Outcome again = run(found.text.substr(word, found.text.find('\n', word) - word));
  EXPECT_EQ(again.status, 1) << again.text;
  EXPECT_TRUE(says(found, again.text)) << "the same story:\n" << again.text;
}

TEST(CheckCommand, FindsItByLotToo) {
  for (const char* const strategy : {"pct", "random"}) {
    const Outcome outcome = run(std::string("check --weaken BucketHandover --mode sc --seed 3 ") +
                                "LostWakeup/fixed/locked --strategy " + strategy);
    EXPECT_EQ(outcome.status, 1) << outcome.text;
  }
}

TEST(CheckCommand, ListsWhatThereIs) {
  const Outcome outcome = run("check --list");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(says(outcome, "  TwoReplacements/per_cpu_count/locked\n")) << outcome.text;
}

TEST(CheckCommand, RefusesInOneLineWhatCannotBeRun) {
  for (const char* const arguments :
       {"Nothing", "--mode tsx", "--weaken Nothing", "--strategy luck", "--executions 0",
        "--seed -1", "--replay nonsense LostWakeup/fixed/locked", "--replay sc: LostWakeup",
        "--bogus", "--mode"}) {
    const Outcome outcome = run(std::string("check ") + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
    EXPECT_EQ(outcome.text.find("phutex check: "), 0U) << outcome.text;
  }
}

TEST(EdgesCommand, NamesEveryPromiseAndWhoChecksIt) {
  const Outcome outcome = run("edges");
  EXPECT_EQ(outcome.status, 0);
  for (const std::string_view name : edge::kNames) {
    EXPECT_TRUE(says(outcome, std::string{name})) << outcome.text;
  }
  EXPECT_FALSE(says(outcome, "killed by \n")) << outcome.text;
  EXPECT_EQ(run("edges too many").status, 2);
}

}  // namespace
}  // namespace phutex::checker
