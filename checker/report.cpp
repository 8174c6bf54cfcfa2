// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace phutex::checker {

namespace {

constexpr int kColumn = 38;

/// Gives words and pointers short names, in the order they first appear, so that two runs of one
/// replay print the same text.
class Names {
 public:
  std::string of_place(const void* place) {
    const auto [entry, is_new] = places_.try_emplace(place, places_.size());
    const std::size_t index = entry->second;
    const auto letter = static_cast<char>('A' + index % 26);
    return index < 26 ? std::string(1, letter) : fmt::format("{}{}", letter, index / 26);
  }

  std::string of_value(std::uint64_t value) {
    constexpr std::uint64_t kSmall = 1U << 16;
    constexpr std::uint64_t kMarks = 63;
    const auto as_signed = static_cast<std::int64_t>(value);
    if (value < kSmall) return std::to_string(value);
    if (as_signed < 0 && as_signed > -static_cast<std::int64_t>(kSmall)) {
      return std::to_string(as_signed);
    }
    if (value <= 0xffffffffU) return fmt::format("{:#x}", value);
    const auto [entry, is_new] = pointers_.try_emplace(value & ~kMarks, pointers_.size() + 1);
    const std::uint64_t marks = value & kMarks;
    return fmt::format("p{}", entry->second) + (marks == 0 ? "" : fmt::format("+{}", marks));
  }

 private:
  std::map<const void*, std::size_t> places_;
  std::map<std::uint64_t, std::size_t> pointers_;
};

std::string text_of(const fibers::Event& event, Names& names) {
  std::string text = event.what;
  if (event.place != nullptr) {
    text += fmt::format(" {} = {}", names.of_place(event.place), names.of_value(event.value));
  } else if (event.value != 0) {
    text += fmt::format(" {}", event.value);
  }
  if (*event.order != '\0') text += fmt::format(" [{}]", event.order);
  return text;
}

std::string counts_of(const Check& check, const Model& model) {
  return check.counts_locally() ? std::string{name_of(model.counts)} : "";
}

}  // namespace

std::string exploration_header() {
  return fmt::format("{:<21} {:<13} {:<8} {:<11} {:<4} {:>10} {:>8}  {}\n", "scenario", "scheme",
                     "mismatch", "counts", "mode", "executions", "seconds", "verdict");
}

std::string exploration_line(const Check& check, const Model& model,
                             const Exploration& exploration) {
  const bool is_general = check.card.which == Which::one;
  const std::string verdict =
      exploration.counterexample ? exploration.counterexample->what : "holds";
  return fmt::format("{:<21} {:<13} {:<8} {:<11} {:<4} {:>10} {:>8.2f}  {}\n", check.card.name,
                     is_general ? "" : check.kind.scheme, is_general ? "" : check.kind.mismatch,
                     is_general ? "" : counts_of(check, model), name_of(model.mode),
                     exploration.executions, exploration.seconds, verdict);
}

std::string mutants_table(const std::vector<Kill>& kills) {
  std::string table = fmt::format("{:<15} {:<41} {:<11} {:<4} {:>10}  {}\n", "edge weakened",
                                  "killed by", "counts", "mode", "executions", "what it said");
  for (const Kill& kill : kills) {
    table += fmt::format("{:<15} {:<41} {:<11} {:<4} {:>10}  {}\n", edge::kNames[kill.edge],
                         kill.check->name(), counts_of(*kill.check, kill.model),
                         name_of(kill.model.mode), kill.exploration.executions,
                         kill.exploration.counterexample->what);
  }
  return table;
}

std::string edges_table(const Registry& registry) {
  std::string table;
  for (std::size_t edge = 0; edge < edge::All::count; ++edge) {
    table += fmt::format("{:<15} {}\n", edge::kNames[edge], edge::All::promises[edge]);
    std::vector<std::string_view> names;
    for (const Check& check : registry.checks()) {
      const auto& kills = check.card.kills;
      const bool is_claimed = std::find(kills.begin(), kills.end(), edge) != kills.end();
      const bool is_new = std::find(names.begin(), names.end(), check.card.name) == names.end();
      if (is_claimed && is_new) names.push_back(check.card.name);
    }
    table += fmt::format("{:<15} killed by {}\n", "", fmt::join(names, ", "));
  }
  return table;
}

std::string story_text(const Story& story) {
  Names names;
  std::vector<int> columns(story.threads.size(), -1);
  for (const fibers::Event& event : story.events) columns[event.thread] = 0;
  std::string text = fmt::format("{:>4}  {:<22}", "step", "where");
  int width = 0;
  for (std::size_t thread = 0; thread < columns.size(); ++thread) {
    if (columns[thread] < 0) continue;
    columns[thread] = width;
    width += kColumn;
    text += fmt::format("{:<{}}", story.threads[thread], kColumn);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  for (std::size_t index = 0; index < story.events.size(); ++index) {
    const fibers::Event& event = story.events[index];
    text += fmt::format("{:>4}  {:<22}{:{}}{}\n", index + 1, fibers::WhereText{event.where}.view(),
                        "", columns[event.thread], text_of(event, names));
  }
  return text + fmt::format("=> {}\n", story.what.empty() ? "the run is good" : story.what);
}

std::string minimised_line(const Minimised& minimised) {
  const RunSize& before = minimised.before;
  const RunSize& after = minimised.after;
  return fmt::format(
      "minimised: answers other than the first {} -> {}, preemptions {} -> {}, steps {} -> {}\n",
      before.answers, after.answers, before.preemptions, after.preemptions, before.steps,
      after.steps);
}

std::string replay_command(const Check& check, const Replay& replay) {
  return fmt::format("phutex check --replay {} {}\n", checker::text_of(replay), check.name());
}

Replay replay_of(const Model& model, const Counterexample& counterexample) {
  return {model.mode, model.counts, model.weakened, counterexample.answers};
}

}  // namespace phutex::checker
