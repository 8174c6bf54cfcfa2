// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/mutants.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace phutex::checker {

namespace {

bool claims(const Check& check, std::size_t edge) {
  const auto& kills = check.card.kills;
  return std::find(kills.begin(), kills.end(), edge) != kills.end();
}

std::optional<Kill> try_to_kill(Explorer& explorer, const Check& check, const Model& model) {
  const std::unique_ptr<Strategy> strategy = exhaustive(check.card.bounds);
  Exploration exploration = explorer.explore(check, model, *strategy);
  if (!exploration.counterexample) return std::nullopt;
  return Kill{*model.weakened, &check, model, std::move(exploration)};
}

}  // namespace

std::vector<Model> models_for(const Check& check, Mode mode, std::optional<std::size_t> weakened) {
  std::vector<Model> models{model_for(check, mode, Counts::restartable, weakened)};
  if (check.counts_locally()) {
    models.push_back(model_for(check, mode, Counts::striped, weakened));
  }
  return models;
}

std::vector<Kill> kill_mutants(Explorer& explorer, const Registry& registry) {
  std::vector<Kill> kills;
  for (std::size_t edge = 0; edge < edge::All::count; ++edge) {
    std::set<std::pair<std::string_view, Counts>> done;
    for (const Check& check : registry.checks()) {
      if (!claims(check, edge)) continue;
      for (const Mode mode : kAllModes) {
        for (const Model& model : models_for(check, mode, edge)) {
          if (done.contains({check.kind.scheme, model.counts})) continue;
          auto kill = try_to_kill(explorer, check, model);
          if (!kill) continue;
          done.insert({check.kind.scheme, model.counts});
          kills.push_back(std::move(*kill));
        }
      }
    }
  }
  return kills;
}

}  // namespace phutex::checker
