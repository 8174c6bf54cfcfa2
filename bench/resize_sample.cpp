// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/resize_sample.hpp"

#include <numeric>

#include <nlohmann/json.hpp>

namespace phutex::bench {
namespace {

using Json = nlohmann::json;

Json or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

std::optional<double> number_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

Json json_of(const PhaseResult& phase) {
  Json json{{"operations", phase.operations}, {"rates", phase.rates}, {"latency", nullptr}};
  if (phase.latency) {
    json["latency"] = {{"percentiles_ns", phase.latency->percentiles_ns},
                       {"max_ns", phase.latency->max_ns}};
  }
  return json;
}

PhaseResult phase_of(const Json& json) {
  PhaseResult phase{.operations = json.at("operations").get<std::uint64_t>(),
                    .rates = json.at("rates").get<std::vector<double>>()};
  if (const Json& latency = json.at("latency"); !latency.is_null()) {
    phase.latency = Latency{latency.at("percentiles_ns").get<decltype(Latency::percentiles_ns)>(),
                            latency.at("max_ns").get<double>()};
  }
  return phase;
}

}  // namespace

double mean_rate(const PhaseResult& phase) {
  if (phase.rates.empty()) return 0;
  return std::accumulate(phase.rates.begin(), phase.rates.end(), 0.0) /
         static_cast<double>(phase.rates.size());
}

double rate_of(const Replacements& replacements) {
  if (!(replacements.elapsed_s > 0)) return 0;
  return static_cast<double>(replacements.made) / replacements.elapsed_s;
}

Json json_of(const ResizeSpec& spec) {
  return {{"rate", spec.rate}, {"sleepers", spec.sleepers}};
}

Json json_of(const ResizeResult& result) {
  const Replacements& replacements = result.replacements;
  return {{"undisturbed", json_of(result.undisturbed)},
          {"disturbed", json_of(result.disturbed)},
          {"replacements",
           {{"made", replacements.made},
            {"elapsed_s", replacements.elapsed_s},
            {"median_ns", or_null(replacements.median_ns)},
            {"max_ns", or_null(replacements.max_ns)}}},
          {"sleepers_missed", result.sleepers_missed}};
}

ResizeSpec resize_spec_of(const Json& json) {
  return {json.at("rate").get<unsigned>(), json.at("sleepers").get<unsigned>()};
}

ResizeResult resize_result_of(const Json& json) {
  const Json& replacements = json.at("replacements");
  return {.undisturbed = phase_of(json.at("undisturbed")),
          .disturbed = phase_of(json.at("disturbed")),
          .replacements = {.made = replacements.at("made").get<std::uint64_t>(),
                           .elapsed_s = replacements.at("elapsed_s").get<double>(),
                           .median_ns = number_of(replacements.at("median_ns")),
                           .max_ns = number_of(replacements.at("max_ns"))},
          .sleepers_missed = json.at("sleepers_missed").get<unsigned>()};
}

}  // namespace phutex::bench
