// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program `phutex`: finds the command, runs it, and says in one line what went wrong.

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/failure.hpp"
#include "bench/fresh_process.hpp"
#include "bench/output_file.hpp"
#include "cli/command.hpp"
#include "cli/commands/bench.hpp"
#include "cli/commands/check.hpp"
#include "cli/commands/edges.hpp"
#include "cli/commands/selftest.hpp"

namespace phutex::cli {
namespace {

constexpr std::array kCommands{
    Command{"bench", "measure futexes, the kernel's and phutex's own, side by side", run_bench},
    Command{"check", "try the engine in every order of events that can matter", run_check},
    Command{"edges", "list the promises between threads, and who checks them", run_edges},
    Command{"selftest", "check the private hash, the kernel's and phutex's own", run_selftest},
    Command{bench::kServeCommand, "", run_bench_sample},
};

int print_help() {
  std::string text =
      "usage: phutex <command> [options]\n"
      "       phutex help <command>\n"
      "       phutex --version\n"
      "\n"
      "commands:\n";
  for (const Command& command : kCommands) {
    if (!command.summary.empty()) {
      text += fmt::format("  {:<10} {}\n", command.name, command.summary);
    }
  }
  bench::write_standard_output(text);
  return 0;
}

int print_version() {
  bench::write_standard_output("phutex " PHUTEX_VERSION "\n");
  return 0;
}

/// One line, whatever the arguments it quotes contain.
int complain(std::string_view who, std::string line) {
  std::replace_if(
      line.begin(), line.end(), [](unsigned char byte) { return byte < ' '; }, '?');
  fmt::print(stderr, "{}: {}\n", who, line);
  return bench::kExitBadInput;
}

/// The arguments begin with the command's name.
int run_command(std::span<char*> arguments) {
  const std::string_view name = arguments[0];
  const auto command = std::find_if(kCommands.begin(), kCommands.end(),
                                    [&](const Command& one) { return one.name == name; });
  if (command == kCommands.end()) {
    return complain("phutex", fmt::format("no command '{}'; phutex --help lists them", name));
  }
  const std::string who = fmt::format("phutex {}", name);
  try {
    return command->run(arguments);
  } catch (const bench::Failure& failure) {
    return complain(who, failure.what());
  } catch (const std::bad_alloc&) {
    return complain(who, "out of memory; ask for less");
  }
}

int run(std::span<char*> words) try {
  const std::string_view first = words.size() > 1 ? words[1] : "--help";
  if (first == "--version") return print_version();
  const bool asks_for_help = first == "help" || first == "--help" || first == "-h";
  if (asks_for_help && words.size() <= 2) return print_help();
  if (!asks_for_help) return run_command(words.subspan(1));
  std::string help = "--help";
  std::array<char*, 2> arguments{words[2], help.data()};
  return run_command(arguments);
} catch (const bench::Failure& failure) {
  return complain("phutex", failure.what());
}

}  // namespace
}  // namespace phutex::cli

int main(int argc, char** argv) {
  return phutex::cli::run({argv, static_cast<std::size_t>(argc)});
}
