// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Every scenario there is, one function for each file here.
//
// They are part of the checker and not of tests/, because `phutex check` runs them as well.

#include "checker/registry.hpp"

namespace phutex::checker {

void add_lost_wakeup(Registry& registry);
void add_collision(Registry& registry);
void add_giving_up(Registry& registry);
void add_bucket_lock(Registry& registry);
void add_replacement(Registry& registry);
void add_replacements(Registry& registry);
void add_splitting(Registry& registry);
void add_wishes(Registry& registry);

/// All of them.
const Registry& scenarios();

}  // namespace phutex::checker
