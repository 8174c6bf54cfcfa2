// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fast paths are as short as fast_path.golden says.
//
// Prints the table; fails where a path has more instructions than its line in the file named by
// the first argument allows. Exit status 77 where they cannot be counted.

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <linux/futex.h>

#include "engine/engine.hpp"
#include "native/platform.hpp"
#include "phutex/phutex.h"
#include "tests/codegen/single_step.hpp"

namespace phutex::codegen {
namespace {

using native::Platform;

struct Path {
  std::string name;
  void (*code)(void*);
  void* argument;
};

std::uint32_t word;  // 0

void nothing(void*) {}

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
  auto pin = static_cast<S*>(scheme)->pin();
  asm volatile("" ::"r"(&pin.table()) : "memory");
}

// The process's own engine, whose operations are short only once it is there.
void use_instance() { phutex_wait(&word, 4, 1, PHUTEX_ANY, nullptr, 0); }

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

std::vector<Path> all_paths() {
  std::vector<Path> paths;
  for_each_config(Configurations<Platform>{}, [&]<class C> { add_paths_of<C>(paths); });
  paths.push_back({"phutex_wait.differs", abi_wait_differs, nullptr});
  paths.push_back({"phutex_wake.nobody", abi_wake_nobody, nullptr});
  paths.push_back({"phutex_futex.wait_differs", abi_futex_wait_differs, nullptr});
  paths.push_back({"phutex_futex.wake_nobody", abi_futex_wake_nobody, nullptr});
  return paths;
}

std::map<std::string, long> read_golden(const char* file) {
  std::map<std::string, long> golden;
  std::ifstream lines{file};
  std::string name;
  for (long count = 0; lines >> name >> count;) golden[name] = count;
  return golden;
}

const void* rseq_area() {
  if (!native::abilities().has_rseq) return nullptr;
  return static_cast<const char*>(__builtin_thread_pointer()) + native::abilities().rseq_offset;
}

// The path's own instructions: without the call through a pointer and the return.
std::optional<long> count(const Path& path) {
  const auto whole = count_instructions(use_instance, path.code, path.argument, rseq_area());
  const auto empty = count_instructions(use_instance, nothing, nullptr, nullptr);
  if (!whole || !empty) return std::nullopt;
  return *whole - *empty;
}

int check_all(const char* golden_file) {
  native::find_abilities();
  const auto golden = read_golden(golden_file);
  int failures = 0;
  std::printf("%-34s %12s %8s\n", "path", "instructions", "allowed");
  for (const Path& path : all_paths()) {
    const auto counted = count(path);
    if (!counted) {
      std::printf("skipped: this machine does not let a process be stepped\n");
      return 77;
    }
    const auto allowed = golden.find(path.name);
    const bool is_known = allowed != golden.end();
    const bool is_right = is_known && *counted <= allowed->second;
    std::printf("%-34s %12ld %8s%s\n", path.name.c_str(), *counted,
                is_known ? std::to_string(allowed->second).c_str() : "none",
                is_right ? "" : "  <-- too long, or not in the file");
    failures += is_right ? 0 : 1;
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace phutex::codegen

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s fast_path.golden\n", arguments[0]);
    return 2;
  }
  return phutex::codegen::check_all(arguments[1]);
}
