// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// SIGUSR2 makes the preload library say what its hash is like, and nobody asleep notices.

#include "tests/shim/preloaded.hpp"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/threads/watch.hpp"

namespace phutex::tests {
namespace {

std::string program() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return {path, length > 0 ? static_cast<std::size_t>(length) : 0};
}

constexpr const char* kAsAProgram = "PHUTEX_TEST_SIGNALS_ITSELF";

/// What this program writes when it is run with that setting, to signal itself and nothing else.
std::string output_of(const std::string& setting) {
  const std::string command = setting + " " + kAsAProgram + "=1 " + program() + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (pipe != nullptr && fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  if (pipe != nullptr) pclose(pipe);
  return output;
}

long futex(std::uint32_t& word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

/// Threads of this process that are in the kernel's futex call, where a parked thread is.
int threads_in_futex() {
  int count = 0;
  const std::string futex_call = std::to_string(SYS_futex) + " ";
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "syscall");
    std::string line;
    std::getline(file, line);
    count += line.starts_with(futex_call) ? 1 : 0;
  }
  return count;
}

std::uint32_t word;

/// Two threads asleep on one word; the signal goes to this thread, which answers before it goes on,
/// and to a sleeper, which answers before it returns.
void signal_while_two_sleep() {
  std::atomic<int> woken{0};
  std::thread sleepers[2];
  for (std::thread& each : sleepers) {
    each = std::thread([&] {
      if (futex(word, FUTEX_WAIT, 0) != 0) give_up("no wait through the signal");
      ++woken;
    });
  }
  wait_until([] { return threads_in_futex() == 2; }, "two threads asleep");
  raise(SIGUSR2);
  pthread_kill(sleepers[0].native_handle(), SIGUSR2);
  if (woken.load() != 0) give_up("nobody woken by the signal");
  long found = 0;
  wait_until([&] { return (found += futex(word, FUTEX_WAKE, 2)) == 2; }, "both are woken");
  for (std::thread& each : sleepers) each.join();
}

[[gnu::constructor]] void be_the_program() {
  if (std::getenv(kAsAProgram) == nullptr) return;
  signal_while_two_sleep();
  std::puts("all went well");
  std::exit(0);
}

TEST(SnapshotSignal, WritesTheStateOfTheHashAsOneLine) {
  const std::string output = output_of("PHUTEX_SNAPSHOT=SIGUSR2");
  EXPECT_NE(output.find("all went well"), std::string::npos) << output;
  std::size_t lines = 0;
  for (std::size_t at = output.find("{\"pid\":"); at != std::string::npos;
       at = output.find("{\"pid\":", at + 1)) {
    ++lines;
    const std::string line = output.substr(at, output.find('\n', at) - at);
    EXPECT_EQ(line.back(), '}');
    if (lines > 1) continue;  // by now the sleepers may have been woken
    for (const char* const part :
         {"\"rule\":\"kernel\"", "\"origin\":\"automatic\"", "\"buckets\":16,",
          "\"waiters\":2,", "\"addresses\":1,", "\"waiters_per_address_max\":2,",
          "\"replacements\":"}) {
      EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
    }
  }
  EXPECT_EQ(lines, 2U) << output;
}

TEST(SnapshotSignal, IsLeftAloneIfNobodyAsks) {
  const std::string output = output_of("PHUTEX_SNAPSHOT=");
  EXPECT_NE(output.find("PHUTEX_SNAPSHOT= is ignored; it may be SIGUSR2"), std::string::npos)
      << output;
  EXPECT_EQ(output.find("went well"), std::string::npos) << "the signal ends it: " << output;
}

}  // namespace
}  // namespace phutex::tests
