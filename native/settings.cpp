// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/settings.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "native/kernel.hpp"
#include "native/memory.hpp"
#include "native/text.hpp"
#include "phutex/phutex.h"

namespace phutex::native {

namespace {

/// A line for stderr.
class Line {
 public:
  Line& operator<<(std::string_view part) noexcept {
    text_ << part;
    return *this;
  }
  void print() noexcept {
    text_ << "\n";
    const std::string_view line = text_.view();
    kernel::call(SYS_write, 2, kernel::pointer(line.data()), static_cast<long>(line.size()));
  }

 private:
  char storage_[512];
  Text text_{storage_, sizeof storage_};
};

using Said = Atomic<std::uint32_t>;  // set by whoever says it first

bool is_first_to_say(Said& said) noexcept {
  return said.exchange(1, relaxed<why::Hint>) == 0;
}

// As much of a value as a line has room for beside what is right.
std::string_view shortened(const char* value) noexcept {
  const std::string_view all{value};
  return {all.data(), std::min<std::size_t>(all.size(), 80)};
}

}  // namespace

const sizing::Rule& asked_sizing() noexcept {
  static constinit Said said{0};
  const sizing::Rule& usual = sizing::kRules.front();
  const char* const value = getenv("PHUTEX_SIZING");
  if (value == nullptr) return usual;
  if (const sizing::Rule* const rule = sizing::rule_named(value)) return *rule;
  if (!is_first_to_say(said)) return usual;
  Line line;
  line << "phutex: PHUTEX_SIZING=" << shortened(value) << " is ignored; it may be";
  for (const sizing::Rule& rule : sizing::kRules) line << " " << rule.name;
  line.print();
  return usual;
}

int asked_prctl() noexcept {
  static constinit Said said{0};
  const char* const value = getenv("PHUTEX_PRCTL");
  if (value == nullptr) return PHUTEX_PRCTL_6_17;
  const std::string_view asked{value};
  if (asked == "6.16") return PHUTEX_PRCTL_6_16;
  if (asked != "6.17" && is_first_to_say(said)) {
    Line line;
    line << "phutex: PHUTEX_PRCTL=" << shortened(value) << " is ignored; it may be 6.16 6.17";
    line.print();
  }
  return PHUTEX_PRCTL_6_17;
}

bool asks_for_snapshots() noexcept {
  static constinit Said said{0};
  const char* const value = getenv("PHUTEX_SNAPSHOT");
  if (value == nullptr) return false;
  if (std::string_view{value} == "SIGUSR2") return true;
  if (is_first_to_say(said)) {
    Line line;
    line << "phutex: PHUTEX_SNAPSHOT=" << shortened(value) << " is ignored; it may be SIGUSR2";
    line.print();
  }
  return false;
}

}  // namespace phutex::native
