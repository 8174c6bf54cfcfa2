// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/commands/edges.hpp"

#include <string_view>

#include <fmt/format.h>

#include "bench/failure.hpp"
#include "bench/output_file.hpp"
#include "checker/report.hpp"
#include "checker/scenarios/scenarios.hpp"

namespace phutex::cli {
namespace {

constexpr std::string_view kHelp =
    "usage: phutex edges\n"
    "\n"
    "Lists every promise that one thread's memory accesses make to another's, as the engine\n"
    "names them, and the scenarios of phutex check that are known to fail without it.\n";

}  // namespace

int run_edges(std::span<char*> arguments) {
  const std::string_view word = arguments.size() > 1 ? arguments[1] : "";
  if (word == "--help" || word == "-h") {
    bench::write_standard_output(kHelp);
    return 0;
  }
  if (!word.empty()) throw bench::Failure(fmt::format("{}: takes no arguments", word));
  bench::write_standard_output(checker::edges_table(checker::scenarios()));
  return 0;
}

}  // namespace phutex::cli
