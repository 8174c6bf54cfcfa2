// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs of others, started with the preload library in all the ways people start programs.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

extern char** environ;

namespace phutex::tests {
namespace {

struct Outcome {
  int status;  // of the shell
  std::string text;
};

// Runs a shell command line with `preload` as LD_PRELOAD, for 60 seconds at most.
Outcome run(const std::string& preload, const std::string& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    setenv("LD_PRELOAD", preload.c_str(), 1);
    const std::string limited = "timeout -k 5 60 sh -c '" + command + "'";
    execl("/bin/sh", "sh", "-c", limited.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  Outcome outcome{0, {}};
  char buffer[4096];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    outcome.text.append(buffer, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  waitpid(child, &outcome.status, 0);
  return outcome;
}

bool has(const char* program) {
  return run("", std::string{"command -v "} + program).status == 0;
}

const std::string kPreload = PHUTEX_PRELOAD;

TEST(Programs, OfOneThreadRun) {
  for (const char* const command : {"true", "date", "ls /", "env", "cat /proc/self/maps",
                                    "echo one | sort | uniq -c", "id", "uname -a"}) {
    const Outcome outcome = run(kPreload, command);
    EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.text;
    EXPECT_EQ(outcome.text.find("ERROR"), std::string::npos) << outcome.text;
  }
  EXPECT_NE(run(kPreload, "cat /proc/self/maps").text.find("phutex-preload"), std::string::npos);
}

TEST(Programs, RunWithTheLibraryTwice) {
  const Outcome outcome = run(kPreload + ":" + kPreload, "date");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
}

// Two copies of the library from two places: the first is used, the second stays out of the way.
TEST(Programs, RunWithTwoCopiesOfTheLibrary) {
  const std::filesystem::path copy = std::filesystem::temp_directory_path() /
                                     ("copy-of-phutex-" + std::to_string(getpid()) + ".so");
  std::filesystem::copy_file(kPreload, copy, std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(run(kPreload + ":" + copy.string(), "date; sort </dev/null").status, 0);
  EXPECT_EQ(run(copy.string() + ":" + kPreload, "date; sort </dev/null").status, 0);
  std::filesystem::remove(copy);
}

TEST(Programs, EndWithTheirOwnStatus) {
  const Outcome failed = run(kPreload, "exit 7");
  EXPECT_TRUE(WIFEXITED(failed.status));
  EXPECT_EQ(WEXITSTATUS(failed.status), 7);
}

// Shells start programs by fork, vfork and exec, make starts many at once.
TEST(Programs, StartOthers) {
  const Outcome outcome =
      run(kPreload, "for i in 1 2 3 4 5; do (echo $i | cat) & done; wait; sh -c \"exec date\"");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
}

TEST(Programs, WithManyThreadsRun) {
  if (!has("xz")) GTEST_SKIP() << "no xz";
  const Outcome outcome =
      run(kPreload, "head -c 3000000 /dev/urandom | xz -0 -T4 --block-size=200000 | xz -d | wc -c");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("3000000"), std::string::npos) << outcome.text;
}

TEST(Programs, InPythonRun) {
  if (!has("python3")) GTEST_SKIP() << "no python3";
  const Outcome outcome = run(kPreload,
                              "python3 -c \"\n"
                              "import threading, queue\n"
                              "q = queue.Queue()\n"
                              "t = [threading.Thread(target=q.get) for _ in range(20)]\n"
                              "[x.start() for x in t]\n"
                              "[q.put(1) for _ in t]\n"
                              "[x.join() for x in t]\n"
                              "print(threading.Event().wait(0.05), len(t))\"");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("False 20"), std::string::npos) << outcome.text;
}

// Unmodified, and made for nothing but futex calls through syscall() and prctl().
TEST(Programs, ThatMeasureFutexesRun) {
  const Outcome without = run("", "perf bench futex hash -t 2 -r 1");
  if (without.status != 0) GTEST_SKIP() << "no perf bench futex: " << without.text;
  for (const char* const more : {"", "-b 64", "-b 0"}) {
    const std::string command = std::string{"perf bench futex hash -t 2 -r 1 "} + more;
    const Outcome outcome = run("", command);
    if (outcome.status != 0) continue;  // a perf that does not know the option
    const Outcome preloaded = run(kPreload, command);
    EXPECT_EQ(preloaded.status, 0) << command << ": " << preloaded.text;
    EXPECT_NE(preloaded.text.find("operations/sec"), std::string::npos) << preloaded.text;
  }
}

TEST(Programs, ThatMeasureWakingRun) {
  if (run("", "perf bench futex wake -t 8").status != 0) GTEST_SKIP() << "no perf bench futex";
  for (const char* const command : {"perf bench futex wake -t 8", "perf bench futex wake -t 8 -w 3",
                                    "perf bench futex wake-parallel -t 8 -w 2"}) {
    const Outcome outcome = run(kPreload, command);
    EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.text;
  }
}

}  // namespace
}  // namespace phutex::tests
