// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/base/result.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <type_traits>

namespace phutex {
namespace {

// The numbers are the kernel's.
static_assert(static_cast<int>(Errno::interrupted) == EINTR);
static_assert(static_cast<int>(Errno::again) == EAGAIN);
static_assert(static_cast<int>(Errno::no_memory) == ENOMEM);
static_assert(static_cast<int>(Errno::fault) == EFAULT);
static_assert(static_cast<int>(Errno::busy) == EBUSY);
static_assert(static_cast<int>(Errno::invalid) == EINVAL);
static_assert(static_cast<int>(Errno::not_supported) == ENOSYS);
static_assert(static_cast<int>(Errno::timed_out) == ETIMEDOUT);

// A result says by itself whether it is one; it never turns into a number or a bool by accident.
static_assert(!std::is_convertible_v<Result<int>, bool>);
static_assert(!std::is_convertible_v<Result<int>, int>);
static_assert(sizeof(Result<std::uint32_t>) == 8);

constexpr Result<int> half(int value) {
  if (value % 2 != 0) return Errno::invalid;
  return value / 2;
}
static_assert(half(4) && *half(4) == 2);
static_assert(!half(3) && half(3).error() == Errno::invalid);

TEST(Result, IsAValueOrAReason) {
  const Result<int> good = half(10);
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 5);
  EXPECT_EQ(good.error(), Errno::none);
  EXPECT_EQ(half(11).error(), Errno::invalid);
}

TEST(Result, OfNothingIsSuccessUnlessToldOtherwise) {
  EXPECT_TRUE(static_cast<bool>(Result<void>{}));
  EXPECT_EQ(Result<void>{Errno::again}.error(), Errno::again);
  EXPECT_FALSE(static_cast<bool>(Result<void>{Errno::again}));
}

}  // namespace
}  // namespace phutex
