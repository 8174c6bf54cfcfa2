// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/checked_engine.hpp"

#include <vector>

namespace phutex::checker {

std::span<const EngineKind> engine_kinds() {
  static const std::vector<EngineKind> kinds = [] {
    std::vector<EngineKind> all;
    for_each_config(Configurations<Platform>{},
                    [&]<class Config> { all.push_back(engine_kind<Config>()); });
    return all;
  }();
  return kinds;
}

}  // namespace phutex::checker
