// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One run in each format: what people see, and what programs find in it.

#include "bench/report.hpp"

#include <algorithm>
#include <cerrno>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phutex::bench {
namespace {

using Json = nlohmann::json;

/// A sample of two threads that ran for one second.
SampleResult sample(std::uint64_t first, std::uint64_t second, long before, long after) {
  return {.threads = {{first, 0x1000, 0x1ffc}, {second, 0x2000, 0x2ffc}},
          .elapsed_s = 1,
          .buckets_before = before,
          .buckets_after = after,
          .pid = 4711};
}

Row kernel_row(std::vector<SampleResult> samples) {
  return {{.threads = 2, .futexes = 1024, .runtime_s = 0.5}, "kernel", std::move(samples)};
}

Row engine_row(std::vector<SampleResult> samples) {
  return {{.on = "engine",
           .scheme = "fixed",
           .mismatch = "locked",
           .threads = 2,
           .futexes = 1024,
           .buckets = 64,
           .runtime_s = 0.5},
          "engine fixed locked",
          std::move(samples)};
}

/// Two rounds, in which the engine is exactly twice as fast.
Run complete_run() {
  return {.rows = {kernel_row({sample(1'000'000, 1'000'200, 16, 16), sample(500, 700, 16, 32)}),
                   engine_row({sample(2'000'000, 2'000'400, 64, 64), sample(1000, 1400, 64, 64)})},
          .rounds = 2,
          .seed = 99,
          .order = {1, 0, 0, 1}};
}

Run run_of(Row row) {
  const std::vector<std::size_t> order(row.samples.size(), 0);
  return {.rows = {std::move(row)}, .rounds = 1, .seed = 1, .order = order};
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::size_t matches(const std::string& text, const char* pattern) {
  const std::regex compiled(pattern);
  return static_cast<std::size_t>(std::distance(
      std::sregex_iterator(text.begin(), text.end(), compiled), std::sregex_iterator()));
}

TEST(TableReport, SaysWhatRanOnHowManyBucketsAndHowItCompares) {
  EXPECT_EQ(
      table_report(complete_run()),
      "hash: 2 threads, 1024 private futexes each, 0.5 s a sample, 2 samples a row (seed 99)\n"
      "kernel: 16 slots before, 16 to 32 slots after (chosen by the kernel)\n"
      "engine fixed locked: 64 buckets before and after (set by -b)\n"
      "\n"
      "ops/s per thread        median       mean    ± rse  ratio to kernel [95 %]\n"
      "kernel                 500,350    500,350  99.88 %  1\n"
      "engine fixed locked  1,000,700  1,000,700  99.88 %  2.000 [2.000, 2.000]\n");
}

TEST(TableReport, ShowsADashForWhatOneSampleCannotSay) {
  auto run = complete_run();
  for (Row& row : run.rows) row.samples.resize(1);
  run.order = {1, 0};
  const std::string table = table_report(run);
  EXPECT_NE(table.find("1,000,100      -  1\n"), std::string::npos) << table;
  EXPECT_NE(table.find("2,000,200      -  2.000 [-, -]\n"), std::string::npos) << table;
}

TEST(TableReport, OfAnInterruptedRunHasWhatThereIs) {
  auto run = complete_run();
  run.rows[1].samples.clear();
  run.rows[0].samples.resize(1);
  run.order = {0};
  run.signal = 2;
  const std::string table = table_report(run);
  EXPECT_NE(table.find("engine fixed locked          -          -      -  -\n"), std::string::npos)
      << table;
  EXPECT_NE(table.find("interrupted after 1 of 4 samples\n"), std::string::npos) << table;
}

TEST(BucketsLine, NamesTheGlobalHash) {
  EXPECT_EQ(buckets_line(kernel_row({sample(1, 1, 0, 0)})),
            "kernel: global hash before and after (chosen by the kernel)");
  Row shared = kernel_row({sample(1, 1, 16, 16)});
  shared.spec.is_shared = true;
  EXPECT_EQ(buckets_line(shared), "kernel: global hash (shared futexes)");
}

TEST(PerfReport, OfHashIsPerfsText) {
  EXPECT_EQ(perf_report(run_of(kernel_row({sample(10, 30, 16, 16)})), Talk::usual),
            "# Running 'futex/hash' benchmark:\n"
            "Run summary [PID 4711]: 2 threads, each operating on 1024 [private] futexes for 0.5 "
            "secs.\n"
            "\n"
            "[thread  0] futexes: 0x1000 ... 0x1ffc [ 10 ops/sec ]\n"
            "[thread  1] futexes: 0x2000 ... 0x2ffc [ 30 ops/sec ]\n"
            "\n"
            "Averaged 20 operations/sec (+- 50.00%), total secs = 0.5\n"
            "Futex hashing: auto resized to 16 buckets\n");
}

TEST(PerfReport, OfOneFutexAndInSilence) {
  Row row = kernel_row({sample(10, 10, 0, 0)});
  row.spec.futexes = 1;
  row.spec.is_shared = true;
  row.spec.runtime_s = 10;
  const std::string text = perf_report(run_of(row), Talk::usual);
  EXPECT_NE(text.find("on 1 [shared] futexes for 10 secs.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[thread  0] futex: 0x1000 [ 10 ops/sec ]\n"), std::string::npos) << text;
  EXPECT_EQ(perf_report(run_of(row), Talk::silent),
            "# Running 'futex/hash' benchmark:\n"
            "Run summary [PID 4711]: 2 threads, each operating on 1 [shared] futexes for 10 secs.\n"
            "\n"
            "Averaged 10 operations/sec (+- 0.00%), total secs = 10\n"
            "Futex hashing: global hash\n");
}

TEST(PerfReport, OfWaitWakeIsPerfsText) {
  Row row = kernel_row({sample(10, 30, 16, 16)});
  row.spec.workload = kWaitWake;
  row.spec.runtime_s = 10;
  row.spec.buckets = 16;
  EXPECT_EQ(perf_report(run_of(row), Talk::usual),
            "# Running 'futex/wait-wake' benchmark:\n"
            "Run summary [PID 4711]: 2 threads, each operating on a private futex for 10 secs.\n"
            "\n"
            "[thread   0] 10 ops/sec\n"
            "[thread   1] 30 ops/sec\n"
            "\n"
            "Averaged 20 operations/sec (+- 50.00%), total secs = 10\n"
            "Futex hashing: 16 hash buckets\n");
}

// The patterns by which lkp-tests and mmtests read perf's text.
TEST(PerfReport, IsReadByWhatReadsPerf) {
  const std::string text = perf_report(complete_run(), Talk::usual);
  EXPECT_EQ(matches(text, R"(Averaged ([\d.]+) operations\/sec \(\+- ([\d.]+)%\))"), 4U) << text;
  EXPECT_EQ(matches(text, R"(futexes:.* \[ ([0-9]+) ops\/sec)"), 8U) << text;
  EXPECT_EQ(matches(text, "# on engine fixed locked\n"), 2U) << text;
  EXPECT_LT(text.find("# on engine"), text.find("# on kernel")) << "in the order taken";
}

TEST(PerfReport, SaysThatAHashIsImmutable) {
  Row row = engine_row({sample(1, 1, 64, 64)});
  row.samples[0].is_immutable = true;
  EXPECT_NE(perf_report(run_of(row), Talk::usual).find("64 hash buckets (immutable)\n"),
            std::string::npos);
}

TEST(JsonReport, HoldsEverySampleAndWhatFollowsFromThem) {
  const Json json = Json::parse(json_report(complete_run(), this_host()));
  EXPECT_EQ(json.at("schema"), "phutex-bench/1");
  EXPECT_FALSE(json.at("host").at("kernel_release").get<std::string>().empty());
  EXPECT_GE(json.at("host").at("cpus_online"), 1);
  EXPECT_EQ(json.at("host").at("date").get<std::string>().size(), 20U);
  EXPECT_EQ(json.at("seed"), 99);
  const Json& kernel = json.at("results").at(0);
  EXPECT_EQ(kernel.at("on"), "kernel");
  EXPECT_EQ(kernel.at("scheme"), "-");
  EXPECT_TRUE(kernel.at("buckets").is_null());
  EXPECT_EQ(kernel.at("buckets_before"), 16);
  EXPECT_EQ(kernel.at("buckets_after"), 32);
  const Json& engine = json.at("results").at(1);
  EXPECT_EQ(engine.at("workload"), "hash");
  EXPECT_EQ(engine.at("buckets"), 64);
  EXPECT_EQ(engine.at("immutable"), false);
  EXPECT_EQ(engine.at("unit"), "ops/s per thread");
  EXPECT_EQ(engine.at("samples"), (Json{2'000'200.0, 1200.0}));
  EXPECT_EQ(engine.at("samples_by_thread").at(1), (Json{1000.0, 1400.0}));
  EXPECT_EQ(engine.at("median"), 1'000'700.0);
  EXPECT_EQ(engine.at("ci95").size(), 2U);
  const Json& ratio = json.at("ratios").at(0);
  EXPECT_EQ(ratio.at("of"), "engine fixed locked");
  EXPECT_EQ(ratio.at("to"), "kernel");
  EXPECT_NEAR(ratio.at("ratio").get<double>(), 2, 1e-9);
  EXPECT_NEAR(ratio.at("ci95").at(1).get<double>(), 2, 1e-9);
}

TEST(JsonReport, HasNullForWhatIsNotKnown) {
  auto run = complete_run();
  run.rows[0].samples.resize(1);
  run.rows[1].samples.clear();
  run.order = {0};
  run.signal = 2;
  const Json json = Json::parse(json_report(run, this_host()));
  EXPECT_EQ(json.at("interrupted"), true);
  EXPECT_TRUE(json.at("results").at(0).at("ci95").is_null());
  EXPECT_TRUE(json.at("results").at(0).at("rse_pct").is_null());
  EXPECT_TRUE(json.at("results").at(1).at("mean").is_null());
  EXPECT_TRUE(json.at("results").at(1).at("buckets_after").is_null());
  EXPECT_TRUE(json.at("ratios").at(0).at("ratio").is_null());
}

TEST(CsvReport, HasOneLineASampleInTheOrderTaken) {
  const std::string text = csv_report(complete_run());
  EXPECT_EQ(lines_of(text), 5U);
  const std::size_t commas = matches(text.substr(0, text.find('\n')), ",");
  EXPECT_EQ(matches(text, ","), 5 * commas);
  EXPECT_NE(text.find("\n1,1,engine fixed locked,hash,engine,fixed,locked,2,1024,0,64,0,0.5,"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n3,2,kernel,hash,kernel,-,-,2,1024,0,,0,0.5,1.000000,16,32,0,600.00\n"),
            std::string::npos)
      << text;
}

TEST(UnexpectedLine, IsThereOnlyForResultsThatShouldNotBe) {
  auto run = complete_run();
  EXPECT_FALSE(unexpected_line(run).has_value());
  run.rows[1].samples[0].unexpected = 2;
  run.rows[1].samples[0].unexpected_first = EINTR;
  run.rows[1].samples[1].unexpected = 1;
  EXPECT_EQ(unexpected_line(run).value(),
            "engine fixed locked: 3 calls gave a result that hash does not expect, the first: "
            "Interrupted system call");
}

}  // namespace
}  // namespace phutex::bench
