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

Lifetime::~Lifetime() { life_ = kDead; }

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
  if (other != fibers::kThreadsMax) [[unlikely]] fail_race(what, other, "has used", where);
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
  note("store", value, access);
  const VectorClock message = world.message_of(access);
  if (world.model().mode == Mode::tso) return world.delay(*this, value, message);
  value_ = value;
  message_ = message;
}

std::uint64_t Location::read_to_modify(const Access& access) {
  World& world = World::current();
  world.runtime().step();
  touch(access.where);
  world.drain();
  if (delayed_count_ != 0) [[unlikely]] world.ask_for(*this);
  return value_;
}

void Location::modify(std::uint64_t value, const Access& access) {
  World& world = World::current();
  world.learn(message_, access);
  note("exchange", value, access);
  value_ = value;
  message_.join(world.message_of(access));
}

void Location::learn(const Access& access) const {
  World::current().learn(message_, access);
  note("no exchange", value_, access);
}

std::uint64_t Location::peek(fibers::Where where) const {
  touch(where);
  if (delayed_count_ != 0) [[unlikely]] World::current().ask_for(*this);
  return value_;
}

void Location::add_here(std::int64_t change, const Access& access) {
  World& world = World::current();
  touch(access.where);
  world.switch_processor_to_self(*this);
  const Delayed* const own = delayed_count_ == 0 ? nullptr : world.own_delayed(*this);
  const std::uint64_t value =
      (own == nullptr ? value_ : own->value) + static_cast<std::uint64_t>(change);
  VectorClock message = own == nullptr ? message_ : own->message;
  message.join(world.message_of(access));
  note("count", value, access);
  if (world.model().mode == Mode::tso) return world.delay(*this, value, message);
  value_ = value;
  message_ = message;
}

void Location::note(const char* what, std::uint64_t value, const Access& access) const {
  World::current().runtime().note({.what = what,
                                   .order = access.order,
                                   .place = this,
                                   .value = value,
                                   .where = access.where});
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
