// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What all memory of one run has in common: what each thread knows, and what it has stored that
// others do not see yet.
//
// Two things are followed at once. Values: in Mode::tso a store waits in its thread's buffer until
// something drains it, or until another thread asks for that word and the Chooser says that it has
// arrived; in Mode::history a load chooses among the stores of the word's Past. Happens-before, in
// every mode as C++ defines it: a release passes on the thread's clock, an acquire that reads it
// joins it, a read-modify-write carries on what it found, a relaxed store breaks it off, fences
// stand in for the relaxed accesses around them.
//
// Nothing is lost by moving a store's arrival to the moment when another thread asks for its word:
// nobody could have told the difference before.
//
// Full fences are in one order, and what is before one is visible after every later one, which is
// less than happening before: it says which stores are outdated, and hands nothing over.

#include <array>
#include <cstdint>
#include <vector>

#include "checker/held_locks.hpp"
#include "checker/model.hpp"
#include "checker/past.hpp"
#include "checker/vector_clock.hpp"
#include "engine/base/key.hpp"
#include "fibers/runtime.hpp"

namespace phutex::checker {

class Location;

/// An access's order, as this run takes it, and where it is.
struct Access {
  bool acquires = false;
  bool releases = false;
  const char* order = "";
  fibers::Where where{};
};

/// A store that is not in memory yet.
struct Delayed {
  Location* location;
  std::uint64_t value;
  VectorClock message;
  std::uint8_t stale_reads;  // how often it was passed over
};

class World {
 public:
  World(fibers::Runtime& runtime, const Model& model) noexcept : runtime_(runtime), model_(model) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  static World& current() noexcept { return *current_; }
  static World* exchange_current(World* world) noexcept;

  /// The state in which a run begins.
  void begin() noexcept;

  const Model& model() const noexcept { return model_; }
  bool is_weakened(std::size_t edge) const noexcept { return model_.weakened == edge; }
  fibers::Runtime& runtime() noexcept { return runtime_; }
  unsigned self() const noexcept { return runtime_.running(); }
  VectorClock& knowledge() noexcept { return threads_[self()].now; }
  Moment moment() noexcept { return {self(), knowledge().of(self())}; }

  // Threads

  void fork(unsigned child) noexcept;
  void join_all() noexcept;

  // Happens-before

  /// What a store of the running thread passes on.
  VectorClock message_of(const Access& access) noexcept;
  /// What a load of the running thread learns.
  void learn(const VectorClock& message, const Access& access) noexcept;
  void fence_clocks() noexcept;

  // Visibility

  /// A full fence of the running thread.
  void full_fence();
  /// One side of an asymmetric fence: sees what is before the other sides that came earlier.
  void light_fence() noexcept;
  void heavy_fence();
  /// A full fence of every thread, whatever it is at.
  void fence_all();

  // Histories

  bool has_histories() const noexcept { return model_.mode == Mode::history; }
  unsigned new_past() noexcept;
  Past& past(unsigned index) noexcept { return pasts_[index]; }
  /// Which store a load returns: that many before the youngest.
  unsigned choose_store(const Past& past);
  /// Before how many of the youngest a store is put.
  unsigned choose_place(const Past& past);

  // Store buffers

  void delay(Location& location, std::uint64_t value, const VectorClock& message);
  /// The running thread's own youngest delayed store to that location, or null.
  const Delayed* own_delayed(const Location& location) const noexcept;
  /// Decides which of the other threads' delayed stores to a location have arrived.
  void ask_for(const Location& location) { ask_for(location, self()); }
  /// All delayed stores of one thread, or of all, arrive.
  void drain(unsigned thread);
  void drain() { drain(self()); }
  /// The running thread comes to where its stores must arrive. That is a step: others may see it
  /// there with its stores still away.
  void drain_in_step();
  void drain_all();
  /// Whoever else has a delayed store to a count is not on the count's processor any more.
  void switch_processor_to_self(const Location& count);

  // Counts

  unsigned& processor() noexcept { return threads_[self()].processor; }
  std::uint64_t restarts() const noexcept { return restarts_; }
  void restart_all() noexcept { ++restarts_; }

  // Locks

  HeldLocks& locks() noexcept { return locks_; }
  /// Fails the run if the running thread holds a bucket's lock, or any lock of the engine's.
  void forbid_under_bucket_lock(const char* what);
  void forbid_under_lock(const char* what);

  // Storage and identities

  void* allocate(std::size_t size) noexcept;
  void deallocate() noexcept;
  std::size_t pieces() const noexcept { return pieces_; }
  std::uintptr_t next_identity() noexcept { return Key::kGranule * ++identity_; }

 private:
  static constexpr unsigned kDelayedMax = 16;
  static constexpr std::uint8_t kStaleReadsMax = 3;

  struct Thread {
    VectorClock now;      // what it knows
    VectorClock read;     // what an acquire fence would add: from relaxed loads
    VectorClock fence;    // what it knew at its last release fence: relaxed stores pass it on
    VectorClock visible;  // what its full fences let it see, beside what it knows
    std::array<Delayed, kDelayedMax> delayed;  // oldest first
    unsigned delayed_count = 0;
    unsigned processor = 0;
  };

  void ask_for(const Location& location, unsigned asker);
  bool has_arrived(Delayed& delayed);
  void arrive_through(unsigned thread, unsigned index, bool asks);
  unsigned find_delayed(unsigned thread, const Location& location) const noexcept;

  static constinit thread_local World* current_;

  fibers::Runtime& runtime_;
  const Model model_;
  std::array<Thread, fibers::kThreadsMax> threads_{};
  VectorClock fenced_;        // what is before the full fences so far
  VectorClock light_fenced_;  // the same of light fences, and of heavy ones
  VectorClock heavy_fenced_;
  std::vector<Past> pasts_;
  HeldLocks locks_;
  std::uint64_t restarts_ = 0;
  std::size_t pieces_ = 0;
  std::uintptr_t identity_ = 0;
};

}  // namespace phutex::checker
