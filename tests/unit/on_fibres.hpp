// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the engine's tests share: a virtual thread to run on, words, and every configuration.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "engine/engine.hpp"
#include "fibers/direct_memory.hpp"

namespace phutex {

using Direct = fibers::DirectPlatform;

/// Runs `body` as the first virtual thread, to the end of all that it spawns.
template <class Body>
void on_fibres(Body&& body) {
  fibers::Runtime runtime;
  fibers::FirstChoice chooser;
  EXPECT_TRUE(runtime.run(chooser, std::forward<Body>(body))) << runtime.failure();
}

/// Starts another virtual thread. It runs when the caller waits for something.
template <class Body>
unsigned spawn(const char* name, Body&& body) {
  return fibers::Runtime::current()->spawn(name, std::forward<Body>(body));
}

inline void join_all() {
  fibers::Runtime::current()->join_all();
}

/// Lets the other threads run until all sleep or have ended: a first choice lets a deadline pass
/// only when nobody is ready.
inline void let_others_run() {
  const int place = 0;
  fibers::Runtime::current()->sleep(&place, Deadline::at(Clock::monotonic, 0, 0));
}

/// A user's word of any width, by reference.
template <class T>
class WordOf {
 public:
  using Value = T;
  explicit WordOf(const T& word) noexcept : word_(&word) {}
  Result<T> load() const noexcept { return *word_; }
  std::uintptr_t identity() const noexcept { return reinterpret_cast<std::uintptr_t>(word_); }

 private:
  const T* word_;
};

template <class T>
Key key_of(const T& word) noexcept {
  return Key{WordOf<T>{word}.identity()};
}

/// Configurations as GoogleTest wants a list of types, and names for them.
template <class List>
struct AsTypes;
template <class... C>
struct AsTypes<ConfigList<C...>> {
  using Type = testing::Types<C...>;
};
using AllConfigs = AsTypes<Configurations<Direct>>::Type;

struct ConfigNames {
  template <class C>
  static std::string GetName(int) {
    return std::string{kName<typename C::Scheme>} + "_" + std::string{kName<typename C::Mismatch>};
  }
};

constexpr Deadline kSoon = Deadline::at(Clock::monotonic, 1, 0);

}  // namespace phutex
