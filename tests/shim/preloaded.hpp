// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A program that includes this runs under the preload library: started without, it starts itself
// again with LD_PRELOAD, before anything else of it has run.
//
// The library's path is PHUTEX_PRELOAD, or what the environment variable of that name says.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace phutex::tests {

inline const char* preload_path() {
  const char* const given = std::getenv("PHUTEX_PRELOAD");
  return given != nullptr ? given : PHUTEX_PRELOAD;
}

/// The file that this process's function of that name comes from.
inline std::string origin_of(const char* function) {
  Dl_info info{};
  void* const address = dlsym(RTLD_DEFAULT, function);
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

inline bool is_preloaded() {
  return origin_of("syscall").find("phutex-preload") != std::string::npos;
}

namespace hidden {

// The C library hands constructors what main is given.
[[gnu::constructor]] inline void start_again_preloaded(int, char** arguments, char**) {
  if (is_preloaded()) return;
  if (std::getenv("LD_PRELOAD") != nullptr) {
    std::fprintf(stderr, "LD_PRELOAD=%s has no effect\n", std::getenv("LD_PRELOAD"));
    _exit(1);
  }
  setenv("LD_PRELOAD", preload_path(), 1);
  execv("/proc/self/exe", arguments);
  std::perror("execv");
  _exit(1);
}

}  // namespace hidden

}  // namespace phutex::tests
