// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which machine a run is on: how its memory behaves, how it counts, and which promise it breaks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/edges.hpp"

namespace phutex::checker {

enum class Mode : std::uint8_t {
  sc,       // sequentially consistent: a store is seen by all at once
  tso,      // store buffers: others may see a thread's stores late, in order
  history,  // as C++ has it: a load returns any store that is not outdated for its thread
};
inline constexpr std::array<std::string_view, 3> kModeNames{"sc", "tso", "history"};
inline constexpr std::array kAllModes{Mode::sc, Mode::tso, Mode::history};

/// How LocalCounts are made.
enum class Counts : std::uint8_t {
  restartable,  // sequences that a membarrier makes start over
  striped,      // read-modify-writes, and a second look at the word
};
inline constexpr std::array<std::string_view, 2> kCountsNames{"restartable", "striped"};

struct Model {
  Mode mode = Mode::sc;
  Counts counts = Counts::restartable;
  std::optional<std::size_t> weakened{};  // the edge::index_of the promise that is not kept
  bool memory_may_run_out = false;
};

constexpr std::string_view name_of(Mode mode) noexcept {
  return kModeNames[static_cast<std::size_t>(mode)];
}
constexpr std::string_view name_of(Counts counts) noexcept {
  return kCountsNames[static_cast<std::size_t>(counts)];
}

}  // namespace phutex::checker
