// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/replay.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace phutex::checker {

namespace {

std::optional<std::size_t> place_of(std::string_view name, std::span<const std::string_view> all) {
  const auto found = std::find(all.begin(), all.end(), name);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

std::string text_of_answers(const Answers& answers) {
  std::string text;
  std::size_t zeros = 0;
  for (const unsigned answer : answers) {
    if (answer == 0) {
      ++zeros;
      continue;
    }
    if (zeros != 0) text += std::to_string(std::exchange(zeros, 0));
    text += static_cast<char>('a' + answer - 1);
  }
  return text;
}

bool parse_answers(std::string_view text, Answers& answers) {
  constexpr std::size_t kZerosMax = 1'000'000;
  std::size_t zeros = 0;
  for (const char letter : text) {
    if (letter >= '0' && letter <= '9') {
      zeros = zeros * 10 + static_cast<std::size_t>(letter - '0');
      if (zeros > kZerosMax) return false;
    } else if (letter >= 'a' && letter <= 'z') {
      answers.insert(answers.end(), std::exchange(zeros, 0), 0);
      answers.push_back(static_cast<std::uint8_t>(letter - 'a' + 1));
    } else {
      return false;
    }
  }
  return true;
}

/// One word of the model: false if it is none.
bool parse_word(std::string_view word, Replay& replay) {
  if (const auto mode = parse_mode(word)) return replay.mode = *mode, true;
  if (const auto edge = parse_edge(word)) return replay.weakened = *edge, true;
  const auto counts = place_of(word, kCountsNames);
  if (counts) replay.counts = static_cast<Counts>(*counts);
  return counts.has_value();
}

}  // namespace

std::string text_of(const Replay& replay) {
  std::string text{name_of(replay.mode)};
  if (replay.counts != Counts::restartable) text += "." + std::string{name_of(replay.counts)};
  if (replay.weakened) text += "." + std::string{edge::kNames[*replay.weakened]};
  return text + ":" + text_of_answers(replay.answers);
}

std::optional<Replay> parse_replay(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Replay replay;
  for (std::size_t begin = 0; begin <= colon;) {
    const std::size_t end = std::min(text.find('.', begin), colon);
    if (!parse_word(text.substr(begin, end - begin), replay)) return std::nullopt;
    begin = end + 1;
  }
  if (!parse_answers(text.substr(colon + 1), replay.answers)) return std::nullopt;
  return replay;
}

std::optional<Mode> parse_mode(std::string_view name) {
  const auto place = place_of(name, kModeNames);
  if (!place) return std::nullopt;
  return static_cast<Mode>(*place);
}

std::optional<std::size_t> parse_edge(std::string_view name) {
  return place_of(name, edge::kNames);
}

}  // namespace phutex::checker
