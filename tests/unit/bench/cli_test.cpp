// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program as it is built, from outside: what it does with good and with bad arguments.
//
// It is the one in ../bin beside the folder of this test, or what PHUTEX_CLI_PATH names.

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "bench/affinity.hpp"
#include "bench/engine_target.hpp"

namespace phutex {
namespace {

namespace files = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

struct Outcome {
  int status;  // exit status, or 128 and the signal
  std::string output;
  std::string errors;
};

class Cli : public testing::Test {
 protected:
  Cli() {
    std::string name = testing::TempDir() + "/cli.XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Cli() override { files::remove_all(folder_); }

  static std::string program() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets variables here
    if (const char* path = std::getenv("PHUTEX_CLI_PATH"); path != nullptr) return path;
    return files::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin" / "phutex";
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  /// Starts the program with its output in files of the test's folder.
  [[nodiscard]] pid_t start(Words words) const {
    words.insert(words.begin(), "phutex");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, 1, path("output").c_str(), kFlags, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, path("errors").c_str(), kFlags, 0600);
    pid_t pid = -1;
    const int error =
        posix_spawn(&pid, program().c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0) << program() << " cannot be started; build it or set PHUTEX_CLI_PATH";
    return pid;
  }

  [[nodiscard]] Outcome finish(pid_t pid) const {
    int status = -1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return {-1, "", ""};
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            text_of(path("output")), text_of(path("errors"))};
  }

  [[nodiscard]] Outcome run(const Words& words) const { return finish(start(words)); }

  /// Bad input: one line that names the culprit, exit status 2, and nothing else.
  void expect_refusal(const Words& words, const std::string& culprit) const {
    const Outcome outcome = run(words);
    const std::string command = testing::PrintToString(words);
    EXPECT_EQ(outcome.status, 2) << command << outcome.errors;
    EXPECT_EQ(outcome.output, "") << command;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << command;
    EXPECT_TRUE(outcome.errors.ends_with('\n')) << command;
    EXPECT_NE(outcome.errors.find(culprit), std::string::npos) << command << outcome.errors;
  }

  /// The document of a short run.
  [[nodiscard]] Json measure(Words words) const {
    words.insert(words.end(), {"-r", "0.02", "--repeat", "1", "--format", "json"});
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 0) << testing::PrintToString(words) << outcome.errors;
    EXPECT_EQ(outcome.errors, "") << testing::PrintToString(words);
    return Json::parse(outcome.output, nullptr, false);
  }

  /// Waits until the program has begun its nth sample. If that cannot be seen, ends the program.
  static bool await_samples(pid_t pid, std::size_t count) {
    const std::string task = std::to_string(pid);
    const std::string children = "/proc/" + task + "/task/" + task + "/children";
    std::set<std::string> seen;
    for (int attempt = 0; attempt < 20'000; ++attempt) {
      if (const std::string child = text_of(children); !child.empty()) seen.insert(child);
      if (seen.size() >= count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    EXPECT_FALSE(files::exists("/proc/self/task/" + std::to_string(gettid()) + "/children"));
    return false;
  }

  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

 private:
  files::path folder_;
};

/// Gives this test program a private hash of 16 slots, if the kernel has such things.
bool kernel_has_private_hash() {
  return prctl(78, 1UL, 16UL, 0UL, 0UL) == 0;
}

TEST_F(Cli, HelpNamesCommandsWorkloadsAndOptions) {
  EXPECT_NE(run({}).output.find("bench"), std::string::npos);
  EXPECT_EQ(run({"help"}).output, run({"--help"}).output);
  EXPECT_EQ(run({"help"}).output.find("bench-sample"), std::string::npos);
  const Outcome workloads = run({"bench"});
  EXPECT_EQ(workloads.status, 0);
  EXPECT_NE(workloads.output.find("wait-wake"), std::string::npos);
  const Outcome help = run({"bench", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.output.find("--mlockall"), std::string::npos);
  EXPECT_EQ(run({"help", "bench"}).output, help.output);
  EXPECT_TRUE(run({"--version"}).output.starts_with("phutex "));
}

TEST_F(Cli, RefusesWhatItDoesNotKnow) {
  expect_refusal({"nothing"}, "nothing");
  expect_refusal({"bench", "nothing"}, "nothing");
  expect_refusal({"bench", "hash", "more"}, "more");
  expect_refusal({"bench", "hash", "--on", "moon"}, "moon");
  expect_refusal({"bench", "hash", "--on", "engine", "--scheme", "nothing"}, "nothing");
  expect_refusal({"bench", "hash", "--on", "engine", "--mismatch", "nothing"}, "nothing");
  expect_refusal({"bench", "hash", "--format", "nothing"}, "nothing");
  expect_refusal({"bench", "two\nlines"}, "two?lines");
}

// N7: nothing unknown passes, by letter, in a bundle, or by name.
TEST_F(Cli, RefusesUnknownOptions) {
  expect_refusal({"bench", "hash", "-z"}, "-z");
  expect_refusal({"bench", "hash", "-sz"}, "-z");
  expect_refusal({"bench", "hash", "--nothing"}, "--nothing");
  expect_refusal({"bench", "hash", "--no-silent"}, "--no-silent");
  expect_refusal({"bench", "hash", "--s"}, "--s");
  expect_refusal({"bench", "hash", "--silent=1"}, "--silent=1");
  expect_refusal({"bench", "hash", "-t"}, "-t");
  expect_refusal({"bench", "hash", "--threads"}, "--threads");
}

TEST_F(Cli, RefusesNumbersThatMeanNothing) {
  for (const char* threads : {"0", "-1", "x", "2x", "", "0x10", "99999999999999999999"}) {
    expect_refusal({"bench", "hash", "-t", threads}, "-t");
  }
  for (const char* futexes : {"0", "-1", "1.5", "3000000000"}) {
    expect_refusal({"bench", "hash", "-f", futexes}, "-f");
  }
  expect_refusal({"bench", "hash", "--repeat", "0"}, "--repeat 0");
  expect_refusal({"bench", "hash", "-t", "1000", "-f", "2000000000"}, "-f 2000000000");
}

// N3: no division by a runtime of nothing.
TEST_F(Cli, RefusesARuntimeOfNothing) {
  for (const char* seconds : {"0", "0.0", "-1", "-0.5", "nan", "inf", "x", "1s", ""}) {
    expect_refusal({"bench", "hash", "-r", seconds}, "-r");
  }
}

// 2^32 would be 0 to the kernel, which is the global hash, for good.
TEST_F(Cli, RefusesSizesThatNoHashHas) {
  for (const char* buckets : {"1", "3", "15", "-1", "16.0", "x", "", "2147483648", "4294967296",
                              "4294967312", "8589934592", "18446744073709551616"}) {
    expect_refusal({"bench", "hash", "--on", "kernel", "-b", buckets}, "-b");
  }
}

TEST_F(Cli, RefusesMoreThanTheKernelGives) {
  if (!kernel_has_private_hash()) GTEST_SKIP() << "this kernel has no private hash";
  expect_refusal({"bench", "hash", "--on", "kernel", "-r", "0.01", "-b", "1073741824"},
                 "-b 1073741824");
}

TEST_F(Cli, RefusesMoreThanMemoryHolds) {
  constexpr double kBytesAtLeast = 32.0 * (1U << 30);
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (present > kBytesAtLeast) GTEST_SKIP() << "this machine may well hold 2^30 buckets";
  expect_refusal({"bench", "hash", "--on", "engine", "-r", "0.01", "-b", "1073741824"},
                 "1073741824");
}

TEST_F(Cli, PassesOnWhyTheKernelRefuses) {
  if (!kernel_has_private_hash()) {
    expect_refusal({"bench", "hash", "--on", "kernel", "-r", "0.01", "-b", "16"}, "-b 16");
  }
  if (prctl(78, 1UL, 16UL, 1UL, 0UL) == 0) GTEST_SKIP() << "this kernel has an immutable hash";
  expect_refusal({"bench", "hash", "--on", "kernel", "-r", "0.01", "-I"}, "-I");
  expect_refusal({"bench", "hash", "--on", "kernel,engine", "-r", "60", "-Ib128"}, "-I");
}

TEST_F(Cli, RefusesOptionsThatDoNotGoTogether) {
  expect_refusal({"bench", "hash", "-S", "--on", "engine"}, "-S");
  expect_refusal({"bench", "hash", "-S", "--on", "kernel,engine"}, "-S");
  expect_refusal({"bench", "hash", "--on", "kernel", "--scheme", "fixed"}, "--scheme");
  expect_refusal({"bench", "hash", "--on", "kernel", "--mismatch", "early"}, "--mismatch");
  expect_refusal({"bench", "wait-wake", "-f", "4"}, "-f");
  expect_refusal({"bench", "hash", "--scheme=tombstone", "--mismatch=early"}, "--mismatch");
}

TEST_F(Cli, RefusesToReplaceWhatCannotBeReplaced) {
  for (const Words& words :
       {Words{"--scheme", "fixed"}, Words{"-b", "0"}, Words{"-b", "2"}, Words{"-I"}, Words{"-S"},
        Words{"--format", "perf"}, Words{"--rate", "-1"}, Words{"--sleepers", "x"}}) {
    Words all{"bench", "resize"};
    all.insert(all.end(), words.begin(), words.end());
    expect_refusal(all, words.front() + (words.size() > 1 ? " " + words.back() : ""));
  }
  expect_refusal({"bench", "hash", "--rate", "100"}, "--rate");
  expect_refusal({"bench", "wait-wake", "--sleepers", "1"}, "--sleepers");
  if (!kernel_has_private_hash()) expect_refusal({"bench", "resize", "--on=kernel"}, "--on engine");
}

// N8: noticed, and before time is spent on measuring.
TEST_F(Cli, RefusesAnOutputThatCannotBeWrittenBeforeItMeasures) {
  expect_refusal({"bench", "hash", "-r", "60", "-o", "/nonexistent/x"}, "/nonexistent/x");
  expect_refusal({"bench", "hash", "-r", "60", "-o", "/"}, "-o /");
}

TEST_F(Cli, WritesTheReportToAFileAndNothingElse) {
  const Outcome outcome = run({"bench", "hash", "--on", "kernel", "-t1", "-r0.02", "--repeat=1",
                               "--format=csv", "-o", path("report.csv")});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(text_of(path("report.csv")).starts_with("sample,round,name"));
}

TEST_F(Cli, LeavesNoFileBehindARunThatFails) {
  expect_refusal({"bench-sample"}, "bench");
  if (!kernel_has_private_hash()) GTEST_SKIP() << "this kernel has no private hash";
  expect_refusal(
      {"bench", "hash", "--on", "kernel", "-r0.01", "-b1073741824", "-o", path("report")}, "-b");
  for (const auto& entry : files::directory_iterator(path(""))) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("report")) << entry.path();
  }
}

// N4: threads without -t are the CPUs that are allowed, and the lock has two to fight for it.
TEST_F(Cli, ChoosesAThreadForEachCpu) {
  const std::size_t cpus = bench::allowed_cpus().size();
  EXPECT_EQ(measure({"bench", "hash", "--on", "kernel"}).at("results").at(0).at("threads"), cpus);
  EXPECT_EQ(measure({"bench", "wait-wake", "--on", "kernel", "-t", "1"})
                .at("results")
                .at(0)
                .at("threads"),
            2);
}

// N2: allowed one CPU only, and not the first.
TEST_F(Cli, MeasuresOnTheCpusItIsAllowed) {
  Json result;
  std::thread([&] {
    bench::pin_this_thread(bench::allowed_cpus().back());
    result = measure({"bench", "hash", "--on", "kernel"});
  }).join();
  EXPECT_EQ(result.at("results").at(0).at("threads"), 1);
  EXPECT_EQ(result.at("host").at("cpus_allowed"), 1);
  EXPECT_GT(result.at("results").at(0).at("mean").get<double>(), 0);
}

// N7: each letter and each name reaches its own setting.
TEST_F(Cli, UnderstandsLettersBundlesNamesAndPrefixes) {
  for (const Words& form :
       {Words{"-t3", "-f7", "-sSm"}, Words{"-t", "3", "-f", "7", "-s", "-S", "-m"},
        Words{"--threads", "3", "--futexes=7", "--silent", "--shared", "--mlockall"},
        Words{"--th=3", "--fu", "7", "--si", "--sh", "--ml"}}) {
    Words words{"bench", "hash"};
    words.insert(words.end(), form.begin(), form.end());
    const Json json = measure(words);
    ASSERT_TRUE(json.is_object()) << testing::PrintToString(form);
    EXPECT_EQ(json.at("results").size(), 1U);
    EXPECT_EQ(json.at("results").at(0).at("threads"), 3);
    EXPECT_EQ(json.at("results").at(0).at("futexes"), 7);
    EXPECT_EQ(json.at("results").at(0).at("shared"), true);
  }
}

TEST_F(Cli, SizesTheHashOfWhateverItRunsOn) {
  if (!kernel_has_private_hash()) GTEST_SKIP() << "this kernel has no private hash";
  const Json json = measure({"bench", "hash", "-t2", "-b", "256", "--on", "kernel,engine"});
  ASSERT_EQ(json.at("results").size(), 2U);
  for (const Json& result : json.at("results")) {
    EXPECT_EQ(result.at("buckets"), 256);
    EXPECT_EQ(result.at("buckets_before"), 256);
    EXPECT_EQ(result.at("buckets_after"), 256);
  }
  EXPECT_EQ(
      measure({"bench", "hash", "-b0", "--on", "kernel"}).at("results").at(0).at("buckets_after"),
      0);
}

TEST_F(Cli, ComparesEverythingListed) {
  const Json json = measure({"bench", "hash", "-t1", "--on", "kernel,engine", "--scheme",
                             "fixed,split", "--mismatch", "early,locked"});
  ASSERT_EQ(json.at("results").size(), 5U);
  ASSERT_EQ(json.at("ratios").size(), 4U);
  EXPECT_EQ(json.at("ratios").at(3).at("of"), "engine split locked");
  EXPECT_EQ(json.at("ratios").at(3).at("to"), "kernel");
  for (const Json& result : json.at("results")) {
    EXPECT_EQ(result.at("unexpected"), Json::array({0})) << result;
    EXPECT_GT(result.at("mean").get<double>(), 0) << result;
  }
}

/// All there are, as a list for --scheme.
std::string replaceable_schemes() {
  std::string list;
  for (const std::string_view scheme : bench::engine_schemes()) {
    if (bench::is_replaceable(scheme)) list += (list.empty() ? "" : ",") + std::string(scheme);
  }
  return list;
}

TEST_F(Cli, ReplacesEveryHashUnderItsSleepersAndFindsThemAll) {
  const std::string on = kernel_has_private_hash() ? "kernel,engine" : "engine";
  const Json json = measure({"bench", "resize", "--on", on, "--scheme", replaceable_schemes(),
                             "-b64", "--rate", "0", "--sleepers", "50"});
  ASSERT_TRUE(json.is_object());
  for (const Json& result : json.at("results")) {
    const Json& resize = result.at("resize");
    EXPECT_EQ(result.at("unexpected"), Json::array({0})) << result;
    EXPECT_EQ(resize.at("sleepers_missed"), Json::array({0})) << result;
    EXPECT_GE(resize.at("replacements").at("made").at(0), 4) << result;
    for (const char* phase : {"undisturbed", "disturbed"}) {
      EXPECT_GT(resize.at(phase).at("samples").at(0), 0) << result;
      EXPECT_GT(resize.at(phase).at("latency_ns").at("max").at(0), 0) << result;
    }
  }
}

TEST_F(Cli, SpeaksPerfWhenAsked) {
  const Outcome outcome =
      run({"bench", "hash", "-t", "2", "-r", "0.02", "-f", "4", "--format", "perf"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.output.starts_with("# Running 'futex/hash' benchmark:\nRun summary [PID "));
  EXPECT_NE(outcome.output.find(": 2 threads, each operating on 4 [private] futexes for 0.02 secs"),
            std::string::npos);
  EXPECT_EQ(outcome.output.find("# Running", 1), std::string::npos) << "one sample";
}

TEST_F(Cli, EndsEarlyOnSigintAndSaysThatThereIsNothing) {
  const pid_t pid = start({"bench", "hash", "--on", "kernel", "-t", "1", "-r", "600"});
  if (!await_samples(pid, 1)) GTEST_SKIP() << "this kernel does not tell a process's children";
  kill(pid, SIGINT);
  const Outcome outcome = finish(pid);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(outcome.output, "");
  EXPECT_NE(outcome.errors.find("interrupted"), std::string::npos);
}

TEST_F(Cli, ReportsWhatIsCompleteAfterSigint) {
  const pid_t pid = start(
      {"bench", "hash", "--on", "kernel", "-t1", "-r0.05", "--repeat=100000", "--format=json"});
  if (!await_samples(pid, 3)) GTEST_SKIP() << "this kernel does not tell a process's children";
  kill(pid, SIGINT);
  const Outcome outcome = finish(pid);
  EXPECT_EQ(outcome.status, 130);
  const Json json = Json::parse(outcome.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << outcome.output << outcome.errors;
  EXPECT_EQ(json.at("interrupted"), true);
  EXPECT_FALSE(json.at("results").at(0).at("samples").empty());
}

}  // namespace
}  // namespace phutex
