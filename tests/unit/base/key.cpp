// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/base/key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace phutex {
namespace {

static_assert(Key{5} == Key{5} && Key{5} != Key{6});
static_assert(kMatchAny == 0xffffffffU);

constexpr std::size_t kWords = 65536;

/// The longest chain of that many words in a table of `slots`.
std::size_t longest_chain(std::size_t slots, const std::function<std::uintptr_t(std::size_t)>& at) {
  std::vector<std::size_t> chains(slots, 0);
  const int shift = 64 - std::countr_zero(slots);
  for (std::size_t index = 0; index < kWords; ++index) ++chains[Key{at(index)}.hash() >> shift];
  return *std::max_element(chains.begin(), chains.end());
}

void expect_even(const std::function<std::uintptr_t(std::size_t)>& at) {
  for (std::size_t slots = 16; slots <= 65536; slots *= 2) {
    const std::size_t mean = kWords / slots;
    EXPECT_LE(longest_chain(slots, at), 4 * mean + 4) << slots << " slots";
  }
}

constexpr std::uintptr_t kBase = 0x7f12'3456'7000;

TEST(KeyHash, SpreadsArraysOfWords) {
  expect_even([](std::size_t index) { return kBase + 4 * index; });
}

TEST(KeyHash, SpreadsArraysOfCacheLines) {
  expect_even([](std::size_t index) { return kBase + 64 * index; });
}

TEST(KeyHash, SpreadsOneWordAPage) {
  expect_even([](std::size_t index) { return kBase + 4096 * index; });
}

TEST(KeyHash, SpreadsStructuresOfOddSize) {
  for (const std::size_t size : {8U, 24U, 40U, 48U, 56U, 72U, 112U, 1000U, 4160U}) {
    expect_even([size](std::size_t index) { return kBase + size * index; });
  }
}

// Blocks as an allocator gives them out: 16 bytes of header and alignment, sizes mixed.
TEST(KeyHash, SpreadsWhatAnAllocatorGivesOut) {
  std::vector<std::uintptr_t> blocks;
  std::uintptr_t next = kBase + 16;
  std::uint64_t lot = 88172645463325252U;  // xorshift
  for (std::size_t index = 0; index < kWords; ++index) {
    lot ^= lot << 13;
    lot ^= lot >> 7;
    lot ^= lot << 17;
    blocks.push_back(next);
    next += 48 + 16 * (lot % 8);
  }
  expect_even([&](std::size_t index) { return blocks[index]; });
}

TEST(KeyHash, SpreadsStacksOfThreads) {
  expect_even(
      [](std::size_t index) { return kBase + (index / 64) * 0x801000 + (index % 64) * 16; });
}

}  // namespace
}  // namespace phutex
