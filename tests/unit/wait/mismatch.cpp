// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/wait/mismatch.hpp"

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

/// A scheme that tells what it was asked.
struct AskedScheme {
  using Locked = std::string;
  std::string lock(Key) { return "locked"; }
  template <class GiveUp>
  std::string lock_or(Key, GiveUp&&) {
    return "locked or gave up";
  }
};

TEST(Mismatch, LockedDoesNotLook) {
  AskedScheme scheme;
  EXPECT_EQ(mismatch::Locked::lock(scheme, Key{}, [] { return ADD_FAILURE(), true; }), "locked");
}

TEST(Mismatch, EarlyHasLookedAlready) {
  AskedScheme scheme;
  EXPECT_TRUE(mismatch::Early::kLooksFirst);
  EXPECT_EQ(mismatch::Early::lock(scheme, Key{}, [] { return ADD_FAILURE(), true; }), "locked");
}

TEST(Mismatch, TryLockLeavesItToTheScheme) {
  AskedScheme scheme;
  EXPECT_EQ(mismatch::TryLock::lock(scheme, Key{}, [] { return ADD_FAILURE(), true; }),
            "locked or gave up");
}

}  // namespace
}  // namespace phutex
