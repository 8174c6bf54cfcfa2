// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What people and programs are told of a hash that was replaced.

#include "bench/report_resize.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/report.hpp"
#include "bench/text_table.hpp"

namespace phutex::bench {
namespace {

using Json = nlohmann::json;

/// With `factor` 1: 2000 operations a second, half as many disturbed, stops of 3 and 7 ms.
SampleResult sample(double factor) {
  SampleResult result{.threads = {{3000, 0x1000, 0x1ffc}},
                      .elapsed_s = 2,
                      .buckets_before = 1024,
                      .buckets_after = 512,
                      .pid = 1};
  result.resize = ResizeResult{
      .undisturbed = {2000, {2000 * factor}, Latency{{20, 21, 22, 23, 24}, 3e6 * factor}},
      .disturbed = {1000, {1000 * factor}, Latency{{30, 31, 32, 33, 34e3}, 7e6 * factor}},
      .replacements = {.made = 50, .elapsed_s = 0.5, .median_ns = 2500, .max_ns = 9e6 * factor}};
  return result;
}

Run run_of(std::vector<SampleResult> samples) {
  const std::vector<std::size_t> order(samples.size(), 0);
  Row row{{.workload = std::string(kResize),
           .threads = 1,
           .futexes = 8,
           .buckets = 1024,
           .resize = ResizeSpec{100, 5}},
          "kernel",
          std::move(samples)};
  return {.rows = {std::move(row)}, .rounds = 2, .seed = 9, .order = order};
}

TEST(ResizeReport, ShowsBothPhasesStopsAndReplacements) {
  EXPECT_EQ(table_report(run_of({sample(1), sample(1.5)})),
            "resize: 1 thread, 8 private futexes each, 100 replacements a second, 512 and 1024 "
            "buckets in turn, 5 sleepers, 1 s a sample, 2 samples a row (seed 9)\n"
            "kernel: 1024 slots before, 512 slots after (set by -b)\n"
            "\n"
            "ops/s per thread, disturbed  median   mean    ± rse  ratio to kernel [95 %]\n"
            "kernel                        1,250  1,250  20.00 %  1\n"
            "\n"
            "ops/s per thread  undisturbed  disturbed  disturbed to undisturbed [95 %]\n"
            "kernel                  2,500      1,250  0.500 [0.500, 0.500]\n"
            "\n"
            "latency                 50 %     90 %     99 %   99.9 %  99.99 %  largest stop\n"
            "kernel, undisturbed  20.0 ns  21.0 ns  22.0 ns  23.0 ns  24.0 ns       4.50 ms\n"
            "kernel, disturbed    30.0 ns  31.0 ns  32.0 ns  33.0 ns  34.0 µs       10.5 ms\n"
            "\n"
            "replacements  made  per second   median      max\n"
            "kernel         100       100.0  2.50 µs  13.5 ms\n"
            "\n"
            "disturbed: while the hash was replaced; undisturbed: the same threads, the other half "
            "of the time\n");
}

TEST(ResizeReport, ShowsADashForWhatThereIsNot) {
  SampleResult nothing = sample(1);
  nothing.resize->disturbed = {};
  nothing.resize->replacements = {};
  const std::string table = table_report(run_of({nothing}));
  EXPECT_NE(table.find("kernel, disturbed          -        -        -        -        -"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("kernel           0         0.0       -    -\n"), std::string::npos)
      << table;
  EXPECT_NE(table_report(run_of({})).find("kernel           0           -       -    -\n"),
            std::string::npos);
}

TEST(ResizeReport, GivesProgramsEverySample) {
  const Json json = Json::parse(json_report(run_of({sample(1), sample(1.5)}), this_host()));
  const Json& row = json.at("results").at(0);
  EXPECT_EQ(row.at("samples"), (Json{1000.0, 1500.0}));
  const Json& resize = row.at("resize");
  EXPECT_EQ(resize.at("rate"), 100);
  EXPECT_EQ(resize.at("sleepers"), 5);
  EXPECT_EQ(resize.at("sleepers_missed"), (Json{0, 0}));
  EXPECT_EQ(resize.at("undisturbed").at("samples"), (Json{2000.0, 3000.0}));
  EXPECT_EQ(resize.at("undisturbed").at("operations"), (Json{2000, 2000}));
  EXPECT_EQ(resize.at("disturbed").at("latency_ns").at("99.99"), (Json{34e3, 34e3}));
  EXPECT_EQ(resize.at("disturbed").at("latency_ns").at("max"), (Json{7e6, 10.5e6}));
  EXPECT_NEAR(resize.at("disturbed_to_undisturbed").at("ratio").get<double>(), 0.5, 1e-9);
  EXPECT_NEAR(resize.at("disturbed_to_undisturbed").at("ci95").at(1).get<double>(), 0.5, 1e-9);
  EXPECT_EQ(resize.at("replacements").at("made"), (Json{50, 50}));
  EXPECT_EQ(resize.at("replacements").at("per_s"), (Json{100.0, 100.0}));
  EXPECT_EQ(resize.at("replacements").at("max_ns"), (Json{9e6, 13.5e6}));
}

TEST(ResizeReport, GivesSpreadsheetsACellForEachHeading) {
  SampleResult nothing = sample(1);
  nothing.resize->disturbed = {};
  nothing.resize->replacements = {};
  const std::string text = csv_report(run_of({sample(1), nothing}));
  const std::size_t heading_end = text.find('\n');
  const auto commas = std::count(text.begin(), text.begin() + static_cast<long>(heading_end), ',');
  EXPECT_EQ(std::count(text.begin(), text.end(), ','), 3 * commas) << text;
  EXPECT_NE(
      text.find(",1000.00,100,5,0,50,100.00,2500.0,9000000.0,2000.00,20.0,21.0,22.0,23.0,24.0,"
                "3000000.0,1000.00,30.0,31.0,32.0,33.0,34000.0,7000000.0\n"),
      std::string::npos)
      << text;
}

TEST(MissedLine, IsThereOnlyIfASleeperWasLost) {
  auto run = run_of({sample(1), sample(1)});
  EXPECT_FALSE(missed_line(run).has_value());
  run.rows[0].samples[1].resize->sleepers_missed = 2;
  EXPECT_EQ(missed_line(run).value(),
            "LOST WAKE-UP on kernel: 2 of 5 sleepers in each of 2 samples were not there to be "
            "woken after the replacements");
}

// The short run before the samples is not reported, but what it lost is.
TEST(MissedLine, CountsTheRehearsal) {
  auto run = run_of({});
  run.rows[0].rehearsal = sample(1);
  EXPECT_FALSE(missed_line(run).has_value());
  run.rows[0].rehearsal->resize->sleepers_missed = 1;
  EXPECT_TRUE(missed_line(run).has_value());
}

TEST(DurationCell, HasThreeDigitsInTheUnitThatSuits) {
  EXPECT_EQ(duration_cell(0), "0.00 ns");
  EXPECT_EQ(duration_cell(999.4), "999 ns");
  EXPECT_EQ(duration_cell(999.6), "1.00 µs");
  EXPECT_EQ(duration_cell(99'960), "100 µs");
  EXPECT_EQ(duration_cell(12'345'678), "12.3 ms");
  EXPECT_EQ(duration_cell(5e12), "5000 s");
  EXPECT_EQ(duration_cell(std::nullopt), "-");
}

}  // namespace
}  // namespace phutex::bench
