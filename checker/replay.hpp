// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One run as a short text that another process can repeat.
//
//   tso.striped.EnqueueOrValue:12a5c
//
// is the model, what is as usual left out, and the answers. A number says how many first choices
// come next, a letter another answer: "12a5c" is twelve times 0, 1, five times 0, 3; what follows
// is all 0.

#include <optional>
#include <string>
#include <string_view>

#include "checker/model.hpp"
#include "checker/strategy.hpp"

namespace phutex::checker {

struct Replay {
  Mode mode = Mode::sc;
  Counts counts = Counts::restartable;
  std::optional<std::size_t> weakened{};
  Answers answers{};
};

std::string text_of(const Replay& replay);

/// Nothing if the text is none.
std::optional<Replay> parse_replay(std::string_view text);

/// The places of a name among others; nothing if it is none of them.
std::optional<Mode> parse_mode(std::string_view name);
std::optional<std::size_t> parse_edge(std::string_view name);

}  // namespace phutex::checker
