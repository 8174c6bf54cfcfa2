// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the first word after `phutex` may name.

#include <span>
#include <string_view>

namespace phutex::cli {

/// `arguments[0]` is the command's name. Returns the exit status; a bench::Failure it throws is
/// printed as one line behind its name.
struct Command {
  std::string_view name;
  std::string_view summary;  // empty for a command that only phutex itself starts
  int (*run)(std::span<char*> arguments);
};

}  // namespace phutex::cli
