// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/engine_target.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "bench/failure.hpp"
#include "bench/run_workload.hpp"
#include "bench/word.hpp"
#include "engine/engine.hpp"
#include "engine/table/sizing.hpp"
#include "native/platform.hpp"

namespace phutex::bench {
namespace {

using native::Platform;

/// An engine's futexes as a workload sees them.
template <class Config>
class EngineFutex {
 public:
  using Word = bench::Word;

  explicit EngineFutex(Engine<Config>& engine) : engine_(engine) {}

  int wait(Word& word, std::uint32_t expected) const noexcept {
    const auto waited = engine_.wait(native::Word<std::uint32_t>{word.address()}, expected);
    return static_cast<int>(waited.error());
  }
  int wake(Word& word, int count) const noexcept { return engine_.wake(key_of(word), count); }
  int replace(long buckets) const noexcept {
    return static_cast<int>(engine_.resize(static_cast<std::size_t>(buckets)).error());
  }
  int waiting(Word& word) const noexcept { return static_cast<int>(engine_.waiting(key_of(word))); }

 private:
  static Key key_of(Word& word) noexcept {
    return Key{reinterpret_cast<std::uintptr_t>(word.address())};
  }

  Engine<Config>& engine_;
};

[[noreturn]] void refuse(const SampleSpec& spec, Errno error) {
  if (error == Errno::no_memory) {
    throw Failure(fmt::format("-b {}: no memory for that many buckets of {} bytes; ask for fewer",
                              spec.buckets, sizeof(Bucket<Platform>)));
  }
  throw Failure(fmt::format("-b {}: the scheme {} refuses to be resized (error {})", spec.buckets,
                            spec.scheme, static_cast<int>(error)));
}

struct Size {
  std::size_t buckets;
  bool is_frozen;
};

template <class Config>
inline constexpr bool kIsFixed = std::is_same_v<typename Config::Scheme, scheme::Fixed<Platform>>;

/// As the kernel would size its hash: -b 0 is its global table, which stays.
Size size_of(const SampleSpec& spec) {
  const native::Abilities& machine = native::abilities();
  const sizing::Cpus cpus{machine.cpus_online, machine.cpus_possible};
  if (spec.buckets == kBucketsGlobal) return {sizing::kernel_global(cpus), true};
  if (spec.buckets > 0) return {static_cast<std::size_t>(spec.buckets), spec.is_immutable};
  return {sizing::kernel_default(spec.threads, cpus), spec.is_immutable};
}

/// A scheme that is never replaced starts with its size; the others start as small as can be and
/// are resized, as a process's hash is.
template <class Config>
SampleResult run(const SampleSpec& spec) {
  native::find_abilities();
  constexpr bool is_fixed = kIsFixed<Config>;
  const Size size = size_of(spec);
  auto table = Table<Platform>::create(is_fixed ? size.buckets : kBucketsMin);
  if (table == nullptr) refuse(spec, Errno::no_memory);
  Engine<Config> engine{std::move(table)};
  if (!engine.prepare()) refuse(spec, Errno::no_memory);
  if (!is_fixed) {
    if (const auto resized = engine.resize(size.buckets); !resized) refuse(spec, resized.error());
  }
  if (size.is_frozen) engine.freeze();
  EngineFutex<Config> futex{engine};
  SampleResult result = run_workload(futex, spec, [&] {
    return spec.buckets == kBucketsGlobal ? kBucketsGlobal
                                          : static_cast<long>(engine.bucket_count());
  });
  result.is_immutable = size.is_frozen || is_fixed;
  return result;
}

/// What `name_of` calls the configurations, each name once, in the order of their list.
template <class NameOf>
std::vector<std::string_view> names_of(const NameOf& name_of) {
  std::vector<std::string_view> names;
  for_each_config(Configurations<Platform>{}, [&]<class Config> {
    const std::string_view name = name_of.template operator()<Config>();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  });
  return names;
}

}  // namespace

std::span<const std::string_view> engine_schemes() {
  static const auto names = names_of([]<class Config> { return kName<typename Config::Scheme>; });
  return names;
}
std::span<const std::string_view> engine_mismatches() {
  static const auto names = names_of([]<class Config> { return kName<typename Config::Mismatch>; });
  return names;
}

bool has_engine(std::string_view scheme, std::string_view mismatch) {
  bool is_found = false;
  for_each_config(Configurations<Platform>{}, [&]<class Config> {
    is_found = is_found || (scheme == kName<typename Config::Scheme> &&
                            mismatch == kName<typename Config::Mismatch>);
  });
  return is_found;
}

bool is_replaceable(std::string_view scheme) {
  return scheme != kName<phutex::scheme::Fixed<Platform>>;
}

SampleResult run_on_engine(const SampleSpec& spec) {
  SampleResult result;
  bool is_found = false;
  for_each_config(Configurations<Platform>{}, [&]<class Config> {
    if (spec.scheme != kName<typename Config::Scheme> ||
        spec.mismatch != kName<typename Config::Mismatch>) {
      return;
    }
    is_found = true;
    result = run<Config>(spec);
  });
  if (is_found) return result;
  throw Failure(fmt::format("there is no engine of scheme '{}' and mismatch check '{}'",
                            spec.scheme, spec.mismatch));
}

}  // namespace phutex::bench
