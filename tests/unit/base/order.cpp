// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// That an access cannot leave its reason out, or give one that does not fit, is for the compiler.

#include "engine/base/order.hpp"

#include <gtest/gtest.h>

#include "engine/base/edges.hpp"

namespace phutex {
namespace {

using Acquire = std::remove_const_t<decltype(acquire<edge::Woken>)>;
using Release = std::remove_const_t<decltype(release<edge::Woken>)>;
using Both = std::remove_const_t<decltype(acq_rel<edge::Woken>)>;
using Fence = std::remove_const_t<decltype(seq_cst<edge::EnqueueOrValue>)>;
using Relaxed = std::remove_const_t<decltype(relaxed<why::Hint>)>;
using Light = std::remove_const_t<decltype(asymmetric<edge::SleeperOrFree>)>;

static_assert(IsLoadOrder<Acquire> && IsLoadOrder<Relaxed>);
static_assert(!IsLoadOrder<Release> && !IsLoadOrder<Both> && !IsLoadOrder<Fence>);
static_assert(IsStoreOrder<Release> && IsStoreOrder<Relaxed>);
static_assert(!IsStoreOrder<Acquire> && !IsStoreOrder<Both> && !IsStoreOrder<Fence>);
static_assert(IsFenceOrder<Fence> && !IsFenceOrder<Both> && !IsFenceOrder<Relaxed>);
static_assert(IsAsymmetric<Light> && !IsOrder<Light>);
static_assert(!IsOrder<std::memory_order>);

static_assert(IsEdge<edge::Woken> && !IsEdge<why::Hint>);
static_assert(IsExcuse<why::Hint> && !IsExcuse<edge::Woken>);

TEST(Edges, HaveAPlaceANameAndASentence) {
  EXPECT_EQ(edge::index_of<edge::EnqueueOrValue>, 0U);
  EXPECT_EQ(edge::kNames[edge::index_of<edge::PinOrDrain>], "PinOrDrain");
  for (std::size_t index = 0; index < edge::All::count; ++index) {
    EXPECT_FALSE(edge::kNames[index].empty());
    EXPECT_FALSE(edge::All::promises[index].empty());
  }
}

}  // namespace
}  // namespace phutex
