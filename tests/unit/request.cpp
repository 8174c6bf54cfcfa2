// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/request.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include <linux/futex.h>

namespace phutex::request {
namespace {

// The numbers are the kernel's.
static_assert(kPrivateFlag == FUTEX_PRIVATE_FLAG && kRealtimeFlag == FUTEX_CLOCK_REALTIME);
static_assert(static_cast<int>(Command::wait) == FUTEX_WAIT);
static_assert(static_cast<int>(Command::wake) == FUTEX_WAKE);
static_assert(static_cast<int>(Command::wait_bitset) == FUTEX_WAIT_BITSET);
static_assert(static_cast<int>(Command::wake_bitset) == FUTEX_WAKE_BITSET);
static_assert(static_cast<int>(Command::lock_pi) == FUTEX_LOCK_PI);
static_assert(static_cast<int>(Command::wait_requeue_pi) == FUTEX_WAIT_REQUEUE_PI);

TEST(Op, IsForTheEngineIfPrivateAndKnownToIt) {
  for (const std::uint32_t command :
       std::initializer_list<std::uint32_t>{FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET}) {
    EXPECT_FALSE(Op{command}.is_for_engine()) << command;
    EXPECT_TRUE(Op{command | FUTEX_PRIVATE_FLAG}.is_for_engine()) << command;
    EXPECT_TRUE(Op{command | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME}.is_for_engine());
  }
  for (const std::uint32_t command : std::initializer_list<std::uint32_t>{
           FUTEX_FD, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_LOCK_PI, FUTEX_UNLOCK_PI,
           FUTEX_TRYLOCK_PI, 99}) {
    EXPECT_FALSE(Op{command | FUTEX_PRIVATE_FLAG}.is_for_engine()) << command;
  }
}

TEST(Op, WithAnUnknownBitIsAnUnknownCommand) {
  EXPECT_FALSE(Op{FUTEX_WAIT | FUTEX_PRIVATE_FLAG | 512}.is_for_engine());
  EXPECT_FALSE(Op{FUTEX_WAIT | FUTEX_PRIVATE_FLAG | 0x80000000U}.is_for_engine());
}

TEST(Op, NamesItsClock) {
  EXPECT_EQ(Op{FUTEX_WAIT_BITSET}.clock(), Clock::monotonic);
  EXPECT_EQ(Op{FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME}.clock(), Clock::realtime);
  EXPECT_TRUE(Op{FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME}.allows_its_clock());
  for (const std::uint32_t command :
       std::initializer_list<std::uint32_t>{FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAKE_BITSET}) {
    EXPECT_TRUE(Op{command}.allows_its_clock());
    EXPECT_FALSE(Op{command | FUTEX_CLOCK_REALTIME}.allows_its_clock()) << command;
  }
}

TEST(Op, HasATimeoutIfItWaits) {
  EXPECT_TRUE(Op{FUTEX_WAIT}.has_timeout() && Op{FUTEX_WAIT_BITSET}.has_timeout());
  EXPECT_FALSE(Op{FUTEX_WAKE}.has_timeout() || Op{FUTEX_WAKE_BITSET}.has_timeout());
}

TEST(Flags, AreTakenApart) {
  const Flags all{2 | 4 | 8 | 128};  // FUTEX2_SIZE_U32, NUMA, MPOL, PRIVATE: newer than some headers
  EXPECT_TRUE(all.are_valid());
  EXPECT_TRUE(all.is_private() && all.have_node_word() && all.have_policy());
  const Flags none{2};
  EXPECT_TRUE(none.are_valid());
  EXPECT_FALSE(none.is_private() || none.have_node_word() || none.have_policy());
  EXPECT_TRUE(Flags{2 | 4}.have_node_word());
  EXPECT_FALSE(Flags{2 | 8}.have_node_word());
  EXPECT_TRUE(Flags{2 | 8}.have_policy());
}

TEST(Flags, AreInvalidWithAnotherSizeOrAnUnknownBit) {
  for (const std::uint32_t size : {0U, 1U, 3U}) EXPECT_FALSE(Flags{size | 128}.are_valid()) << size;
  for (const std::uint32_t bit : {16U, 32U, 64U, 256U, 0x80000000U}) {
    EXPECT_FALSE(Flags{2 | bit}.are_valid()) << bit;
  }
}

}  // namespace
}  // namespace phutex::request
