// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A process of its own: whatever becomes of it is told, and none of it is left.

#include "selftest/apart.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest/crew.hpp"

namespace phutex::selftest {
namespace {

using namespace std::chrono_literals;

constexpr auto kLong = 60s;  // never waited for if all is well
constexpr auto kShort = 200ms;

struct Told {
  Ending ending;
  std::vector<std::string> lines;
};

Told run(const Body& body, std::chrono::milliseconds limit = kLong) {
  Told told;
  told.ending =
      run_apart(body, limit, [&](std::string_view line) { told.lines.emplace_back(line); });
  return told;
}

void expect_no_child() {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Apart, ReturnsWhatTheBodyReturned) {
  for (const int value : {0, 1, 63}) {
    const Told told = run([value](const TakeLine&) { return value; });
    EXPECT_EQ(told.ending.end, End::returned);
    EXPECT_EQ(told.ending.value, value);
    EXPECT_TRUE(told.lines.empty());
  }
  expect_no_child();
}

TEST(Apart, IsAnotherProcess) {
  int here = 1;
  const pid_t self = getpid();
  const Told told = run([&](const TakeLine&) {
    here = 2;
    return getpid() == self ? 1 : 0;
  });
  EXPECT_EQ(told.ending.value, 0);
  EXPECT_EQ(here, 1);
}

TEST(Apart, PassesLinesOnInOrder) {
  constexpr int kLines = 5000;  // more than a pipe holds
  const Told told = run([](const TakeLine& say) {
    for (int line = 0; line < kLines; ++line) say("line " + std::to_string(line));
    return 0;
  });
  ASSERT_EQ(told.lines.size(), kLines);
  EXPECT_EQ(told.lines.front(), "line 0");
  EXPECT_EQ(told.lines.back(), "line " + std::to_string(kLines - 1));
}

TEST(Apart, PassesALineOnAsSoonAsItIsSaid) {
  std::array<int, 2> answer{};
  ASSERT_EQ(pipe(answer.data()), 0);
  const Ending ending = run_apart(
      [&](const TakeLine& say) {
        say("question");
        char byte = 0;
        return static_cast<int>(read(answer[0], &byte, 1));
      },
      kLong, [&](std::string_view) { EXPECT_EQ(write(answer[1], "a", 1), 1); });
  EXPECT_EQ(ending.end, End::returned);
  EXPECT_EQ(ending.value, 1);
  close(answer[0]);
  close(answer[1]);
}

TEST(Apart, TellsOfASignal) {
  const Told told = run([](const TakeLine& say) {
    say("before");
    raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(told.ending.end, End::signalled);
  EXPECT_EQ(told.ending.value, SIGKILL);
  EXPECT_EQ(told.lines, std::vector<std::string>{"before"});
}

// An exit in the middle of a check is not its success.
TEST(Apart, TellsOfAnExitThatIsNotTheBodysEnd) {
  const Told told = run([](const TakeLine&) -> int { _exit(0); });
  EXPECT_EQ(told.ending.end, End::exited);
  EXPECT_EQ(told.ending.value, 0);
}

TEST(Apart, EndsWhatHangsAndTellsHowFarItCame) {
  const Told told = run(
      [](const TakeLine& say) {
        say("before");
        std::thread other{[] { pause(); }};
        for (;;) pause();
        return 0;
      },
      kShort);
  EXPECT_EQ(told.ending.end, End::hung);
  EXPECT_EQ(told.lines, std::vector<std::string>{"before"});
  ASSERT_FALSE(told.ending.threads.empty()) << "where its threads were";
  EXPECT_NE(told.ending.threads.front().find("state "), std::string::npos);
  expect_no_child();
}

TEST(Apart, EndsWhatIgnoresSignals) {
  const Told told = run(
      [](const TakeLine&) {
        for (int signal = 1; signal < 32; ++signal) std::signal(signal, SIG_IGN);
        for (;;) {
        }
        return 0;
      },
      kShort);
  EXPECT_EQ(told.ending.end, End::hung);
  expect_no_child();
}

/// Has it ended, whether or not somebody has asked how?
bool has_ended(const std::string& process) {
  std::string stat;
  std::getline(std::ifstream{"/proc/" + process + "/stat"}, stat);
  return stat.empty() || stat.find(") Z ") != std::string::npos;
}

// A process within that process keeps the pipe open, and must end with it.
TEST(Apart, LeavesNothingOfWhatHungInside) {
  const Told told = run(
      [](const TakeLine& say) {
        run_apart(
            [&](const TakeLine&) {
              say(std::to_string(getpid()));
              for (;;) pause();
              return 0;
            },
            kLong, [](std::string_view) {});
        return 0;
      },
      kShort);
  EXPECT_EQ(told.ending.end, End::hung);
  ASSERT_EQ(told.lines.size(), 1U);
  EXPECT_TRUE(comes_true([&] { return has_ended(told.lines.front()); }));
}

TEST(Apart, TellsThatNoProcessCouldBeMade) {
  const Told told = run([](const TakeLine&) {
    rlimit none{};
    getrlimit(RLIMIT_NOFILE, &none);
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    const Told inner = run([](const TakeLine&) { return 0; });
    return inner.ending.end == End::not_started && inner.ending.value == EMFILE ? 7 : 8;
  });
  EXPECT_EQ(told.ending.value, 7);
}

}  // namespace
}  // namespace phutex::selftest
