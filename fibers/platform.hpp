// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A machine made of virtual threads: every facet of a platform but the memory.
//
// `Memory` offers IsMemory, LocalCounts, and three things that are asked for here:
//   settle_before_sleep(): all that the calling thread stored is visible to others;
//   Atomic<T>::peek(where): the word's value as a kernel would read it, in one step with what
//     follows;
//   allocate_for_run(size): as allocate, of what nobody frees before the run ends;
//   has_memory_for_run(): would that succeed?

#include <cstdint>

#include "engine/platform/platform.hpp"
#include "fibers/runtime.hpp"

namespace phutex::fibers {

template <class Memory>
struct Platform : Memory {
  template <class T>
  using Atomic = typename Memory::template Atomic<T>;
  using ParkerType = Parker<Platform>;

  static constexpr unsigned kSpins = 0;  // a spinning thread only makes runs longer

  static Awoken sleep_on(Atomic<std::uint32_t>& word, std::uint32_t expected,
                         const Deadline& deadline, Where where = Where::here()) noexcept {
    Runtime& runtime = *Runtime::current();
    runtime.step();
    Memory::settle_before_sleep();
    const std::uint32_t found = word.peek(where);
    if (found != expected) {
      runtime.note({.what = "no sleep", .place = &word, .value = found, .where = where});
      return Awoken::roused;
    }
    runtime.note({.what = "sleep", .place = &word, .value = found, .where = where});
    const Awoken awoken = runtime.sleep(&word, deadline);
    runtime.note({.what = name_of(awoken), .place = &word, .where = where});
    return awoken;
  }

  static void rouse(Atomic<std::uint32_t>& word, Where where = Where::here()) noexcept {
    Runtime& runtime = *Runtime::current();
    runtime.step();
    Memory::settle_before_sleep();
    runtime.note({.what = "rouse", .place = &word, .where = where});
    runtime.rouse(&word);
  }

  static void pause() noexcept {}

  static void back_off(unsigned, Where where = Where::here()) noexcept {
    Runtime::current()->note({.what = "back off", .where = where});
    Runtime::current()->back_off();
  }

  static std::uint64_t now_ns() noexcept { return Runtime::current()->now_ns(); }

  static SectionRecord<Platform>* section_record() noexcept {
    Belongings& mine = belongings();
    if (mine.record == nullptr) provide_section_record(mine, Runtime::current()->running());
    return mine.record;
  }
  static SectionRecord<Platform>* provide_section_record() noexcept { return nullptr; }

  /// The same for a thread that has not begun, by the one that spawned it: the first such call
  /// makes all records, so that to whoever looks at them they were there from the start.
  static void provide_section_record(unsigned thread) noexcept {
    provide_section_record(belongings_of(thread), thread);
  }

  template <class Visit>
  static void for_each_section_record(Visit&& visit) noexcept {
    Runtime& runtime = *Runtime::current();
    for (unsigned thread = 0; thread < runtime.thread_count(); ++thread) {
      const SectionRecord<Platform>* const record = belongings_of(thread).record;
      if (record != nullptr) visit(*record);
    }
  }

  static bool has_parker() noexcept { return belongings().free_seats != nullptr; }

  static bool provide_parker() noexcept {
    void* const storage = Memory::allocate_for_run(sizeof(Seat));
    if (storage == nullptr) return false;
    push(*new (storage) Seat);
    return true;
  }

  static ParkerType& take_parker() noexcept {
    Seat& seat = *belongings().free_seats;
    belongings().free_seats = seat.next;
    return seat.parker;
  }

  static void return_parker(ParkerType& parker) noexcept { push(reinterpret_cast<Seat&>(parker)); }

 private:
  using Record = SectionRecord<Platform>;

  struct Seat {
    ParkerType parker;
    Seat* next = nullptr;
  };

  // What a thread has, until the run ends: its record, and its parkers, those in use aside: one,
  // and one more for each wait within a wait.
  struct Belongings {
    Record* record = nullptr;
    Record* all_records = nullptr;  // thread 0's only: a record for every thread, and a dead one
    Seat* free_seats = nullptr;
  };

  static Belongings& belongings() noexcept { return belongings_of(Runtime::current()->running()); }

  static Belongings& belongings_of(unsigned thread) noexcept {
    Runtime& runtime = *Runtime::current();
    void*& all = runtime.belongings(thread);
    if (all == nullptr) all = new (runtime.arena().allocate(sizeof(Belongings))) Belongings;
    return *static_cast<Belongings*>(all);
  }
  static void provide_section_record(Belongings& whose, unsigned thread) noexcept {
    Record*& all = belongings_of(0).all_records;
    if (all == nullptr) {
      all = static_cast<Record*>(
          Runtime::current()->arena().allocate((kThreadsMax + 1) * sizeof(Record)));
      for (unsigned each = 0; each < kThreadsMax; ++each) new (all + each) Record;
      new (all + kThreadsMax) Record(typename Record::Dead{});
    }
    whose.record = all + (Memory::has_memory_for_run() ? thread : kThreadsMax);
  }
  static void push(Seat& seat) noexcept {
    seat.next = belongings().free_seats;
    belongings().free_seats = &seat;
  }

  static constexpr const char* name_of(Awoken awoken) noexcept {
    switch (awoken) {
      case Awoken::timed_out:
        return "timed out";
      case Awoken::interrupted:
        return "interrupted";
      case Awoken::roused:
        return "roused";
    }
    return "";
  }
};

}  // namespace phutex::fibers
