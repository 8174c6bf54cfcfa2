// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/host.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>

#include <sys/utsname.h>
#include <unistd.h>

#include "bench/affinity.hpp"

namespace phutex::bench {
namespace {

std::string cpu_model() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace

Host this_host() {
  utsname names{};
  uname(&names);
  return {.kernel_release = names.release,
          .architecture = names.machine,
          .cpu_model = cpu_model(),
          .cpus_online = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))),
          .cpus_allowed = static_cast<unsigned>(allowed_cpus().size()),
          .date = utc_now()};
}

}  // namespace phutex::bench
