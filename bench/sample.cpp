// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/sample.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/failure.hpp"

namespace phutex::bench {
namespace {

using Json = nlohmann::json;

constexpr const char* kFailureKey = "failure";
constexpr const char* kResizeKey = "resize";

Json json_of(const ThreadResult& thread) {
  return Json::array({thread.operations, thread.word_first, thread.word_last});
}

ThreadResult thread_of(const Json& json) {
  return {json.at(0).get<std::uint64_t>(), json.at(1).get<std::uint64_t>(),
          json.at(2).get<std::uint64_t>()};
}

}  // namespace

std::vector<double> rates(const SampleResult& result) {
  if (result.resize) return result.resize->disturbed.rates;
  std::vector<double> each;
  if (!(result.elapsed_s > 0)) return each;
  for (const ThreadResult& thread : result.threads) {
    each.push_back(static_cast<double>(thread.operations) / result.elapsed_s);
  }
  return each;
}

double mean_rate(const SampleResult& result) {
  const std::vector<double> each = rates(result);
  double sum = 0;
  for (const double rate : each) sum += rate;
  return each.empty() ? 0 : sum / static_cast<double>(each.size());
}

std::string to_json(const SampleSpec& spec) {
  Json json{{"workload", spec.workload},  {"on", spec.on},
            {"scheme", spec.scheme},      {"mismatch", spec.mismatch},
            {"threads", spec.threads},    {"futexes", spec.futexes},
            {"buckets", spec.buckets},    {"immutable", spec.is_immutable},
            {"shared", spec.is_shared},   {"mlockall", spec.locks_memory},
            {"runtime_s", spec.runtime_s}};
  if (spec.resize) json[kResizeKey] = json_of(*spec.resize);
  return json.dump();
}

std::string to_json(const SampleResult& result) {
  Json threads = Json::array();
  for (const ThreadResult& thread : result.threads) threads.push_back(json_of(thread));
  Json json{
      {"threads", std::move(threads)},           {"elapsed_s", result.elapsed_s},
      {"unexpected", result.unexpected},         {"unexpected_first", result.unexpected_first},
      {"buckets_before", result.buckets_before}, {"buckets_after", result.buckets_after},
      {"immutable", result.is_immutable},        {"pid", result.pid}};
  if (result.resize) json[kResizeKey] = json_of(*result.resize);
  return json.dump();
}

std::string failure_to_json(std::string_view line) {
  return Json{{kFailureKey, line}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SampleSpec spec_from_json(std::string_view text) try {
  const Json json = Json::parse(text);
  SampleSpec spec{.workload = json.at("workload").get<std::string>(),
                  .on = json.at("on").get<std::string>(),
                  .scheme = json.at("scheme").get<std::string>(),
                  .mismatch = json.at("mismatch").get<std::string>(),
                  .threads = json.at("threads").get<unsigned>(),
                  .futexes = json.at("futexes").get<unsigned>(),
                  .buckets = json.at("buckets").get<long>(),
                  .is_immutable = json.at("immutable").get<bool>(),
                  .is_shared = json.at("shared").get<bool>(),
                  .locks_memory = json.at("mlockall").get<bool>(),
                  .runtime_s = json.at("runtime_s").get<double>()};
  if (json.contains(kResizeKey)) spec.resize = resize_spec_of(json.at(kResizeKey));
  return spec;
} catch (const Json::exception& error) {
  throw Failure(fmt::format("not the description of a sample: {}", error.what()));
}

SampleResult sample_from_json(std::string_view text) try {
  const Json json = Json::parse(text);
  if (json.contains(kFailureKey)) throw Failure(json.at(kFailureKey).get<std::string>());
  SampleResult result{.threads = {},
                      .elapsed_s = json.at("elapsed_s").get<double>(),
                      .unexpected = json.at("unexpected").get<std::uint64_t>(),
                      .unexpected_first = json.at("unexpected_first").get<int>(),
                      .buckets_before = json.at("buckets_before").get<long>(),
                      .buckets_after = json.at("buckets_after").get<long>(),
                      .is_immutable = json.at("immutable").get<bool>(),
                      .pid = json.at("pid").get<long>()};
  for (const Json& thread : json.at("threads")) result.threads.push_back(thread_of(thread));
  if (json.contains(kResizeKey)) result.resize = resize_result_of(json.at(kResizeKey));
  return result;
} catch (const Json::exception& error) {
  throw Failure(fmt::format("not the result of a sample: {}", error.what()));
}

}  // namespace phutex::bench
