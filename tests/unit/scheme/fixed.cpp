// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/scheme/fixed.hpp"

#include "tests/unit/on_fibres.hpp"

namespace phutex::scheme {
namespace {

static_assert(IsScheme<Fixed<Direct>, Direct>);

TEST(Fixed, RefusesToBeReplacedAndStaysAsItIs) {
  Fixed<Direct> scheme{Table<Direct>::create(8)};
  EXPECT_TRUE(scheme.prepare());
  EXPECT_EQ(scheme.resize(16).error(), Errno::busy);
  EXPECT_EQ(scheme.bucket_count(), 8U);
  scheme.freeze();
  EXPECT_EQ(scheme.resize(16).error(), Errno::busy);
}

TEST(Fixed, TakesNoLockWhereNobodyWaits) {
  Fixed<Direct> scheme{Table<Direct>::create(2)};
  EXPECT_FALSE(static_cast<bool>(scheme.lock_if_waiting(Key{1})));
}

}  // namespace
}  // namespace phutex::scheme
