// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/report_resize.hpp"

// The parts of resize's reports that programs read.

#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phutex::bench {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json json_of(const std::optional<Ratio>& ratio) {
  if (!ratio) return nullptr;
  const std::optional<Interval>& bounds = ratio->interval;
  return {{"ratio", ratio->ratio},
          {"ci95", bounds ? Json::array({bounds->low, bounds->high}) : Json(nullptr)}};
}

/// By sample, for each percentile and the largest stop.
Json latencies_of(const Row& row, PhaseResult ResizeResult::*phase) {
  Json json = Json::object();
  const auto add = [&](const char* name, const auto& number_of) {
    Json& each = json[name] = Json::array();
    for (const SampleResult& sample : row.samples) {
      const std::optional<Latency>& latency = ((*sample.resize).*phase).latency;
      each.push_back(latency ? Json(number_of(*latency)) : Json(nullptr));
    }
  };
  for (std::size_t index = 0; index < kPercentileNames.size(); ++index) {
    add(kPercentileNames[index],
        [&](const Latency& latency) { return latency.percentiles_ns[index]; });
  }
  add("max", [](const Latency& latency) { return latency.max_ns; });
  return json;
}

Json phase_json(const Row& row, const PhaseSummary& summary, PhaseResult ResizeResult::*phase) {
  Json operations = Json::array();
  for (const SampleResult& sample : row.samples) {
    operations.push_back(((*sample.resize).*phase).operations);
  }
  return {{"samples", summary.samples},
          {"operations", std::move(operations)},
          {"latency_ns", latencies_of(row, phase)}};
}

Json replacements_json(const Row& row) {
  Json json = {{"made", Json::array()},
               {"per_s", Json::array()},
               {"median_ns", Json::array()},
               {"max_ns", Json::array()}};
  for (const SampleResult& sample : row.samples) {
    const Replacements& replacements = sample.resize->replacements;
    json["made"].push_back(replacements.made);
    json["per_s"].push_back(rate_of(replacements));
    json["median_ns"].push_back(or_null(replacements.median_ns));
    json["max_ns"].push_back(or_null(replacements.max_ns));
  }
  return json;
}

std::string field(const std::optional<double>& number) {
  return number ? fmt::format(",{:.1f}", *number) : ",";
}

std::string phase_fields(const PhaseResult& phase) {
  std::string text = fmt::format(",{:.2f}", mean_rate(phase));
  for (std::size_t index = 0; index < kPercentileParts.size(); ++index) {
    text += phase.latency ? field(phase.latency->percentiles_ns[index]) : ",";
  }
  return text + (phase.latency ? field(phase.latency->max_ns) : ",");
}

}  // namespace

Json resize_json(const Row& row) {
  const ResizeSummary summary = resize_summary_of(row);
  Json missed = Json::array();
  for (const SampleResult& sample : row.samples) missed.push_back(sample.resize->sleepers_missed);
  return {{"rate", row.spec.resize->rate},
          {"sleepers", row.spec.resize->sleepers},
          {"sleepers_missed", std::move(missed)},
          {"undisturbed", phase_json(row, summary.undisturbed, &ResizeResult::undisturbed)},
          {"disturbed", phase_json(row, summary.disturbed, &ResizeResult::disturbed)},
          {"disturbed_to_undisturbed", json_of(summary.ratio)},
          {"replacements", replacements_json(row)}};
}

std::string resize_csv_heading() {
  std::string text =
      ",rate,sleepers,sleepers_missed,replacements,replacements_per_s,replacement_median_ns,"
      "replacement_max_ns";
  for (const char* phase : {"undisturbed", "disturbed"}) {
    text += fmt::format(",{}_ops_per_s_per_thread", phase);
    for (const char* name : kPercentileNames) text += fmt::format(",{}_{}_pct_ns", phase, name);
    text += fmt::format(",{}_max_ns", phase);
  }
  return text;
}

std::string resize_csv_fields(const ResizeSpec& spec, const ResizeResult& result) {
  const Replacements& replacements = result.replacements;
  return fmt::format(",{},{},{},{},{:.2f}", spec.rate, spec.sleepers, result.sleepers_missed,
                     replacements.made, rate_of(replacements)) +
         field(replacements.median_ns) + field(replacements.max_ns) +
         phase_fields(result.undisturbed) + phase_fields(result.disturbed);
}

}  // namespace phutex::bench
