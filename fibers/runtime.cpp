// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fibers/runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "engine/base/check.hpp"

namespace phutex {

// Where no virtual thread runs, as the native machine does.
void check_failed(const char* condition, const char* why, const char* file, int line) {
  const fibers::WhereText where{{file, line}};
  if (fibers::Runtime* const runtime = fibers::Runtime::current()) {
    runtime->fail({why, " (", condition, " at ", where.view(), ")"});
  }
  std::fprintf(stderr, "phutex: %s (%s at %s)\n", why, condition, where.view().data());
  std::abort();
}

}  // namespace phutex

namespace phutex::fibers {

namespace {

constexpr unsigned kLonelyRoundsMax = 16;

}  // namespace

constinit thread_local Runtime* Runtime::current_ = nullptr;

bool Runtime::run(Chooser& chooser, const std::function<void()>& body) {
  chooser_ = &chooser;
  thread_count_ = 0;
  steps_ = 0;
  now_ns_ = 0;
  lonely_rounds_ = 0;
  failure_.clear();
  arena_.clear();
  for (Thread& thread : threads_) thread.state = State::ended;
  Runtime* const outer = std::exchange(current_, this);
  running_ = spawn("main", body);
  outside_.switch_to(threads_[0].context);
  current_ = outer;
  return failure_.empty();
}

unsigned Runtime::spawn(const char* name, std::function<void()> body) {
  PHUTEX_CHECK(thread_count_ < kThreadsMax, "a run has at most kThreadsMax threads");
  Thread& thread = threads_[thread_count_];
  thread.body = std::move(body);
  thread.name = name;
  thread.state = State::ready;
  thread.interruptions_left = 0;
  thread.belongings = nullptr;
  thread.context.begin(thread.stack, thread_entry, &thread);
  return thread_count_++;
}

void Runtime::thread_entry(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  Runtime& runtime = *current_;
  try {
    thread.body();
  } catch (const std::exception& exception) {
    runtime.failure_ = std::string("an exception ended a thread: ") + exception.what();
  }
  if (!runtime.failure_.empty()) runtime.abandon();
  thread.state = State::ended;
  runtime.leave();
  std::abort();  // an ended thread is not chosen
}

void Runtime::join_all() {
  Thread& self = threads_[running_];
  self.state = State::joining;
  leave();
}

void Runtime::step() {
  count_step();
  if (thread_count_ == 1) return;
  Candidates candidates;
  candidates.add(running_, Reason::ready);
  add_others(candidates);
  if (candidates.count == 1) return;
  const unsigned chosen = chooser_->choose_thread(Choice::preempt, candidates.all());
  if (chosen != 0) go_on_in(candidates.each[chosen]);
}

Awoken Runtime::sleep(const void* place, const Deadline& deadline) {
  Thread& self = threads_[running_];
  self.place = place;
  self.asleep_since = steps_;
  self.has_deadline = !deadline.is_never;
  self.deadline_ns = deadline.seconds * 1'000'000'000 + deadline.nanoseconds;
  self.state = State::sleeping;
  leave();
  return self.awoken;
}

void Runtime::rouse(const void* place) {
  std::array<Thread*, kThreadsMax> sleepers;  // who sleeps longest, first
  unsigned count = 0;
  for (Thread& thread : threads_) {
    if (thread.state != State::sleeping || thread.place != place) continue;
    unsigned index = count++;
    for (; index > 0 && sleepers[index - 1]->asleep_since > thread.asleep_since; --index) {
      sleepers[index] = sleepers[index - 1];
    }
    sleepers[index] = &thread;
  }
  if (count == 0) return;
  Thread& chosen = *sleepers[count == 1 ? 0 : choose(Choice::rouse, count)];
  chosen.awoken = Awoken::roused;
  chosen.state = State::ready;
}

void Runtime::interrupt(unsigned thread) noexcept {
  if (threads_[thread].state != State::sleeping) return;
  threads_[thread].awoken = Awoken::interrupted;
  threads_[thread].state = State::ready;
}

void Runtime::back_off() {
  count_step();
  Candidates candidates;
  add_others(candidates);
  if (candidates.count == 0 || only_interruptions(candidates)) {
    if (++lonely_rounds_ > kLonelyRoundsMax) {
      fail({"no progress: ", name_of(running_), " waits for what nobody will do"});
    }
    return;
  }
  lonely_rounds_ = 0;
  const bool is_forced = candidates.count == 1;
  go_on_in(
      candidates.each[is_forced ? 0 : chooser_->choose_thread(Choice::next, candidates.all())]);
}

void Runtime::fail(std::initializer_list<std::string_view> why) {
  for (const std::string_view part : why) failure_ += part;
  abandon();
}

void Runtime::abandon() {
  for (;;) threads_[running_].context.switch_to(outside_);
}

void Runtime::count_step() {
  if (++steps_ > steps_max) [[unlikely]]
    fail({"no end: the run takes too many steps"});
}

// Those that are ready, then sleepers by deadline, then signals: so first choices let all go well.
void Runtime::add_others(Candidates& candidates) const noexcept {
  bool has_sleepers = false;
  for (unsigned index = 0; index < thread_count_; ++index) {
    const State state = threads_[index].state;
    if (state == State::ready && index != running_) candidates.add(index, Reason::ready);
    has_sleepers = has_sleepers || state == State::sleeping;
  }
  if (has_sleepers) [[unlikely]]
    add_sleepers(candidates);
}

void Runtime::add_sleepers(Candidates& candidates) const noexcept {
  const unsigned first = candidates.count;
  for (unsigned index = 0; index < thread_count_; ++index) {
    const Thread& thread = threads_[index];
    if (thread.state != State::sleeping || !thread.has_deadline) continue;
    candidates.add(index, Reason::timed_out);
  }
  std::stable_sort(candidates.each.begin() + first, candidates.each.begin() + candidates.count,
                   [this](Candidate one, Candidate other) {
                     return threads_[one.thread].deadline_ns < threads_[other.thread].deadline_ns;
                   });
  for (unsigned index = 0; index < thread_count_; ++index) {
    const Thread& thread = threads_[index];
    if (thread.state != State::sleeping || thread.interruptions_left == 0) continue;
    candidates.add(index, Reason::interrupted);
  }
}

// A signal may never come: a thread that only a signal could help sleeps for ever.
bool Runtime::only_interruptions(const Candidates& candidates) const noexcept {
  const auto all = candidates.all();
  return std::all_of(all.begin(), all.end(), [](const Candidate& candidate) {
    return candidate.reason == Reason::interrupted;
  });
}

// The running thread cannot go on: somebody else must.
void Runtime::leave() {
  Candidates candidates;
  add_others(candidates);
  if (only_interruptions(candidates)) return leave_for_the_end();
  const bool is_forced = candidates.count == 1;
  go_on_in(
      candidates.each[is_forced ? 0 : chooser_->choose_thread(Choice::next, candidates.all())]);
}

// Nobody is ready or will be: that is the end, or a counterexample.
void Runtime::leave_for_the_end() {
  for (unsigned index = 0; index < thread_count_; ++index) {
    if (threads_[index].state != State::sleeping) continue;
    failure_ += failure_.empty() ? "asleep for ever: " : ", ";
    failure_ += threads_[index].name;
  }
  if (!failure_.empty()) abandon();
  Thread& left = threads_[running_];
  if (threads_[0].state != State::joining) return left.context.switch_to(outside_);
  threads_[0].state = State::ready;
  go_on_in({0, Reason::ready});
}

void Runtime::go_on_in(Candidate candidate) {
  Thread& left = threads_[running_];
  Thread& next = threads_[candidate.thread];
  if (candidate.reason != Reason::ready) {
    const bool is_late = candidate.reason == Reason::timed_out;
    next.state = State::ready;
    next.awoken = is_late ? Awoken::timed_out : Awoken::interrupted;
    if (is_late) now_ns_ = std::max(now_ns_, next.deadline_ns);
    if (!is_late) --next.interruptions_left;
  }
  if (&next == &left) return;
  running_ = candidate.thread;
  left.context.switch_to(next.context);
}

}  // namespace phutex::fibers
