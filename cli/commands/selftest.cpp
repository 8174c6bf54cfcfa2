// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/commands/selftest.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <getopt.h>

#include "bench/failure.hpp"
#include "bench/output_file.hpp"
#include "cli/arguments.hpp"
#include "selftest/runner.hpp"

namespace phutex::cli {
namespace {

using bench::Failure;
using bench::write_standard_output;
using selftest::Check;
using selftest::Machine;

constexpr int kExitFailedCheck = 1;
constexpr double kLimitSeconds = 60;
constexpr std::string_view kUsualMachines = "kernel,engine";

// Options without a letter.
constexpr int kList = CHAR_MAX + 1;
constexpr int kOn = CHAR_MAX + 2;
constexpr int kTimeout = CHAR_MAX + 3;

constexpr std::array kOptions{
    option{"list", no_argument, nullptr, kList},
    option{"on", required_argument, nullptr, kOn},
    option{"timeout", required_argument, nullptr, kTimeout},
    option{"help", no_argument, nullptr, 'h'},
    option{nullptr, 0, nullptr, 0},
};

enum class SelftestWish { check, list, help };

struct SelftestOptions {
  SelftestWish wish = SelftestWish::check;
  selftest::Session session{};
};

std::vector<std::string_view> machine_names() {
  std::vector<std::string_view> names;
  for (const Machine& machine : selftest::machines()) names.push_back(machine.name);
  return names;
}

/// One that is named twice is checked once.
std::vector<const Machine*> machines_of(std::string_view value) {
  std::vector<const Machine*> machines;
  for (const std::string& name : list_argument("--on", value, machine_names())) {
    const Machine* const machine = &selftest::machine_named(name);
    if (std::find(machines.begin(), machines.end(), machine) == machines.end()) {
      machines.push_back(machine);
    }
  }
  return machines;
}

void take(SelftestOptions& options, int option, const char* value, std::string_view word) {
  switch (option) {
    case kList:
      options.wish = SelftestWish::list;
      break;
    case kOn:
      options.session.machines = machines_of(value);
      break;
    case kTimeout:
      options.session.limit = std::chrono::ceil<std::chrono::milliseconds>(
          std::chrono::duration<double>(seconds_argument("--timeout", value)));
      break;
    case 'h':
      options.wish = SelftestWish::help;
      break;
    case ':':
      throw Failure(fmt::format("{}: needs a value; see phutex selftest --help", word));
    default:
      throw Failure(
          fmt::format("{}: no such option, or not unique; see phutex selftest --help", word));
  }
}

/// In their own order, each once; all, if none is named.
std::vector<const Check*> checks_of(std::span<char* const> names) {
  const auto begins_with_it = [](std::string_view name) {
    return [name](const Check& check) { return check.name.starts_with(name); };
  };
  for (const char* const name : names) {
    if (std::ranges::any_of(selftest::checks(), begins_with_it(name))) continue;
    throw Failure(fmt::format("{}: no such check; phutex selftest --list names them", name));
  }
  std::vector<const Check*> chosen;
  for (const Check& check : selftest::checks()) {
    const bool is_named = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return check.name.starts_with(name);
    });
    if (names.empty() || is_named) chosen.push_back(&check);
  }
  return chosen;
}

SelftestOptions parse_selftest(std::span<char*> arguments) {
  // getopt_long moves the operands behind the options and wants a null at the end.
  std::vector<char*> words(arguments.begin(), arguments.end());
  words.push_back(nullptr);
  const int word_count = static_cast<int>(arguments.size());
  SelftestOptions options;
  options.session.limit =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(kLimitSeconds));
  options.session.machines = machines_of(kUsualMachines);
  opterr = 0;
  optind = 0;
  for (;;) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no other threads yet
    const int option = getopt_long(word_count, words.data(), ":h", kOptions.data(), nullptr);
    if (option == -1) break;
    take(options, option, optarg, words[static_cast<std::size_t>(optind) - 1]);
  }
  const auto first = static_cast<std::size_t>(optind);
  options.session.checks =
      checks_of(std::span<char* const>{words}.subspan(first, arguments.size() - first));
  return options;
}

std::string help() {
  return fmt::format(
      "usage: phutex selftest [options] [check ...]\n"
      "\n"
      "Checks what prctl(PR_FUTEX_HASH) does: the size of a process's private futex hash, who may\n"
      "change it, and that waiters live through the change. The results are KTAP version 1, one\n"
      "list for the running kernel and one for the engine; '# SKIP' says why something cannot be\n"
      "shown here. A check is a name or the beginning of one; without one, all are made, each in\n"
      "a process of its own. Exit status 1 if one failed.\n"
      "\n"
      "      --on LIST          of {} (as the release candidates of\n"
      "                         Linux 6.16 were); {} if left out\n"
      "      --timeout SECONDS  for one check; what takes longer hangs, and fails; {:g}\n"
      "      --list             the checks and what they claim\n"
      "  -h, --help             this text\n",
      fmt::join(machine_names(), ", "), kUsualMachines, kLimitSeconds);
}

std::string list(std::span<const Check* const> checks) {
  std::string text;
  for (const Check* const check : checks) {
    text += fmt::format("{:<17}{}\n", check->name, check->sentence);
  }
  return text;
}

}  // namespace

int run_selftest(std::span<char*> arguments) {
  const SelftestOptions options = parse_selftest(arguments);
  switch (options.wish) {
    case SelftestWish::help:
      write_standard_output(help());
      return 0;
    case SelftestWish::list:
      write_standard_output(list(options.session.checks));
      return 0;
    case SelftestWish::check:
      break;
  }
  const selftest::Totals totals = selftest::run_checks(options.session, write_standard_output);
  return totals.fail + totals.error == 0 ? 0 : kExitFailedCheck;
}

}  // namespace phutex::cli
