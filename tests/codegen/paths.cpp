// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/codegen/paths.hpp"

#include <cstdint>

#include <linux/futex.h>

#include "engine/engine.hpp"
#include "native/platform.hpp"
#include "phutex/phutex.h"

namespace phutex::codegen {

namespace {

using native::Platform;

std::uint32_t word;  // 0

template <class C>
void wait_differs(void* engine) {
  (void)static_cast<Engine<C>*>(engine)->wait(native::Word<std::uint32_t>{&word}, 1U);
}

template <class C>
void wake_nobody(void* engine) {
  static_cast<Engine<C>*>(engine)->wake(Key{reinterpret_cast<std::uintptr_t>(&word)}, 1);
}

template <class S>
void pin_and_unpin(void* scheme) {
  auto pin = static_cast<S*>(scheme)->pin(Key{});
  asm volatile("" ::"r"(&pin.table()) : "memory");
}

void abi_wait_differs(void*) { phutex_wait(&word, 4, 1, PHUTEX_ANY, nullptr, 0); }
void abi_wake_nobody(void*) { phutex_wake(&word, 1, PHUTEX_ANY); }
void abi_futex_wait_differs(void*) {
  phutex_futex(&word, FUTEX_WAIT_PRIVATE, 1, nullptr, nullptr, 0);
}
void abi_futex_wake_nobody(void*) {
  phutex_futex(&word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

template <class C>
void add_paths_of(std::vector<Path>& paths) {
  using Scheme = typename C::Scheme;
  const std::string scheme{kName<Scheme>};
  const std::string mismatch{kName<typename C::Mismatch>};
  auto* const engine = new Engine<C>{Table<Platform>::create(16)};
  if (!engine->prepare()) return;
  paths.push_back({scheme + "." + mismatch + ".wait_differs", wait_differs<C>, engine});
  if (mismatch != "locked") return;  // the other paths know nothing of it
  paths.push_back({scheme + ".wake_nobody", wake_nobody<C>, engine});
  auto* const bare = new Scheme{Table<Platform>::create(16)};
  if (!bare->prepare()) return;
  paths.push_back({scheme + ".pin_and_unpin", pin_and_unpin<Scheme>, bare});
}

}  // namespace

void use_instance() { phutex_wait(&word, 4, 1, PHUTEX_ANY, nullptr, 0); }

std::vector<Path> all_paths() {
  native::find_abilities();
  std::vector<Path> paths;
  for_each_config(Configurations<Platform>{}, [&]<class C> { add_paths_of<C>(paths); });
  paths.push_back({"phutex_wait.differs", abi_wait_differs, nullptr});
  paths.push_back({"phutex_wake.nobody", abi_wake_nobody, nullptr});
  paths.push_back({"phutex_futex.wait_differs", abi_futex_wait_differs, nullptr});
  paths.push_back({"phutex_futex.wake_nobody", abi_futex_wake_nobody, nullptr});
  return paths;
}

}  // namespace phutex::codegen
