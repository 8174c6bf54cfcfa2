// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/base/deadline.hpp"

#include <gtest/gtest.h>

namespace phutex {
namespace {

static_assert(Deadline::never().is_never);
static_assert(Deadline{}.is_never);

TEST(Deadline, KeepsWhatItWasGiven) {
  constexpr Deadline deadline = Deadline::at(Clock::realtime, 12, 999'999'999);
  EXPECT_FALSE(deadline.is_never);
  EXPECT_EQ(deadline.seconds, 12);
  EXPECT_EQ(deadline.nanoseconds, 999'999'999);
  EXPECT_EQ(deadline.clock, Clock::realtime);
}

}  // namespace
}  // namespace phutex
