// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Control compiles on a machine that offers the Platform concepts and nothing more, over every
// engine.

#include "engine/control.hpp"

#include "tests/compile/archetype.hpp"

namespace phutex {

void instantiate_all() {
  for_each_config(Configurations<archetype::Platform>{}, []<class C> {
    Engine<C> engine{Table<archetype::Platform>::create(16)};
    Control<Engine<C>> control{engine, sizing::kRules.front(), {}, {Origin::none, 16}};
    (void)control.set(2, Permanence::immutable);
    (void)control.reserve(3);
    if (control.may_change_with_threads()) (void)control.follow({});
    (void)control.hash().reported();
    (void)control.rule().name;
  });
}

}  // namespace phutex
