// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The values of options, read strictly: a value that is not wholly understood is a Failure that
// names the option, the value and what would be right.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phutex::cli {

/// A decimal integer between the two, both included.
std::uint64_t integer_argument(std::string_view option, std::string_view text, std::uint64_t least,
                               std::uint64_t most);

/// 0 or a power of two that a hash can have; never more than the kernel's 32 bits can hold.
long buckets_argument(std::string_view option, std::string_view text);

/// More than 0, fractions allowed, at most a year.
double seconds_argument(std::string_view option, std::string_view text);

/// One of `allowed`.
std::string choice_argument(std::string_view option, std::string_view text,
                            std::span<const std::string_view> allowed);

/// Some of `allowed`, separated by commas, at least one; one named twice is there twice.
std::vector<std::string> list_argument(std::string_view option, std::string_view text,
                                       std::span<const std::string_view> allowed);

}  // namespace phutex::cli
