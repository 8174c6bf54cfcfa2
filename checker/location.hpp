// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One word of checked memory: its value, what a reader learns with it, who has touched it.
//
// Making and destroying count as writes that nothing may race with. What was destroyed knows it,
// and says so to whoever comes too late.

#include <cstdint>

#include "checker/world.hpp"

namespace phutex::checker {

/// Knows whether it lives, and who made it: what all checked memory has in common.
class Lifetime {
 public:
  Lifetime() noexcept;
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;
  ~Lifetime();

 protected:
  /// Fails the run if this was destroyed, or if nothing says that its making is over.
  void check_usable(fibers::Where where) const;
  /// Fails the run if some access of `accesses` may be at the same time as the caller.
  static void check_ordered(const VectorClock& accesses, const char* what, fibers::Where where);

 private:
  static constexpr std::uint32_t kAlive = 0x0a11fe00;
  static constexpr std::uint32_t kDead = 0xdeadbeef;

  volatile std::uint32_t life_ = kAlive;
  Moment made_;
};

class Location : public Lifetime {
 public:
  explicit Location(std::uint64_t value) noexcept;
  ~Location();

  std::uint64_t load(const Access& access) const;
  void store(std::uint64_t value, const Access& access);

  /// A read-modify-write: a modify() follows at once, or, if nothing is to be written, learn().
  std::uint64_t read_to_modify(const Access& access);
  void modify(std::uint64_t value, const Access& access);
  void learn(const Access& access) const;

  /// As a kernel reads it, after settle_before_sleep and a step.
  std::uint64_t peek(fibers::Where where) const;

  /// The plain addition of one processor's count: no step, no read-modify-write.
  void add_here(std::int64_t change, const Access& access);

 private:
  friend class World;

  void note(const char* what, std::uint64_t value, const Access& access) const;
  void touch(fibers::Where where) const;
  std::uint64_t load_history(const Access& access) const;
  void store_history(std::uint64_t value, const Access& access) noexcept;
  void put(std::uint64_t value, VectorClock message, const Access& access) noexcept;
  void put_at_once(std::uint64_t value, VectorClock message, const Access& access) noexcept;
  void see_youngest() const noexcept;
  void arrive(const Delayed& delayed) noexcept;

  std::uint64_t value_;
  VectorClock message_;           // what an acquire load learns
  mutable VectorClock accesses_;  // each thread's last
  unsigned delayed_count_ = 0;
  unsigned past_ = 0;  // in the World, of Mode::history
};

/// The past of a Plain.
class History : public Lifetime {
 public:
  History() noexcept : written_(World::current().moment()) {}
  ~History();

  void read(fibers::Where where) const;
  void write(fibers::Where where);

 private:
  void check_write(const char* what, fibers::Where where) const;

  Moment written_;
  mutable VectorClock reads_;
};

}  // namespace phutex::checker
