// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/fresh_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/engine_target.hpp"
#include "bench/failure.hpp"
#include "bench/kernel_target.hpp"

namespace phutex::bench {
namespace {

constexpr int kTickMs = 500;

[[noreturn]] void fail(std::string_view what, int error) {
  throw Failure(fmt::format("{}: {}", what, error_text(error)));
}

/// The reading end of what the child prints.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    close_writing_end();
  }

  void close_writing_end() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }
  [[nodiscard]] int reading_end() const { return ends_[0]; }
  [[nodiscard]] int writing_end() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{};
};

/// One child; gone and reaped at the latest when this is.
class Child {
 public:
  Child(const SampleSpec& spec, int output, const Interruption& interruption) {
    std::array<std::string, 3> words{"phutex", std::string(kServeCommand), to_json(spec)};
    std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &interruption.signals());
    posix_spawnattr_setsigmask(&attributes, &interruption.mask_before());
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int error =
        posix_spawn(&pid_, "/proc/self/exe", &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) fail("cannot start a process for a sample", error);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    wait();
  }

  /// Blocks until it has ended; its status as waitpid gives it.
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

/// All that comes out of the pipe, or nothing if an interruption came first.
std::optional<std::string> read_all(const Pipe& pipe, Interruption& interruption,
                                    const std::function<void()>& tick) {
  std::string text;
  for (;;) {
    std::array<pollfd, 2> waiting{
        {{pipe.reading_end(), POLLIN, 0}, {interruption.descriptor(), POLLIN, 0}}};
    if (poll(waiting.data(), waiting.size(), kTickMs) < 0 && errno != EINTR) fail("poll", errno);
    if (interruption.is_here()) return std::nullopt;
    tick();
    if (waiting[0].revents == 0) continue;
    std::array<char, 4096> block;
    const ssize_t size = read(pipe.reading_end(), block.data(), block.size());
    if (size == 0) return text;
    if (size < 0 && errno != EINTR) fail("cannot read a sample", errno);
    if (size > 0) text.append(block.data(), static_cast<std::size_t>(size));
  }
}

void lock_memory() {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0) return;
  throw Failure(fmt::format("-m: mlockall: {}; raise the limit (ulimit -l) or leave -m out",
                            error_text(errno)));
}

SampleResult measure(const SampleSpec& spec) {
  if (spec.locks_memory) lock_memory();
  if (spec.on == kOnKernel) return run_on_kernel(spec);
  if (spec.on == kOnEngine) return run_on_engine(spec);
  throw Failure(
      fmt::format("'{}' cannot be measured; {} and {} can", spec.on, kOnKernel, kOnEngine));
}

int print_line(const std::string& line, int status) {
  std::puts(line.c_str());
  return std::fflush(stdout) == 0 ? status : kExitBadInput;
}

}  // namespace

std::optional<SampleResult> sample_in_fresh_process(const SampleSpec& spec,
                                                    Interruption& interruption,
                                                    const std::function<void()>& tick) {
  Pipe pipe;
  Child child{spec, pipe.writing_end(), interruption};
  pipe.close_writing_end();
  const std::optional<std::string> text = read_all(pipe, interruption, tick);
  if (!text) return std::nullopt;
  const int status = child.wait();
  // A terminal sends its signal to both of us, and the child's end may be noticed first.
  if (interruption.is_here()) return std::nullopt;
  if (WIFSIGNALED(status)) {
    throw Failure(fmt::format("a sample on {} was ended by a signal: {}", spec.on,
                              sigdescr_np(WTERMSIG(status))));
  }
  return sample_from_json(*text);
}

int serve_sample(std::string_view spec_json) try {
  prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));  // no sample outlives who wants it
  return print_line(to_json(measure(spec_from_json(spec_json))), 0);
} catch (const Failure& failure) {
  return print_line(failure_to_json(failure.what()), kExitBadInput);
} catch (const std::bad_alloc&) {
  return print_line(failure_to_json("out of memory; ask for fewer threads, futexes or buckets"),
                    kExitBadInput);
}

}  // namespace phutex::bench
