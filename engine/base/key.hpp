// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What names a futex inside one process: the identity of its word.

#include <cstdint>

namespace phutex {

/// Two waits belong together exactly if their keys are equal. On the native machine the identity
/// is the word's address and nothing else: neither its width nor what is mapped there.
struct Key {
  std::uintptr_t identity = 0;

  friend constexpr bool operator==(Key, Key) noexcept = default;

  /// Spreads identities over 64 bits; the high bits are the good ones. Multiplying by 2^64 divided
  /// by the golden ratio lays any arithmetic progression (an array of structures, of pages) out
  /// evenly: Knuth, The Art of Computer Programming 3, section 6.4.
  ///
  /// The words of one granule share a hash. They lie in one cache line, so whoever uses them
  /// contends for that line already; and whoever goes from one to the next (a lock and its
  /// condition, an array) finds the bucket in its cache.
  constexpr std::uint64_t hash() const noexcept {
    return static_cast<std::uint64_t>(identity / kGranule) * 0x9e3779b97f4a7c15U;
  }

  /// Bytes. Small enough that an array of 32-bit words still fills a table, eight to a bucket.
  static constexpr std::uintptr_t kGranule = 32;
};

/// The bits of a waiter that a wake can pick it by. Zero is not allowed anywhere.
using Bitset = std::uint32_t;
inline constexpr Bitset kMatchAny = 0xffffffffU;

}  // namespace phutex
