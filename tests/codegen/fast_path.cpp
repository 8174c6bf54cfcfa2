// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The fast paths are as short as fast_path.golden says.
//
// Prints the table; fails where a path has more instructions than its line in the file named by
// the first argument allows. Exit status 77 where they cannot be counted.

#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "native/abilities.hpp"
#include "tests/codegen/paths.hpp"
#include "tests/codegen/single_step.hpp"

namespace phutex::codegen {
namespace {

void nothing(void*) {}

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
