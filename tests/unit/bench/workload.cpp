// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the workers of each workload ask of a futex, on one that only writes down what it is asked.

#include <cerrno>
#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "workload/hash.hpp"
#include "workload/resize.hpp"
#include "workload/wait_wake.hpp"

namespace phutex::workload {
namespace {

struct RecordingFutex {
  struct Word {
    std::uint32_t value = 0;

    bool compare_exchange(std::uint32_t from, std::uint32_t to) {
      if (value != from) return false;
      value = to;
      return true;
    }
    std::uint32_t exchange(std::uint32_t to) { return std::exchange(value, to); }
  };

  int wait(Word& word, std::uint32_t expected) {
    waited_on.push_back(&word);
    waited_for.push_back(expected);
    if (frees_on_wait) word.value = kLockFree;
    if (answers.empty()) return EAGAIN;
    const int answer = answers.front();
    answers.pop_front();
    return answer;
  }

  int wake(Word&, int count) {
    woken += count;
    return wake_answer;
  }

  std::vector<const Word*> waited_on;
  std::vector<std::uint32_t> waited_for;
  std::deque<int> answers;
  bool frees_on_wait = false;
  int wake_answer = 0;
  int woken = 0;
};

static_assert(IsFutex<RecordingFutex>);

/// Says stop after so many looks.
auto stop_after(int looks) {
  return [looks, seen = 0]() mutable { return seen++ == looks; };
}

template <class Stop>
Tally run_hash(RecordingFutex& futex, std::vector<RecordingFutex::Word>& words, Stop stop) {
  const auto look = [&] { return stop(); };
  return hash_worker(futex, std::span(words), look);
}

TEST(HashWorker, WaitsOnEachWordInTurnForAValueItNeverHas) {
  RecordingFutex futex;
  std::vector<RecordingFutex::Word> words(3);
  const Tally tally = run_hash(futex, words, stop_after(2));
  EXPECT_EQ(tally.operations, 6U);
  EXPECT_EQ(tally.unexpected, 0U);
  EXPECT_EQ(futex.waited_for, std::vector<std::uint32_t>(6, 1234));
  for (std::size_t call = 0; call < 6; ++call) {
    EXPECT_EQ(futex.waited_on[call], &words[call % 3]);
  }
}

TEST(HashWorker, LooksForTheEndWithinAPassOverManyWords) {
  RecordingFutex futex;
  std::vector<RecordingFutex::Word> words(2 * kCallsPerLook + 5);
  const Tally tally = run_hash(futex, words, stop_after(4));
  EXPECT_EQ(tally.operations, words.size() + kCallsPerLook);
  EXPECT_EQ(futex.waited_on[words.size()], &words[0]);
}

TEST(HashWorker, CountsResultsThatShouldNotBe) {
  RecordingFutex futex;
  futex.answers = {EAGAIN, EINTR, 0, EAGAIN};
  std::vector<RecordingFutex::Word> words(4);
  const Tally tally = run_hash(futex, words, stop_after(1));
  EXPECT_EQ(tally.operations, 4U);
  EXPECT_EQ(tally.unexpected, 2U);
  EXPECT_EQ(tally.unexpected_first, EINTR);
}

TEST(ResizeWorker, WaitsAsHashDoesAndNotesEachOperation) {
  RecordingFutex futex;
  futex.answers = {EAGAIN, EINTR};
  std::vector<RecordingFutex::Word> words(3);
  auto stop = stop_after(7);
  std::vector<Phase> noted;
  const Tally tally = resize_worker(
      futex, std::span(words), [&] { return stop(); }, [] { return Phase::disturbed; },
      [&](Phase phase) { noted.push_back(phase); });
  EXPECT_EQ(tally.operations, 7U);
  EXPECT_EQ(tally.unexpected, 1U);
  EXPECT_EQ(tally.unexpected_first, EINTR);
  EXPECT_EQ(noted, std::vector<Phase>(7, Phase::disturbed));
  EXPECT_EQ(futex.waited_for, std::vector<std::uint32_t>(7, kNeverTheValue));
  for (std::size_t call = 0; call < 7; ++call) {
    EXPECT_EQ(futex.waited_on[call], &words[call % 3]);
  }
}

/// Each wait ends in another phase than it began in.
struct PhaseTurningFutex {
  using Word = RecordingFutex::Word;

  int wait(Word&, std::uint32_t) {
    phase = phase == Phase::disturbed ? Phase::undisturbed : Phase::disturbed;
    return EAGAIN;
  }
  static int wake(Word&, int) { return 0; }

  Phase phase = Phase::undisturbed;
};

TEST(ResizeWorker, CountsAnOperationForThePhaseItBeganIn) {
  PhaseTurningFutex futex;
  std::vector<PhaseTurningFutex::Word> words(1);
  auto stop = stop_after(3);
  std::vector<Phase> noted;
  resize_worker(
      futex, std::span(words), [&] { return stop(); }, [&] { return futex.phase; },
      [&](Phase phase) { noted.push_back(phase); });
  EXPECT_EQ(noted, (std::vector<Phase>{Phase::undisturbed, Phase::disturbed, Phase::undisturbed}));
}

TEST(WaitWakeWorker, MakesNoCallsForALockItHasToItself) {
  RecordingFutex futex;
  RecordingFutex::Word word;
  auto stop = stop_after(10);
  const Tally tally = wait_wake_worker(futex, word, [&] { return stop(); });
  EXPECT_EQ(tally.operations, 10U);
  EXPECT_TRUE(futex.waited_on.empty());
  EXPECT_EQ(futex.woken, 0);
  EXPECT_EQ(word.value, kLockFree);
}

TEST(WaitWakeWorker, SleepsOnAHeldLockAndThenWakesTheNext) {
  RecordingFutex futex;
  futex.frees_on_wait = true;
  RecordingFutex::Word word{kLockHeld};
  auto stop = stop_after(1);
  const Tally tally = wait_wake_worker(futex, word, [&] { return stop(); });
  EXPECT_EQ(tally.operations, 1U);
  EXPECT_EQ(futex.waited_for, std::vector<std::uint32_t>{kLockContended});
  EXPECT_EQ(futex.woken, 1);
  EXPECT_EQ(word.value, kLockFree);
  EXPECT_EQ(tally.unexpected, 0U);
}

TEST(WaitWakeWorker, CountsErrorsOfBothCalls) {
  RecordingFutex futex;
  futex.frees_on_wait = true;
  futex.answers = {EFAULT};
  futex.wake_answer = -ENOSYS;
  RecordingFutex::Word word{kLockContended};
  auto stop = stop_after(1);
  const Tally tally = wait_wake_worker(futex, word, [&] { return stop(); });
  EXPECT_EQ(tally.unexpected, 2U);
  EXPECT_EQ(tally.unexpected_first, EFAULT);
}

}  // namespace
}  // namespace phutex::workload
