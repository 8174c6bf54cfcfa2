// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/arguments.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "bench/failure.hpp"

namespace phutex::cli {
namespace {

using bench::Failure;

constexpr double kSecondsMax = 366 * 24 * 3600.0;
constexpr std::uint64_t kBucketsMax = 1U << 30;  // the largest power of two below 2^31

/// Reads all of `text` or says that it is no such number. A number too large is as wrong.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end && !text.empty();
}

}  // namespace

std::uint64_t integer_argument(std::string_view option, std::string_view text, std::uint64_t least,
                               std::uint64_t most) {
  std::uint64_t number = 0;
  if (read_number(text, number) && number >= least && number <= most) return number;
  throw Failure(fmt::format("{} {}: not a whole number from {} to {}", option, text, least, most));
}

long buckets_argument(std::string_view option, std::string_view text) {
  std::uint64_t number = 0;
  const bool is_right = read_number(text, number) && number <= kBucketsMax && number != 1 &&
                        (number == 0 || std::has_single_bit(number));
  if (is_right) return static_cast<long>(number);
  throw Failure(
      fmt::format("{} {}: not a size a hash can have; 0 (the global hash) or a power of "
                  "two from 2 to {} is",
                  option, text, kBucketsMax));
}

double seconds_argument(std::string_view option, std::string_view text) {
  double seconds = 0;
  if (read_number(text, seconds) && seconds > 0 && seconds <= kSecondsMax) return seconds;
  throw Failure(fmt::format("{} {}: not a time; a number of seconds above 0, such as 2 or 0.5, is",
                            option, text));
}

std::string choice_argument(std::string_view option, std::string_view text,
                            std::span<const std::string_view> allowed) {
  if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return std::string(text);
  throw Failure(fmt::format("{} {}: '{}' is unknown; known: {}", option, text, text,
                            fmt::join(allowed, ", ")));
}

std::vector<std::string> list_argument(std::string_view option, std::string_view text,
                                       std::span<const std::string_view> allowed) {
  std::vector<std::string> chosen;
  for (;;) {
    const std::size_t comma = text.find(',');
    chosen.push_back(choice_argument(option, text.substr(0, comma), allowed));
    if (comma == std::string_view::npos) return chosen;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace phutex::cli
