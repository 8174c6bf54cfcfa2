// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a workload needs of the thing it measures: a word, and waiting and waking on it.

#include <concepts>
#include <cstdint>

namespace phutex::workload {

/// A futex word that threads race on. It starts as 0.
///
/// compare_exchange(from, to): did the word hold `from`, so that it now holds `to`? Acquires when
///   it did.
/// exchange(to): the value replaced. Acquires and releases.
template <class W>
concept IsFutexWord = std::default_initializable<W> && requires(W& word, std::uint32_t value) {
  { word.compare_exchange(value, value) } -> std::same_as<bool>;
  { word.exchange(value) } -> std::same_as<std::uint32_t>;
};

/// One process's futexes, on whatever machine; shared by all threads of a workload.
///
/// wait(word, expected): sleeps if the word holds `expected`. 0 when woken, else an errno.
/// wake(word, count): wakes at most `count` sleepers. How many, or an errno negated.
template <class F>
concept IsFutex = IsFutexWord<typename F::Word> &&
    requires(F& futex, typename F::Word& word, std::uint32_t expected, int count) {
  { futex.wait(word, expected) } -> std::same_as<int>;
  { futex.wake(word, count) } -> std::same_as<int>;
};

/// What one worker did.
struct Tally {
  std::uint64_t operations = 0;
  std::uint64_t unexpected = 0;  // results that the workload does not provoke
  int unexpected_first = 0;      // the errno of the first of them; 0 is a success out of place

  void note_unexpected(int error) noexcept {
    if (unexpected++ == 0) unexpected_first = error;
  }
};

}  // namespace phutex::workload
