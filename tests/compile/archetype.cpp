// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The engine compiles on a machine that offers the Platform concepts and nothing more.

#include "tests/compile/archetype.hpp"

namespace phutex {

template <class C>
void use_everything(Engine<C>& engine) {
  const bool is_ready = engine.prepare();
  const Result<void> waited = engine.wait(archetype::Word<std::uint64_t>{}, is_ready ? 1U : 0U);
  engine.wake(Key{}, waited ? 1 : 2);
  (void)engine.resize(engine.bucket_count() + engine.waiting(Key{}));
  engine.freeze();
}

template <class... C>
constexpr bool all_are_configs(ConfigList<C...>) {
  return (IsConfig<C> && ...);
}
static_assert(all_are_configs(Configurations<archetype::Platform>{}));
static_assert(sizeof(Bucket<archetype::Platform>) == 64);

void instantiate_all() {
  for_each_config(Configurations<archetype::Platform>{}, []<class C> {
    Engine<C> engine{Table<archetype::Platform>::create(2)};
    use_everything(engine);
  });
}

}  // namespace phutex
