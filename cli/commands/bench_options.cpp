// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/commands/bench_options.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <random>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <getopt.h>
#include <unistd.h>

#include "bench/affinity.hpp"
#include "bench/engine_target.hpp"
#include "bench/failure.hpp"
#include "cli/arguments.hpp"

namespace phutex::cli {
namespace {

using bench::Failure;

constexpr std::array kWorkloads{bench::kHash, bench::kWaitWake, bench::kResize};
constexpr std::array kMachines{bench::kOnKernel, bench::kOnEngine};
constexpr std::array<std::string_view, 4> kFormats{"table", "perf", "json", "csv"};

constexpr unsigned kFutexesDefault = 1024;
constexpr unsigned kWaitWakeThreadsMin = 2;
constexpr unsigned kThreadsMax = 1U << 22;  // the most the kernel numbers
constexpr unsigned kRepeatMax = 1'000'000;
constexpr unsigned kRateMax = 1'000'000;  // one each microsecond
constexpr long kResizeBucketsDefault = 1024;

// A row takes ten seconds, as with perf: in one piece for those who read perf's text, else cut
// into samples that can be interleaved.
constexpr double kPerfRuntimeDefault = 10;
constexpr unsigned kPerfRepeatDefault = 1;
constexpr double kRuntimeDefault = 2;
constexpr unsigned kRepeatDefault = 5;

// Options without a letter.
constexpr int kOn = CHAR_MAX + 1;
constexpr int kScheme = CHAR_MAX + 2;
constexpr int kMismatch = CHAR_MAX + 3;
constexpr int kRepeat = CHAR_MAX + 4;
constexpr int kFormat = CHAR_MAX + 5;
constexpr int kRate = CHAR_MAX + 6;
constexpr int kSleepers = CHAR_MAX + 7;

constexpr const char* kLetters = ":t:r:f:b:ISmso:h";
constexpr std::array kOptions{
    option{"threads", required_argument, nullptr, 't'},
    option{"runtime", required_argument, nullptr, 'r'},
    option{"futexes", required_argument, nullptr, 'f'},
    option{"buckets", required_argument, nullptr, 'b'},
    option{"immutable", no_argument, nullptr, 'I'},
    option{"shared", no_argument, nullptr, 'S'},
    option{"mlockall", no_argument, nullptr, 'm'},
    option{"silent", no_argument, nullptr, 's'},
    option{"on", required_argument, nullptr, kOn},
    option{"scheme", required_argument, nullptr, kScheme},
    option{"mismatch", required_argument, nullptr, kMismatch},
    option{"rate", required_argument, nullptr, kRate},
    option{"sleepers", required_argument, nullptr, kSleepers},
    option{"repeat", required_argument, nullptr, kRepeat},
    option{"format", required_argument, nullptr, kFormat},
    option{"output", required_argument, nullptr, 'o'},
    option{"help", no_argument, nullptr, 'h'},
    option{nullptr, 0, nullptr, 0},
};

/// What was on the command line; what was not is empty.
struct Given {
  bool help = false;
  bool immutable = false;
  bool shared = false;
  bool mlockall = false;
  bool silent = false;
  std::optional<unsigned> threads;
  std::optional<unsigned> futexes;
  std::optional<long> buckets;
  std::optional<double> runtime_s;
  std::optional<unsigned> rate;
  std::optional<unsigned> sleepers;
  std::optional<unsigned> repeat;
  std::optional<std::vector<std::string>> on;
  std::optional<std::vector<std::string>> schemes;
  std::optional<std::vector<std::string>> mismatches;
  Format format = Format::table;
  std::optional<std::string> output;
  std::vector<std::string_view> operands;
};

unsigned count(std::string_view option, std::string_view text, unsigned most) {
  return static_cast<unsigned>(integer_argument(option, text, 1, most));
}

unsigned count_or_none(std::string_view option, std::string_view text, unsigned most) {
  return static_cast<unsigned>(integer_argument(option, text, 0, most));
}

Format format_argument(std::string_view text) {
  const std::string name = choice_argument("--format", text, kFormats);
  return static_cast<Format>(std::find(kFormats.begin(), kFormats.end(), name) - kFormats.begin());
}

/// The option that getopt_long has just refused, as it was written.
std::string refused_option(std::span<char*> arguments) {
  const std::string_view word = arguments[static_cast<std::size_t>(optind) - 1];
  if (word.starts_with("--")) return std::string(word);
  return fmt::format("-{}", static_cast<char>(optopt));
}

void take(Given& given, int option, const char* value, std::span<char*> arguments) {
  switch (option) {
    case 't':
      given.threads = count("-t", value, kThreadsMax);
      break;
    case 'r':
      given.runtime_s = seconds_argument("-r", value);
      break;
    case 'f':
      given.futexes = count("-f", value, INT_MAX);
      break;
    case 'b':
      given.buckets = buckets_argument("-b", value);
      break;
    case 'I':
      given.immutable = true;
      break;
    case 'S':
      given.shared = true;
      break;
    case 'm':
      given.mlockall = true;
      break;
    case 's':
      given.silent = true;
      break;
    case kOn:
      given.on = list_argument("--on", value, kMachines);
      break;
    case kScheme:
      given.schemes = list_argument("--scheme", value, bench::engine_schemes());
      break;
    case kMismatch:
      given.mismatches = list_argument("--mismatch", value, bench::engine_mismatches());
      break;
    case kRate:
      given.rate = count_or_none("--rate", value, kRateMax);
      break;
    case kSleepers:
      given.sleepers = count_or_none("--sleepers", value, kThreadsMax);
      break;
    case kRepeat:
      given.repeat = count("--repeat", value, kRepeatMax);
      break;
    case kFormat:
      given.format = format_argument(value);
      break;
    case 'o':
      given.output = value;
      break;
    case 'h':
      given.help = true;
      break;
    case ':':
      throw Failure(
          fmt::format("{}: needs a value; see phutex bench --help", refused_option(arguments)));
    default:
      throw Failure(fmt::format("{}: no such option, or not unique; see phutex bench --help",
                                refused_option(arguments)));
  }
}

Given read_command_line(std::span<char*> arguments) {
  // getopt_long moves the operands behind the options and wants a null at the end.
  std::vector<char*> words(arguments.begin(), arguments.end());
  words.push_back(nullptr);
  const int word_count = static_cast<int>(arguments.size());
  Given given;
  opterr = 0;
  optind = 0;
  for (;;) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no other threads yet
    const int option = getopt_long(word_count, words.data(), kLetters, kOptions.data(), nullptr);
    if (option == -1) break;
    take(given, option, optarg, words);
  }
  given.operands.assign(words.begin() + optind, words.end() - 1);
  return given;
}

std::string workload_of(const Given& given) {
  const std::string_view workload = given.operands.front();
  if (std::find(kWorkloads.begin(), kWorkloads.end(), workload) == kWorkloads.end()) {
    throw Failure(
        fmt::format("{}: no such workload; known: {}", workload, fmt::join(kWorkloads, ", ")));
  }
  if (given.operands.size() > 1) {
    throw Failure(fmt::format("{}: one workload at a time; leave it out", given.operands[1]));
  }
  return std::string(workload);
}

/// Both, unless what was asked for is the kernel's alone.
std::vector<std::string> machines_of(const Given& given) {
  if (given.on) return *given.on;
  if (given.shared || given.format == Format::perf) return {std::string(bench::kOnKernel)};
  return {kMachines.begin(), kMachines.end()};
}

bool has(const std::vector<std::string>& list, std::string_view one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

/// What only the workload resize takes is not for the others, and the other way round.
void check_resize(const Given& given, std::string_view workload) {
  if (workload != bench::kResize) {
    if (!given.rate && !given.sleepers) return;
    throw Failure(fmt::format("{}: only the workload resize replaces the hash; leave it out",
                              given.rate ? "--rate" : "--sleepers"));
  }
  if (given.immutable) throw Failure("-I: resize replaces the hash again and again; leave it out");
  if (given.shared)
    throw Failure("-S: shared futexes use the global hash, which stays; leave it out");
  if (given.format == Format::perf) {
    throw Failure("--format perf: perf has no workload resize; table, json and csv are right");
  }
  if (given.buckets && *given.buckets < bench::kResizeBucketsMin) {
    throw Failure(
        fmt::format("-b {}: resize takes turns between so many buckets and half of them; "
                    "a power of two from {} is right",
                    *given.buckets, bench::kResizeBucketsMin));
  }
  for (const std::string& scheme : given.schemes.value_or(std::vector<std::string>{})) {
    if (bench::is_replaceable(scheme)) continue;
    throw Failure(
        fmt::format("--scheme {}: a table of this scheme is never replaced; leave it out", scheme));
  }
}

void check_engines(const bench::Choices& choices) {
  for (const std::string& scheme : choices.schemes)
    for (const std::string& mismatch : choices.mismatches) {
      if (bench::has_engine(scheme, mismatch)) continue;
      throw Failure(fmt::format("--mismatch {}: is not there for the scheme {}; it is for fixed and {}",
                                mismatch, scheme, bench::kDefaultScheme));
    }
}

void check_together(const Given& given, const std::vector<std::string>& on,
                    std::string_view workload) {
  const bool has_engine = has(on, bench::kOnEngine);
  check_resize(given, workload);
  if (given.shared && has_engine) {
    throw Failure("-S: the engine does private futexes only; use --on kernel with it");
  }
  if ((given.schemes || given.mismatches) && !has_engine) {
    throw Failure(fmt::format("{}: the kernel has one of its own; use --on engine with it",
                              given.schemes ? "--scheme" : "--mismatch"));
  }
  if (given.futexes && workload == bench::kWaitWake) {
    throw Failure("-f: all threads of wait-wake share one futex; leave it out");
  }
}

/// One CPU is for the thread that replaces the hash.
unsigned threads_default(std::string_view workload) {
  const auto cpus = static_cast<unsigned>(bench::allowed_cpus().size());
  return workload == bench::kResize ? std::max(1U, cpus - 1) : cpus;
}

unsigned threads_of(const Given& given, std::string_view workload) {
  const unsigned threads = given.threads.value_or(threads_default(workload));
  return workload == bench::kWaitWake ? std::max(kWaitWakeThreadsMin, threads) : threads;
}

/// Words that do not fit in the machine would be written to until the kernel kills somebody.
void check_memory(const bench::SampleSpec& spec) {
  const double needed = 4.0 * spec.threads * spec.futexes;
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed < present) return;
  throw Failure(
      fmt::format("-f {}: {} threads with as many futexes each need {:.0f} MiB and the "
                  "machine has {:.0f}; ask for fewer",
                  spec.futexes, spec.threads, needed / 0x1p20, present / 0x1p20));
}

std::vector<std::string> or_default(const std::optional<std::vector<std::string>>& given,
                                    std::string_view fallback) {
  return given.value_or(std::vector<std::string>{std::string(fallback)});
}

bench::ResizeSpec resize_of(const Given& given) {
  bench::ResizeSpec spec;
  spec.rate = given.rate.value_or(spec.rate);
  spec.sleepers = given.sleepers.value_or(spec.sleepers);
  return spec;
}

}  // namespace

BenchOptions parse_bench(std::span<char*> arguments) {
  const Given given = read_command_line(arguments);
  BenchOptions options;
  if (given.help || given.operands.empty()) {
    options.wish = given.help ? Wish::help : Wish::list_workloads;
    return options;
  }
  const bool is_perf = given.format == Format::perf;
  bench::SampleSpec& common = options.common;
  common.workload = workload_of(given);
  options.choices.on = machines_of(given);
  options.choices.schemes = or_default(given.schemes, bench::kDefaultScheme);
  options.choices.mismatches = or_default(given.mismatches, bench::kDefaultMismatch);
  check_together(given, options.choices.on, common.workload);
  check_engines(options.choices);
  common.threads = threads_of(given, common.workload);
  common.futexes =
      common.workload == bench::kWaitWake ? 1 : given.futexes.value_or(kFutexesDefault);
  common.buckets = given.buckets.value_or(bench::kBucketsAsTheyAre);
  if (common.workload == bench::kResize) {
    common.buckets = given.buckets.value_or(kResizeBucketsDefault);
    common.resize = resize_of(given);
  }
  common.is_immutable = given.immutable;
  common.is_shared = given.shared;
  common.locks_memory = given.mlockall;
  common.runtime_s = given.runtime_s.value_or(is_perf ? kPerfRuntimeDefault : kRuntimeDefault);
  check_memory(common);
  options.rounds = given.repeat.value_or(is_perf ? kPerfRepeatDefault : kRepeatDefault);
  options.talk = given.silent ? bench::Talk::silent : bench::Talk::usual;
  options.format = given.format;
  options.output = given.output;
  return options;
}

bench::Plan plan_of(const BenchOptions& options) {
  return {.rows = bench::rows_of(options.common, options.choices),
          .rounds = options.rounds,
          .seed = std::random_device{}()};
}

std::string bench_workloads() {
  return "workloads of phutex bench:\n"
         "  hash       waits that cannot sleep: what finding and locking a bucket costs\n"
         "  wait-wake  threads that fight for one lock: waits that race with wakes\n"
         "  resize     hash while the hash is replaced: throughput and stops, with and without\n"
         "\n"
         "phutex bench --help lists the options.\n";
}

std::string bench_help() {
  const std::string workloads = bench_workloads();
  return fmt::format(
      R"(usage: phutex bench <workload> [options]

{}
options:
  -t, --threads N      threads (default: the CPUs allowed; wait-wake has at least 2, resize
                       leaves one CPU to the thread that replaces the hash)
  -r, --runtime S      seconds a sample takes (default: {}; {} with --format perf)
  -f, --futexes N      futexes of each thread (default: {}; wait-wake has one for all)
  -b, --buckets N      size of the hash: a power of two, or 0 for the global hash
                       (default: left as it is; resize takes turns between N, by
                       default {}, and half of it)
  -I, --immutable      a hash that is never replaced
  -S, --shared         shared futexes, on the kernel only
  -m, --mlockall       lock all memory first
  -s, --silent         no progress, no warnings, no lines for threads in perf's format
      --on LIST        what is measured, of {}
                       (default: both; kernel with -S or --format perf)
      --scheme LIST    how the engine counts the users of its table, of
                       {} (default: {})
      --mismatch LIST  when the engine compares the word, of
                       {} (default: {})
      --rate N         replacements a second that resize tries to make, 0 for as many as can
                       be (default: {})
      --sleepers N     threads that are asleep while resize runs, and are moved with each
                       replacement (default: {})
      --repeat N       samples of each combination (default: {}; {} with --format perf)
      --format F       {} (default: table)
  -o, --output FILE    where the report goes (default: standard output)
  -h, --help           this text

LISTs are separated by commas. Everything listed runs interleaved, each sample in a process of
its own. Ratios are to the first combination.
)",
      workloads.substr(0, workloads.find("\n\n") + 1), kRuntimeDefault, kPerfRuntimeDefault,
      kFutexesDefault, kResizeBucketsDefault, fmt::join(kMachines, ","),
      fmt::join(bench::engine_schemes(), ","), bench::kDefaultScheme,
      fmt::join(bench::engine_mismatches(), ","), bench::kDefaultMismatch, bench::ResizeSpec{}.rate,
      bench::ResizeSpec{}.sleepers, kRepeatDefault, kPerfRepeatDefault, fmt::join(kFormats, "|"));
}

}  // namespace phutex::cli
