// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "selftest/apart.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phutex::selftest {
namespace {

namespace files = std::filesystem;
using Clock = std::chrono::steady_clock;

// A body's number is told from the status of a process that something else ended.
constexpr int kReturned = 64;

constexpr std::chrono::seconds kForItsDeath{10};
constexpr std::size_t kLineBytesMax = PIPE_BUF - 1;  // more than this is not written as one

/// The reading side of a child's lines.
class Lines {
 public:
  Lines(int descriptor, const TakeLine& take) : descriptor_(descriptor), take_(take) {}

  enum class Read { some, all, too_late };

  /// Blocks until there is something, the other side has ended, or it is too late.
  Read read_until(Clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Read::too_late;
    pollfd waiting{descriptor_, POLLIN, 0};
    const auto timeout = std::min<std::int64_t>(left.count(), INT_MAX);
    if (poll(&waiting, 1, static_cast<int>(timeout)) <= 0) return Read::some;
    return read_some();
  }

  /// What is there by now, without waiting for more.
  void read_rest() {
    pollfd waiting{descriptor_, POLLIN, 0};
    while (poll(&waiting, 1, 0) > 0 && read_some() == Read::some) {
    }
  }

 private:
  Read read_some() {
    std::array<char, PIPE_BUF> block;
    const ssize_t size = read(descriptor_, block.data(), block.size());
    if (size == 0) return Read::all;
    if (size > 0) text_.append(block.data(), static_cast<std::size_t>(size));
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      take_(std::string_view{text_}.substr(0, end));
      text_.erase(0, end + 1);
    }
    return Read::some;
  }

  int descriptor_;
  const TakeLine& take_;
  std::string text_;  // of the line that has not ended
};

/// The status as waitpid gives it, or nothing if the child still lives at the deadline.
std::optional<int> reap(pid_t child, Clock::time_point deadline) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    if (Clock::now() > deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return status;
}

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {End::signalled, WTERMSIG(status), {}};
  const int code = WEXITSTATUS(status);
  if (code < kReturned) return {End::exited, code, {}};
  return {End::returned, code - kReturned, {}};
}

std::string first_line(const files::path& path) {
  std::string line;
  std::getline(std::ifstream{path}, line);
  return line;
}

/// How many threads of the process are in which state and sleep where; "3 threads: S futex_wait".
std::vector<std::string> threads_of(pid_t process) {
  std::map<std::string, int> counts;
  std::error_code error;
  for (const auto& task : files::directory_iterator(fmt::format("/proc/{}/task", process), error)) {
    const std::string stat = first_line(task.path() / "stat");  // "1 (name) S ..."
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos || name_end + 2 >= stat.size()) continue;
    const std::string place = first_line(task.path() / "wchan");
    ++counts[fmt::format("state {}{}{}", stat[name_end + 2], place.empty() ? "" : " in ", place)];
  }
  std::vector<std::string> lines;
  for (const auto& [state, count] : counts) {
    lines.push_back(fmt::format("{} thread{}: {}", count, count == 1 ? "" : "s", state));
  }
  return lines;
}

Ending end_hung(pid_t child) {
  Ending ending{End::hung, 0, threads_of(child)};
  kill(child, SIGKILL);
  if (!reap(child, Clock::now() + kForItsDeath)) {
    ending.threads.push_back(
        fmt::format("process {} does not die of SIGKILL and is left behind", child));
  }
  return ending;
}

[[noreturn]] void be_child(const Body& body, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));  // no check outlives who wants it
  if (getppid() != parent) _exit(0);
  const int value = body([output](std::string_view line) {
    std::string text{line.substr(0, kLineBytesMax - 1)};
    text += '\n';
    // A parent that does not listen has ended, and this process with it.
    (void)!write(output, text.data(), text.size());
  });
  _exit(kReturned + value);
}

Ending watch(pid_t child, Lines& lines, std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  for (;;) {
    switch (lines.read_until(deadline)) {
      case Lines::Read::some:
        break;
      case Lines::Read::all: {
        const std::optional<int> status = reap(child, Clock::now() + kForItsDeath);
        return status ? ending_of(*status) : end_hung(child);
      }
      case Lines::Read::too_late: {
        Ending ending = end_hung(child);
        lines.read_rest();
        return ending;
      }
    }
  }
}

}  // namespace

Ending run_apart(const Body& body, std::chrono::milliseconds limit, const TakeLine& take_line) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {End::not_started, errno, {}};
  const pid_t parent = getpid();
  const pid_t child = fork();
  const int fork_error = errno;
  if (child == 0) {
    close(ends[0]);
    be_child(body, ends[1], parent);
  }
  close(ends[1]);
  Lines lines{ends[0], take_line};
  Ending ending = child < 0 ? Ending{End::not_started, fork_error, {}} : watch(child, lines, limit);
  close(ends[0]);
  return ending;
}

}  // namespace phutex::selftest
