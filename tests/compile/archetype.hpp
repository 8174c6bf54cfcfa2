// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A machine that offers exactly what the Platform concepts ask for, and nothing more.
//
// A concept is a lower bound: if the engine compiles with this machine, the concept is the whole
// contract. Nothing here runs.

#include "engine/engine.hpp"

namespace phutex::archetype {

template <class T>
class Atomic {
 public:
  Atomic() noexcept;
  explicit Atomic(T) noexcept;
  Atomic(const Atomic&) = delete;
  T load(IsLoadOrder auto) const noexcept;
  void store(T, IsStoreOrder auto) noexcept;
  T exchange(T, IsOrder auto) noexcept;
  T fetch_add(T, IsOrder auto) noexcept;
  bool compare_exchange(T&, T, IsOrder auto, IsLoadOrder auto) noexcept;
};

template <class T>
class Plain {
 public:
  Plain() noexcept;
  explicit Plain(T) noexcept;
  Plain(const Plain&) = delete;
  T read() const noexcept;
  void write(T) noexcept;
};

template <class T>
class Word {
 public:
  using Value = T;
  Result<T> load() const noexcept;
  std::uintptr_t identity() const noexcept;
};

class LocalCounts {
 public:
  bool prepare() noexcept;
  std::uintptr_t add_unless(const Atomic<std::uintptr_t>&, std::uintptr_t,
                            IsLoadOrder auto) noexcept;
  void subtract(IsStoreOrder auto) noexcept;
  void settle(IsAsymmetric auto) noexcept;
  std::int64_t sum(IsLoadOrder auto) const noexcept;
};

struct Platform {
  template <class T>
  using Atomic = archetype::Atomic<T>;
  template <class T>
  using Plain = archetype::Plain<T>;
  using LocalCounts = archetype::LocalCounts;
  static constexpr unsigned kSpins = 1;

  static void fence(IsFenceOrder auto) noexcept;
  static void light_fence(IsAsymmetric auto) noexcept;
  static void heavy_fence(IsAsymmetric auto) noexcept;
  static void* allocate(std::size_t) noexcept;
  static void deallocate(void*, std::size_t) noexcept;
  static Awoken sleep_on(Atomic<std::uint32_t>&, std::uint32_t, const Deadline&) noexcept;
  static void rouse(Atomic<std::uint32_t>&) noexcept;
  static void pause() noexcept;
  static void back_off(unsigned) noexcept;
  static std::uint64_t now_ns() noexcept;
  static SectionRecord<Platform>* section_record() noexcept;
  static SectionRecord<Platform>* provide_section_record() noexcept;
  template <class Visit>
  static void for_each_section_record(Visit&&) noexcept {}
  static bool has_parker() noexcept;
  static bool provide_parker() noexcept;
  static Parker<Platform>& take_parker() noexcept;
  static void return_parker(Parker<Platform>&) noexcept;
};

static_assert(IsPlatform<Platform>);

}  // namespace phutex::archetype
