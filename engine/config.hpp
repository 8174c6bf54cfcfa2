// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What an engine is made of, and the list of those we build and test.

#include <string_view>

#include "engine/platform/platform.hpp"
#include "engine/scheme/bucket_count.hpp"
#include "engine/scheme/fixed.hpp"
#include "engine/scheme/per_cpu_count.hpp"
#include "engine/scheme/shared_count.hpp"
#include "engine/scheme/split.hpp"
#include "engine/scheme/tombstone.hpp"
#include "engine/wait/mismatch.hpp"

namespace phutex {

/// One name in error messages, one place to add a policy.
template <class C>
concept IsConfig = IsPlatform<typename C::Platform> &&
    IsScheme<typename C::Scheme, typename C::Platform> &&
    IsMismatchCheck<typename C::Mismatch, typename C::Scheme>;

template <class P, template <class> class S, class M>
struct Config {
  using Platform = P;
  using Scheme = S<P>;
  using Mismatch = M;
};

/// The names by which programs ask for a policy.
template <class Policy>
inline constexpr std::string_view kName = {};
template <IsPlatform P>
inline constexpr std::string_view kName<scheme::Fixed<P>> = "fixed";
template <IsPlatform P>
inline constexpr std::string_view kName<scheme::SharedCount<P>> = "shared_count";
template <IsPlatform P>
inline constexpr std::string_view kName<scheme::BucketCount<P>> = "bucket_count";
template <IsPlatform P>
inline constexpr std::string_view kName<scheme::PerCpuCount<P>> = "per_cpu_count";
template <IsPlatform P>
inline constexpr std::string_view kName<scheme::Tombstone<P>> = "tombstone";
template <IsPlatform P>
inline constexpr std::string_view kName<scheme::Split<P>> = "split";
template <>
inline constexpr std::string_view kName<mismatch::Locked> = "locked";
template <>
inline constexpr std::string_view kName<mismatch::Early> = "early";
template <>
inline constexpr std::string_view kName<mismatch::TryLock> = "try_lock";

template <class... C>
struct ConfigList {};

/// What tests, checker and programs go through: every scheme, and every mismatch check with two of
/// them. A mismatch check decides before the bucket is locked and knows nothing of how.
template <IsPlatform P>
using Configurations =
    ConfigList<Config<P, scheme::Split, mismatch::Locked>, Config<P, scheme::Split, mismatch::Early>,
               Config<P, scheme::Split, mismatch::TryLock>,
               Config<P, scheme::Tombstone, mismatch::Locked>,
               Config<P, scheme::PerCpuCount, mismatch::Locked>,
               Config<P, scheme::BucketCount, mismatch::Locked>,
               Config<P, scheme::SharedCount, mismatch::Locked>,
               Config<P, scheme::Fixed, mismatch::Locked>, Config<P, scheme::Fixed, mismatch::Early>,
               Config<P, scheme::Fixed, mismatch::TryLock>>;

/// Calls `visit.template operator()<C>()` for each.
template <class Visit, class... C>
void for_each_config(ConfigList<C...>, Visit&& visit) {
  (visit.template operator()<C>(), ...);
}

}  // namespace phutex
