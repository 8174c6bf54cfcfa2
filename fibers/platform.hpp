// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A machine made of virtual threads: every facet of a platform but the memory.
//
// `Memory` offers IsMemory, LocalCounts, and three things that are asked for here:
//   settle_before_sleep(): all that the calling thread stored is visible to others;
//   Atomic<T>::peek(where): the word's value as a kernel would read it, in one step with what
//     follows;
//   allocate_for_run(size): as allocate, of what nobody frees before the run ends.

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

  static bool has_parker() noexcept { return free_seat() != nullptr; }

  static bool provide_parker() noexcept {
    void* const storage = Memory::allocate_for_run(sizeof(Seat));
    if (storage == nullptr) return false;
    push(*new (storage) Seat);
    return true;
  }

  static ParkerType& take_parker() noexcept {
    Seat& seat = *free_seat();
    Runtime::current()->belongings() = seat.next;
    return seat.parker;
  }

  static void return_parker(ParkerType& parker) noexcept { push(reinterpret_cast<Seat&>(parker)); }

 private:
  // A thread's parkers, those in use aside: one, and one more for each wait within a wait. They
  // stay where they are until the run ends.
  struct Seat {
    ParkerType parker;
    Seat* next = nullptr;
  };

  static Seat* free_seat() noexcept { return static_cast<Seat*>(Runtime::current()->belongings()); }
  static void push(Seat& seat) noexcept {
    seat.next = free_seat();
    Runtime::current()->belongings() = &seat;
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
