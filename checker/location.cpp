// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/location.hpp"

namespace phutex::checker {

namespace {

[[noreturn]] void fail_race(const char* what, unsigned other, const char* did,
                            fibers::Where where) {
  fibers::Runtime& runtime = World::current().runtime();
  const fibers::WhereText text{where};
  runtime.fail({"data race: ", runtime.name_of(runtime.running()), " ", what,
                text.view().empty() ? "" : " at ", text.view(), " what ", runtime.name_of(other),
                " ", did, ", and nothing orders the two"});
}

}  // namespace

Lifetime::Lifetime() noexcept : made_(World::current().moment()) {}

Lifetime::~Lifetime() {
  life_ = kDead;
}

void Lifetime::check_usable(fibers::Where where) const {
  if (life_ != kAlive) [[unlikely]] {
    fibers::Runtime& runtime = World::current().runtime();
    runtime.fail({"use after destruction: ", runtime.name_of(runtime.running()), " at ",
                  fibers::WhereText{where}.view()});
  }
  if (!World::current().knowledge().covers(made_)) [[unlikely]] {
    fail_race("uses", made_.thread, "has made", where);
  }
}

void Lifetime::check_ordered(const VectorClock& accesses, const char* what, fibers::Where where) {
  const unsigned other = World::current().knowledge().first_uncovered(accesses);
  if (other != fibers::kThreadsMax) [[unlikely]]
    fail_race(what, other, "has used", where);
}

Location::Location(std::uint64_t value) noexcept : value_(value) {
  World& world = World::current();
  if (!world.has_histories()) return;
  past_ = world.new_past();
  world.past(past_).add({.value = value}, 0, world.moment());
}

Location::~Location() {
  check_usable({});
  check_ordered(accesses_, "destroys", {});
  if (delayed_count_ != 0) World::current().drain();
}

std::uint64_t Location::load(const Access& access) const {
  World& world = World::current();
  world.runtime().step();
  touch(access.where);
  if (world.has_histories()) return load_history(access);
  if (delayed_count_ != 0) [[unlikely]] {
    if (const Delayed* const own = world.own_delayed(*this)) {
      note("load", own->value, access);
      return own->value;
    }
    world.ask_for(*this);
  }
  world.learn(message_, access);
  note("load", value_, access);
  return value_;
}

void Location::store(std::uint64_t value, const Access& access) {
  World& world = World::current();
  world.runtime().step();
  touch(access.where);
  if (world.has_histories()) return store_history(value, access);
  note("store", value, access);
  put(value, VectorClock{}, access);
}

std::uint64_t Location::read_to_modify(const Access& access) {
  World& world = World::current();
  world.runtime().step();
  touch(access.where);
  world.drain();
  if (delayed_count_ != 0) [[unlikely]]
    world.ask_for(*this);
  return value_;
}

void Location::modify(std::uint64_t value, const Access& access) {
  World& world = World::current();
  world.learn(message_, access);
  note("exchange", value, access);
  put_at_once(value, message_, access);
}

void Location::learn(const Access& access) const {
  see_youngest();
  World::current().learn(message_, access);
  note("no exchange", value_, access);
}

std::uint64_t Location::peek(fibers::Where where) const {
  touch(where);
  see_youngest();
  if (delayed_count_ != 0) [[unlikely]]
    World::current().ask_for(*this);
  return value_;
}

void Location::add_here(std::int64_t change, const Access& access) {
  World& world = World::current();
  touch(access.where);
  world.switch_processor_to_self(*this);
  const Delayed* const own = delayed_count_ == 0 ? nullptr : world.own_delayed(*this);
  const std::uint64_t value =
      (own == nullptr ? value_ : own->value) + static_cast<std::uint64_t>(change);
  note("count", value, access);
  put(value, own == nullptr ? message_ : own->message, access);
}

// One of the stores that are not outdated.
std::uint64_t Location::load_history(const Access& access) const {
  World& world = World::current();
  Past& past = world.past(past_);
  const unsigned before = world.choose_store(past);
  const Stored stored = past.youngest(before);
  past.see(before, world.moment());
  world.learn(stored.message, access);
  note(before == 0 ? "load" : "load old", stored.value, access);
  return stored.value;
}

// In the order of all stores to the word, before some that this thread does not know of, or last.
void Location::store_history(std::uint64_t value, const Access& access) noexcept {
  World& world = World::current();
  Past& past = world.past(past_);
  const unsigned before = world.choose_place(past);
  const Moment moment = world.moment();  // the one that a release passes on
  const VectorClock message = world.message_of(access);
  note(before == 0 ? "store" : "store old", value, access);
  past.add({.value = value, .message = message}, before, moment);
  if (before != 0) return;
  value_ = value;
  message_ = message;
}

// A store that carries on `message`.
void Location::put(std::uint64_t value, VectorClock message, const Access& access) noexcept {
  World& world = World::current();
  if (world.model().mode != Mode::tso) return put_at_once(value, message, access);
  message.join(world.message_of(access));
  world.delay(*this, value, message);
}

void Location::put_at_once(std::uint64_t value, VectorClock message,
                           const Access& access) noexcept {
  World& world = World::current();
  const Moment moment = world.moment();  // the one that a release passes on
  message.join(world.message_of(access));
  value_ = value;
  message_ = message;
  if (world.has_histories()) {
    world.past(past_).add({.value = value, .message = message, .is_exchange = true}, 0, moment);
  }
}

void Location::see_youngest() const noexcept {
  World& world = World::current();
  if (world.has_histories()) world.past(past_).see(0, world.moment());
}

void Location::note(const char* what, std::uint64_t value, const Access& access) const {
  World::current().runtime().note(
      {.what = what, .order = access.order, .place = this, .value = value, .where = access.where});
}

void Location::touch(fibers::Where where) const {
  check_usable(where);
  const Moment moment = World::current().moment();
  accesses_.set(moment.thread, moment.time);
}

void Location::arrive(const Delayed& delayed) noexcept {
  value_ = delayed.value;
  message_ = delayed.message;
  --delayed_count_;
}

History::~History() {
  check_usable({});
  check_write("destroys", {});
}

void History::read(fibers::Where where) const {
  check_usable(where);
  World& world = World::current();
  if (!world.knowledge().covers(written_)) [[unlikely]] {
    fail_race("reads", written_.thread, "writes", where);
  }
  reads_.set(world.self(), world.moment().time);
}

void History::write(fibers::Where where) {
  check_usable(where);
  check_write("writes", where);
  written_ = World::current().moment();
}

void History::check_write(const char* what, fibers::Where where) const {
  if (!World::current().knowledge().covers(written_)) [[unlikely]] {
    fail_race(what, written_.thread, "writes", where);
  }
  check_ordered(reads_, what, where);
}

}  // namespace phutex::checker
