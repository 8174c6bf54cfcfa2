// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// All checked tests by name: what the program `phutex check` and the test programs go through.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/bounds.hpp"
#include "checker/scenario.hpp"

namespace phutex::checker {

/// Which configurations a scenario is for.
enum class Which {
  all,
  replaceable,  // whose table can be replaced
  locked,       // replaceable, and with the one mismatch check "locked"
  one,          // it does not use the engine it is given
};

/// What a scenario says of itself.
struct Card {
  std::string_view name;
  std::string_view claim{};  // one sentence: what holds in every run
  Which which = Which::all;
  Bounds bounds{};
  std::vector<std::size_t> kills{};  // edges it is known to fail without, by edge::index_of
  std::string_view fails_with{};     // of a scenario that must fail: part of what is said then
};

/// A scenario on a configuration.
struct Check {
  Card card;
  EngineKind kind;
  void (*body)(const EngineKind&);

  /// "LostWakeup/per_cpu_count/locked"
  std::string name() const;
  bool counts_locally() const noexcept { return kind.scheme == "per_cpu_count"; }
  bool memory_may_run_out() const noexcept { return card.bounds.allocation_failures != 0; }
};

class Registry {
 public:
  /// On each of the card's configurations.
  template <class S>
  void add(const Card& card) {
    for (const EngineKind& kind : engine_kinds()) {
      if (is_for(card.which, kind)) checks_.push_back({card, kind, run_scenario<S>});
    }
  }
  /// On a configuration of the scenario's own.
  template <class S>
  void add(const Card& card, const EngineKind& kind) {
    checks_.push_back({card, kind, run_scenario<S>});
  }

  const std::vector<Check>& checks() const noexcept { return checks_; }

  /// Those whose name is, or begins as a path with, `name`.
  std::vector<Check> named(std::string_view name) const;

 private:
  bool is_for(Which which, const EngineKind& kind) const noexcept;

  std::vector<Check> checks_;
};

template <IsEdge... E>
std::vector<std::size_t> kills() {
  return {edge::index_of<E>...};
}

}  // namespace phutex::checker
