// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Waiters while the hash that they wait in is replaced: none is woken by it, lost or overtaken.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <vector>

#include <fmt/format.h>

#include "selftest/check.hpp"
#include "selftest/replacer.hpp"

namespace phutex::selftest {
namespace {

constexpr unsigned long kReplacements = 20;  // while others wait and wake

// Users that are busy enough can keep a replacement from ending while they go on: it waits for a
// moment in which no call is using the old hash. They stop after this long.
constexpr std::chrono::seconds kBusyMax{5};

/// Threads that wait without a timeout, on as many words as there are.
class Sleepers {
 public:
  Sleepers(const Machine& machine, std::size_t word_count)
      : machine_(machine), words_(word_count), crew_(machine) {}
  Sleepers(const Sleepers&) = delete;
  Sleepers& operator=(const Sleepers&) = delete;
  ~Sleepers() {
    for (Word& word : words_) word.value.store(1);
    // Whom a wake does not find, it cannot help: the time limit ends this process.
    comes_true([&] {
      for (Word& word : words_) machine_.wake(word, INT_MAX);
      return back() == started_;
    });
  }

  /// Puts one more to sleep on the word. Is it asleep now?
  bool put_to_sleep(std::size_t word) {
    crew_.start([this, word, number = started_] {
      if (machine_.wait(words_[word], 0, nullptr) != 0) failed_.fetch_add(1);
      last_back_.store(number);
      back_.fetch_add(1);
    });
    ++started_;
    const std::size_t others = asleep_[word]++;
    return comes_true([&] { return machine_.sleeping(words_[word]) == others + 1; });
  }

  long wake(std::size_t word) { return machine_.wake(words_[word], 1); }

  /// Those that have returned from their wait.
  [[nodiscard]] std::size_t back() const { return back_.load(); }

  /// Those of them whose wait did not return 0.
  [[nodiscard]] std::size_t failed() const { return failed_.load(); }

  /// The number of the one that returned last; they are numbered from 0 as they were put to sleep.
  [[nodiscard]] std::size_t last_back() const { return last_back_.load(); }

 private:
  const Machine& machine_;
  std::vector<Word> words_;
  std::vector<std::size_t> asleep_ = std::vector<std::size_t>(words_.size());
  std::size_t started_ = 0;
  std::atomic<std::size_t> back_{0};       // each thread adds itself, after all else it does
  std::atomic<std::size_t> failed_{0};     // each thread may add itself
  std::atomic<std::size_t> last_back_{0};  // written by each thread, read when one more is back
  Crew crew_;
};

/// Through all sizes; nobody may wake.
void replace_over(Findings& findings, const Sleepers& sleepers) {
  for (const unsigned long size : kReplacementSizes) {
    findings.expect(set(size), 0);
    findings.expect(kGet, static_cast<long>(size));
    findings.expect(fmt::format("waiters that {} woke", call_text(findings.machine(), set(size))),
                    0, static_cast<long>(sleepers.back()));
  }
}

void keep_sleepers(Findings& findings) {
  constexpr std::size_t kSleepers = 64;
  Sleepers sleepers{findings.machine(), kSleepers};
  for (std::size_t word = 0; word < kSleepers; ++word) {
    if (sleepers.put_to_sleep(word)) continue;
    findings.fail(fmt::format("waiter {} is not found asleep", word));
    return;
  }
  replace_over(findings, sleepers);
  long found = 0;
  for (std::size_t word = 0; word < kSleepers; ++word) found += sleepers.wake(word);
  findings.expect("waiters found by 64 wakes, each on a word with one", kSleepers, found);
  comes_true([&] { return sleepers.back() == kSleepers; });
  findings.expect("waiters that woke", kSleepers, static_cast<long>(sleepers.back()));
  findings.expect("waits that returned something else than 0", 0,
                  static_cast<long>(sleepers.failed()));
}

void keep_order(Findings& findings) {
  constexpr std::size_t kSleepers = 8;
  Sleepers sleepers{findings.machine(), 1};
  for (std::size_t number = 0; number < kSleepers; ++number) {
    if (sleepers.put_to_sleep(0)) continue;
    findings.fail(fmt::format("waiter {} is not found asleep", number));
    return;
  }
  replace_over(findings, sleepers);
  for (std::size_t number = 0; number < kSleepers; ++number) {
    findings.expect("waiters found by a wake of 1", 1, sleepers.wake(0));
    if (!comes_true([&] { return sleepers.back() >= number + 1; })) {
      findings.fail(
          fmt::format("after {} wakes {} waiters are awake", number + 1, sleepers.back()));
      return;
    }
    findings.expect("number of the waiter that woke, the longest-waiting one",
                    static_cast<long>(number), static_cast<long>(sleepers.last_back()));
  }
}

void time_out_meanwhile(Findings& findings) {
  constexpr unsigned long kWaits = 20;
  constexpr timespec kTimeout{0, 20'000'000};
  const Machine& machine = findings.machine();
  Word word;
  Replacer replacer{findings};
  unsigned long waits = 0;
  for (; waits < kWaits || replacer.count() < kReplacements; ++waits) {
    const long result = machine.wait(word, 0, &kTimeout);
    if (result == -ETIMEDOUT) continue;
    findings.fail(fmt::format("a wait of 20 ms that nobody wakes: {} expected, {} found",
                              result_text(machine, -ETIMEDOUT), result_text(machine, result)));
    break;
  }
  replacer.finish();
  findings.note(fmt::format("{} timeouts, {} replacements, the longest of them in {} ms", waits,
                            replacer.count(), replacer.longest().count()));
  findings.expect("waiters left behind", 0, static_cast<long>(machine.sleeping(word)));
}

/// Two threads that hand a turn to each other through one word: a wake that is lost stops both.
class Pair {
 public:
  explicit Pair(const Machine& machine) : machine_(machine), crew_(machine) {
    for (const std::uint32_t player : {0U, 1U}) crew_.start([this, player] { play(player); });
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { finish(); }

  void finish() {
    is_over_.store(true);
    crew_.join();
  }

  [[nodiscard]] bool is_over() const { return is_over_.load(); }
  [[nodiscard]] unsigned long turns() const { return turns_.load(); }

  /// What a wait returned that ended the game, or 0.
  [[nodiscard]] long trouble() const { return trouble_.load(); }

 private:
  static constexpr std::uint32_t kNobody = 2;
  static constexpr timespec kPatience{10, 0};

  // A player that leaves says so in the word, which the other reads or is woken to read. If the
  // other writes over it, that one has yet to look at is_over_, and leaves as well.
  void play(std::uint32_t player) {
    const std::uint32_t other = 1 - player;
    while (!is_over_.load()) {
      if (word_.value.load() == player) {
        turns_.fetch_add(1);
        pass_to(other);
        continue;
      }
      const long result = machine_.wait(word_, other, &kPatience);
      if (result == 0 || result == -EAGAIN) continue;
      trouble_.store(result);
      is_over_.store(true);
    }
    pass_to(kNobody);
  }

  void pass_to(std::uint32_t next) {
    word_.value.store(next);
    const long woken = machine_.wake(word_, 1);
    if (woken < 0) trouble_.store(woken);
  }

  const Machine& machine_;
  Word word_;
  std::atomic<bool> is_over_{false};     // set by either player or by who has made the pair
  std::atomic<long> trouble_{0};         // by either player
  std::atomic<unsigned long> turns_{0};  // by either player
  Crew crew_;
};

void wake_meanwhile(Findings& findings) {
  const Machine& machine = findings.machine();
  std::array<Pair, 2> pairs{Pair{machine}, Pair{machine}};
  Replacer replacer{findings};
  const auto is_over = [](const Pair& pair) { return pair.is_over(); };
  const auto enough = std::chrono::steady_clock::now() + kBusyMax;
  while (replacer.count() < kReplacements && std::chrono::steady_clock::now() < enough &&
         std::none_of(pairs.begin(), pairs.end(), is_over)) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  for (Pair& pair : pairs) {
    pair.finish();
    if (pair.trouble() == 0) continue;
    findings.fail(fmt::format("a waiter that is woken within moments: {} expected, {} found{}",
                              result_text(machine, 0), result_text(machine, pair.trouble()),
                              pair.trouble() == -ETIMEDOUT ? " after 10 s: a wake was lost" : ""));
  }
  replacer.finish();
  findings.note(fmt::format("{} wakes, {} replacements, the longest of them in {} ms",
                            pairs[0].turns() + pairs[1].turns(), replacer.count(),
                            replacer.longest().count()));
}

}  // namespace

std::vector<Check> checks_of_sleepers() {
  return {
      {"sleepers", "64 waiters sleep through 7 replacements, and each is found by its wake",
       Needs::private_hash, keep_sleepers},
      {"order", "waiters on one word are woken in the order they came, after 7 replacements",
       Needs::private_hash, keep_order},
      {"timeouts", "waits time out while the hash is replaced", Needs::private_hash,
       time_out_meanwhile},
      {"wakes", "no wake is lost while the hash is replaced", Needs::private_hash, wake_meanwhile},
  };
}

}  // namespace phutex::selftest
