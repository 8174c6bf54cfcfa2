// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/scenarios/scenarios.hpp"

namespace phutex::checker {

const Registry& scenarios() {
  static const Registry registry = [] {
    Registry all;
    add_lost_wakeup(all);
    add_collision(all);
    add_giving_up(all);
    add_bucket_lock(all);
    add_replacement(all);
    add_replacements(all);
    add_splitting(all);
    add_wishes(all);
    return all;
  }();
  return registry;
}

}  // namespace phutex::checker
