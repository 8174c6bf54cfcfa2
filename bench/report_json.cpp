// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/report.hpp"

// The report for programs: one document, schema phutex-bench/1. What is not known is null.

#include <cstddef>

#include <nlohmann/json.hpp>

#include "bench/report_resize.hpp"

namespace phutex::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "phutex-bench/1";

Json or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json or_null(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

Json json_of(const Host& host) {
  return {{"kernel_release", host.kernel_release},
          {"architecture", host.architecture},
          {"cpu_model", host.cpu_model.empty() ? Json(nullptr) : Json(host.cpu_model)},
          {"cpus_online", host.cpus_online},
          {"cpus_allowed", host.cpus_allowed},
          {"date", host.date}};
}

template <class Member>
Json each_of(const Row& row, Member member) {
  Json values = Json::array();
  for (const SampleResult& sample : row.samples) values.push_back(sample.*member);
  return values;
}

Json rates_of(const Row& row) {
  Json values = Json::array();
  for (const SampleResult& sample : row.samples) values.push_back(rates(sample));
  return values;
}

Json json_of(const Row& row, const RowSummary& summary) {
  const SampleSpec& spec = row.spec;
  const bool is_empty = row.samples.empty();
  Json json = {
      {"name", row.name},
      {"workload", spec.workload},
      {"on", spec.on},
      {"scheme", spec.scheme},
      {"mismatch", spec.mismatch},
      {"threads", spec.threads},
      {"futexes", spec.futexes},
      {"shared", spec.is_shared},
      {"buckets", spec.buckets < 0 ? Json(nullptr) : Json(spec.buckets)},
      {"immutable", is_empty ? spec.is_immutable : row.samples.front().is_immutable},
      {"buckets_before", is_empty ? Json(nullptr) : Json(row.samples.front().buckets_before)},
      {"buckets_after", is_empty ? Json(nullptr) : Json(row.samples.back().buckets_after)},
      {"runtime_s", spec.runtime_s},
      {"elapsed_s", each_of(row, &SampleResult::elapsed_s)},
      {"unexpected", each_of(row, &SampleResult::unexpected)},
      {"unit", kUnit},
      {"samples", summary.samples},
      {"samples_by_thread", rates_of(row)},
      {"mean", or_null(summary.mean)},
      {"median", or_null(summary.median)},
      {"rse_pct", or_null(summary.rse_pct)},
      {"ci95", or_null(summary.interval)},
  };
  if (spec.resize) json["resize"] = resize_json(row);
  return json;
}

}  // namespace

std::string json_report(const Run& run, const Host& host) {
  const std::vector<RowSummary> summaries = summaries_of(run);
  Json results = Json::array();
  Json ratios = Json::array();
  for (std::size_t index = 0; index < run.rows.size(); ++index) {
    const std::optional<Ratio>& ratio = summaries[index].to_first;
    results.push_back(json_of(run.rows[index], summaries[index]));
    if (index == 0) continue;
    ratios.push_back({{"of", run.rows[index].name},
                      {"to", run.rows.front().name},
                      {"ratio", ratio ? Json(ratio->ratio) : Json(nullptr)},
                      {"ci95", ratio ? or_null(ratio->interval) : Json(nullptr)}});
  }
  Json order = Json::array();
  for (const std::size_t row : run.order) order.push_back(run.rows[row].name);
  const Json document = {{"schema", kSchema},
                         {"host", json_of(host)},
                         {"seed", run.seed},
                         {"repeat", run.rounds},
                         {"interrupted", run.signal != 0},
                         {"order", std::move(order)},
                         {"results", std::move(results)},
                         {"ratios", std::move(ratios)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace phutex::bench
