// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The machine a result was measured on, as far as a reader of the result needs to know it.

#include <string>

namespace phutex::bench {

struct Host {
  std::string kernel_release;
  std::string architecture;
  std::string cpu_model;  // empty if the kernel does not say
  unsigned cpus_online;
  unsigned cpus_allowed;  // of those, for this process
  std::string date;       // UTC, ISO 8601
};

Host this_host();

}  // namespace phutex::bench
