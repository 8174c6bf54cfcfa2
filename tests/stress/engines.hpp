// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Engines of every configuration on the real machine, one for each test that asks.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>

#include "engine/engine.hpp"
#include "native/platform.hpp"
#include "native/process.hpp"
#include "tests/threads/budget.hpp"
#include "tests/threads/watch.hpp"

namespace phutex::tests {

using Word = std::atomic<std::uint32_t>;

inline Key key_of(const Word& word) noexcept {
  return Key{reinterpret_cast<std::uintptr_t>(&word)};
}

inline Deadline deadline_in(long microseconds) noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long nanoseconds = now.tv_nsec + microseconds % 1'000'000 * 1000;
  return Deadline::at(Clock::monotonic,
                      now.tv_sec + microseconds / 1'000'000 + nanoseconds / 1'000'000'000,
                      nanoseconds % 1'000'000'000);
}

inline typename Table<native::Platform>::Owner make_table(std::size_t buckets) noexcept {
  native::find_abilities();
  native::wipe_on_fork();
  auto table = Table<native::Platform>::create(buckets);
  if (table == nullptr) give_up("a table");
  return table;
}

/// An engine whose words are std::atomics.
template <class C>
class TestEngine {
 public:
  explicit TestEngine(std::size_t buckets) noexcept : engine_(make_table(buckets)) {
    if (!engine_.prepare()) give_up("what a scheme needs");
  }

  /// none, when woken.
  Errno wait(const Word& word, std::uint32_t expected,
             const Deadline& deadline = Deadline::never()) noexcept {
    const auto* const address = reinterpret_cast<const std::uint32_t*>(&word);
    return engine_.wait(native::Word<std::uint32_t>{address}, expected, kMatchAny, deadline)
        .error();
  }
  int wake(const Word& word, int limit) noexcept { return engine_.wake(key_of(word), limit); }
  std::size_t waiting(const Word& word) noexcept { return engine_.waiting(key_of(word)); }
  Errno resize(std::size_t buckets) noexcept { return engine_.resize(buckets).error(); }
  void freeze() noexcept { engine_.freeze(); }
  std::size_t bucket_count() noexcept { return engine_.bucket_count(); }

 private:
  Engine<C> engine_;
};

/// Can tables of this configuration be replaced?
template <class C>
inline constexpr bool kIsReplaceable =
    !std::is_same_v<typename C::Scheme, scheme::Fixed<typename C::Platform>>;

template <class... C>
testing::Types<C...> types_of(ConfigList<C...>);

// The list without those that do not replace; `Kept` are those that do, so far.
template <class... Kept>
ConfigList<Kept...> replaceable_of(ConfigList<>, ConfigList<Kept...> kept) {
  return kept;
}
template <class First, class... Rest, class... Kept>
auto replaceable_of(ConfigList<First, Rest...>, ConfigList<Kept...>) {
  if constexpr (kIsReplaceable<First>) {
    return replaceable_of(ConfigList<Rest...>{}, ConfigList<Kept..., First>{});
  } else {
    return replaceable_of(ConfigList<Rest...>{}, ConfigList<Kept...>{});
  }
}

using Configured = Configurations<native::Platform>;
using AllConfigurations = decltype(types_of(Configured{}));
using ReplaceableConfigurations = decltype(types_of(replaceable_of(Configured{}, ConfigList<>{})));

struct ConfigName {
  template <class C>
  static std::string GetName(int) {
    return std::string{kName<typename C::Scheme>} + "_" + std::string{kName<typename C::Mismatch>};
  }
};

/// A suite that is run with every configuration; each has its share of one test's time.
template <class C>
class OnEveryEngine : public testing::Test {
 protected:
  static constexpr unsigned kShares = 9;  // about as many as there are configurations

 private:
  Watchdog watchdog_{stress_limit(), "a stress test"};
};

}  // namespace phutex::tests
