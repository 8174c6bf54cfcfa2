// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engine/config.hpp"

#include <set>

#include "tests/unit/on_fibres.hpp"

namespace phutex {
namespace {

static_assert(IsConfig<Config<Direct, scheme::PerCpuCount, mismatch::Locked>>);
static_assert(!IsConfig<int>);

TEST(Configurations, AreEverySchemeAndWithTwoOfThemEveryMismatchCheck) {
  std::set<std::string_view> schemes;
  std::set<std::string_view> mismatches;
  std::set<std::string> names;
  std::size_t count = 0;
  for_each_config(Configurations<Direct>{}, [&]<class C> {
    static_assert(IsConfig<C>);
    schemes.insert(kName<typename C::Scheme>);
    mismatches.insert(kName<typename C::Mismatch>);
    names.insert(ConfigNames::GetName<C>(0));
    ++count;
  });
  EXPECT_EQ(schemes.size(), 6U);
  EXPECT_EQ(mismatches.size(), 3U);
  for (const std::string_view scheme : schemes) {
    EXPECT_TRUE(names.contains(std::string{scheme} + "_locked")) << scheme;
  }
  for (const std::string_view mismatch : mismatches) {
    for (const char* const scheme : {"split_", "fixed_"}) {
      EXPECT_TRUE(names.contains(scheme + std::string{mismatch})) << scheme << mismatch;
    }
  }
  EXPECT_EQ(names.size(), schemes.size() + 2 * (mismatches.size() - 1));
  EXPECT_EQ(names.size(), count);
  EXPECT_FALSE(schemes.contains("") || mismatches.contains(""));
}

}  // namespace
}  // namespace phutex
