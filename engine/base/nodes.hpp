// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The NUMA nodes that a machine may ever have: numbers from 0 on, maybe with holes.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace phutex {

class Nodes {
 public:
  /// Numbers are below this: the most that Linux can be built for.
  static constexpr std::size_t kNumbersMax = 1024;

  /// None at all; whoever uses the set adds at least one.
  constexpr Nodes() noexcept = default;

  /// What a machine without NUMA has.
  static constexpr Nodes only_first() noexcept {
    Nodes nodes;
    nodes.add(0);
    return nodes;
  }

  constexpr void add(std::size_t node) noexcept {
    words_[node / kBits] |= std::uint64_t{1} << node % kBits;
  }

  /// Any number may be asked about.
  constexpr bool contains(std::size_t node) const noexcept {
    return node < kNumbersMax && (words_[node / kBits] >> node % kBits & 1) != 0;
  }

  constexpr std::size_t count() const noexcept {
    std::size_t count = 0;
    for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }

  /// How many numbers there are with the holes: one more than the highest node.
  constexpr std::size_t number_count() const noexcept {
    std::size_t count = kNumbersMax;
    while (count != 0 && !contains(count - 1)) --count;
    return count;
  }

  /// The node itself, or if it is a hole the next that is none. `node` is below number_count().
  constexpr std::size_t next_from(std::size_t node) const noexcept {
    while (!contains(node)) ++node;
    return node;
  }

  friend constexpr bool operator==(const Nodes&, const Nodes&) noexcept = default;

 private:
  static constexpr std::size_t kBits = 64;
  std::array<std::uint64_t, kNumbersMax / kBits> words_{};
};

}  // namespace phutex
