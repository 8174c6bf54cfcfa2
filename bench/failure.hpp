// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A reason why a command cannot give a result, in one line for the person who typed it.

#include <stdexcept>
#include <string>
#include <system_error>

namespace phutex::bench {

/// what(): what was wrong, then what would be right; no newline, no program name. The command
/// that catches it prints the line and exits with kExitBadInput.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& line) : std::runtime_error(line) {}
};

/// What an errno means, in words.
inline std::string error_text(int error) {
  return std::generic_category().message(error);
}

inline constexpr int kExitBadInput = 2;

}  // namespace phutex::bench
