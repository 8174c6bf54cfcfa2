// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Virtual threads in one real thread: who runs, who sleeps, what time it is, what went wrong.
//
// Flow       run(body) -> thread 0 runs body, which spawns others -> every access calls step() ->
//            the Chooser says who goes on -> all have ended, or one has failed
// Invariant  [I1] Exactly one virtual thread runs; it leaves only inside a call to this class.
//            [I2] The candidates for going on depend on the Chooser's earlier answers and on
//            nothing else, so that the answers alone repeat a run.
// Progress   A run in which nobody can go on, or which takes more than steps_max steps, fails.

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/deadline.hpp"
#include "engine/platform/sleeping.hpp"
#include "fibers/arena.hpp"
#include "fibers/chooser.hpp"
#include "fibers/context.hpp"
#include "fibers/event.hpp"

namespace phutex::fibers {

class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Runs `body` as thread 0, and all that it spawns, until every thread has ended or one fails.
  /// False if one failed: see failure(). What the threads had on their stacks is then abandoned.
  bool run(Chooser& chooser, const std::function<void()>& body);

  const std::string& failure() const noexcept { return failure_; }
  std::uint64_t steps() const noexcept { return steps_; }
  std::uint64_t steps_max = 20'000;

  /// Where run() writes what happens; null for nowhere.
  std::vector<Event>* events = nullptr;

  /// The runtime whose virtual thread is calling; null outside of any.
  static Runtime* current() noexcept { return current_; }

  // From here on: for the running virtual thread.

  unsigned running() const noexcept { return running_; }
  unsigned thread_count() const noexcept { return thread_count_; }
  const char* name_of(unsigned thread) const noexcept { return threads_[thread].name; }

  /// Starts another thread; it is ready, and runs when it is chosen. Returns its number.
  unsigned spawn(const char* name, std::function<void()> body);

  /// Waits until all others have ended. For thread 0.
  void join_all();

  /// Lets up to `count` signal handlers interrupt that thread's sleeps.
  void allow_interruptions(unsigned thread, unsigned count) noexcept {
    threads_[thread].interruptions_left = count;
  }

  /// Interrupts that thread's sleep now, if it sleeps.
  void interrupt(unsigned thread) noexcept;

  /// Before each access to shared memory: another thread may come first.
  void step();

  /// Sleeps until roused from `place`, the deadline passes, or a signal handler runs.
  Awoken sleep(const void* place, const Deadline& deadline);

  /// Rouses one thread that sleeps on `place`, if there is one.
  void rouse(const void* place);

  /// Lets somebody else come first. Fails if again and again there is nobody else.
  void back_off();

  /// The time it is: it passes only when everybody sleeps.
  std::uint64_t now_ns() const noexcept { return static_cast<std::uint64_t>(now_ns_); }

  unsigned choose(Choice kind, unsigned count) { return chooser_->choose(kind, count); }

  /// Ends the run: it is a counterexample, for the reason made of these parts. The caller's stack
  /// is abandoned, so it should own nothing.
  [[noreturn]] void fail(std::initializer_list<std::string_view> why);

  void note(const Event& event) { note_of(running_, event); }
  void note_of(unsigned thread, const Event& event) {
    if (events == nullptr) [[likely]]
      return;
    events->push_back(event);
    events->back().thread = thread;
  }

  /// Storage until the run ends.
  Arena& arena() noexcept { return arena_; }

  /// What a machine keeps for a thread; null when the thread begins.
  void*& belongings(unsigned thread) noexcept { return threads_[thread].belongings; }

 private:
  //  state     meaning                              left by
  //  ready     runs, or could                       itself: to all others
  //  sleeping  in sleep()                           a rousing, its deadline or a signal: to ready
  //  joining   thread 0, in join_all()              the end of the last other: to ready
  //  ended     will not run any more; a free place  spawn: to ready
  enum class State : std::uint8_t { ended, ready, sleeping, joining };

  struct Thread {
    Context context;
    Stack stack;
    std::function<void()> body;
    const char* name = "";
    State state = State::ended;
    Awoken awoken = Awoken::roused;
    bool has_deadline = false;
    unsigned interruptions_left = 0;
    const void* place = nullptr;     // where it sleeps
    std::uint64_t asleep_since = 0;  // in steps: who sleeps longest is roused first
    std::int64_t deadline_ns = 0;
    void* belongings = nullptr;
  };

  struct Candidates {
    std::array<Candidate, 2 * kThreadsMax> each;
    unsigned count = 0;
    void add(unsigned thread, Reason reason) noexcept {
      each[count++] = {static_cast<std::uint8_t>(thread), reason};
    }
    std::span<const Candidate> all() const noexcept { return {each.data(), count}; }
  };

  static void thread_entry(void* thread);
  void count_step();
  void add_others(Candidates& candidates) const noexcept;
  void add_sleepers(Candidates& candidates) const noexcept;
  bool only_interruptions(const Candidates& candidates) const noexcept;
  void leave();
  void leave_for_the_end();
  void go_on_in(Candidate candidate);
  [[noreturn]] void abandon();

  static constinit thread_local Runtime* current_;

  Chooser* chooser_ = nullptr;
  unsigned running_ = 0;
  unsigned thread_count_ = 0;
  std::uint64_t steps_ = 0;
  std::int64_t now_ns_ = 0;
  unsigned lonely_rounds_ = 0;  // how often in a row back_off() found nobody else
  std::string failure_;
  Context outside_;  // of run()'s caller
  Arena arena_;
  std::array<Thread, kThreadsMax> threads_;
};

}  // namespace phutex::fibers
