// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "checker/registry.hpp"

namespace phutex::checker {

std::string Check::name() const {
  std::string name{card.name};
  if (card.which == Which::one) return name;
  name += "/" + std::string{kind.scheme} + "/" + std::string{kind.mismatch};
  return name;
}

std::vector<Check> Registry::named(std::string_view name) const {
  std::vector<Check> found;
  for (const Check& check : checks_) {
    const std::string full = check.name();
    if (full == name || full.starts_with(std::string(name) + "/")) found.push_back(check);
  }
  return found;
}

bool Registry::is_for(Which which, const EngineKind& kind) const noexcept {
  const bool is_replaceable = kind.scheme != "fixed";
  switch (which) {
    case Which::all:
      return true;
    case Which::replaceable:
      return is_replaceable;
    case Which::locked:
      return is_replaceable && kind.mismatch == "locked";
    case Which::one:
      return kind.scheme == "fixed" && kind.mismatch == "locked";
  }
  return false;
}

}  // namespace phutex::checker
