// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of the process's hash, for who asks: as a structure, and as one line of JSON that a
// signal handler can write. So nothing here allocates or formats through libc.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "native/instance.hpp"
#include "native/kernel.hpp"
#include "native/text.hpp"
#include "phutex/phutex.h"

namespace phutex::native {
namespace {

constexpr const char* name_of(Origin origin) noexcept {
  switch (origin) {
    case Origin::none: return "none";
    case Origin::automatic: return "automatic";
    case Origin::custom: return "custom";
    case Origin::immutable: return "immutable";
    case Origin::global: return "global";
  }
  return "";
}

phutex_snapshot snapshot_of_process(Patience patience) noexcept {
  phutex_snapshot out{};
  out.scheme = kName<DefaultConfig::Scheme>.data();
  out.mismatch = kName<DefaultConfig::Mismatch>.data();
  out.rule = "";
  out.origin = name_of(Origin::none);
  Instance* const instance = Instance::get_if_used();
  if (instance == nullptr) return out;
  out.rule = instance->control().rule().name.data();
  out.origin = name_of(instance->control().hash().origin);
  const Snapshot seen = instance->engine().snapshot(patience);
  out.buckets = seen.buckets;
  out.buckets_used = seen.buckets_used;
  out.waiters = seen.waiters;
  out.addresses = seen.addresses;
  out.addresses_chained = seen.addresses_chained;
  out.chain_max = seen.chain_max;
  out.waiters_per_address_max = seen.waiters_per_address_max;
  out.buckets_skipped = seen.buckets_skipped;
  out.replacements = seen.replacements.count;
  out.duration_last_ns = seen.replacements.duration_last;
  out.duration_max_ns = seen.replacements.duration_max;
  out.stop_last_ns = seen.replacements.stop_last;
  out.stop_max_ns = seen.replacements.stop_max;
  return out;
}

/// One JSON object of numbers and of names that need no escaping.
class Object {
 public:
  explicit Object(Text& text) noexcept : text_(text) {}

  void add(std::string_view name, std::string_view value) noexcept {
    begin_member(name);
    text_ << "\"" << value << "\"";
  }
  void add(std::string_view name, std::uint64_t value) noexcept {
    begin_member(name);
    text_ << value;
  }

 private:
  void begin_member(std::string_view name) noexcept {
    text_ << (text_.length() == 0 ? "{\"" : ",\"") << name << "\":";
  }
  Text& text_;
};

}  // namespace
}  // namespace phutex::native

using namespace phutex;
using namespace phutex::native;

extern "C" {

int phutex_take_snapshot(struct phutex_snapshot* snapshot, size_t size, int patience) {
  const phutex_snapshot taken =
      snapshot_of_process(patience == 0 ? Patience::none : Patience::waits);
  std::memcpy(snapshot, &taken, std::min(size, sizeof taken));
  return 0;
}

size_t phutex_snapshot_json(char* storage, size_t size, int patience) {
  struct phutex_snapshot taken;
  phutex_take_snapshot(&taken, sizeof taken, patience);
  Text text{storage, size};
  Object object{text};
  object.add("pid", static_cast<std::uint64_t>(kernel::call(SYS_getpid)));
  object.add("scheme", taken.scheme);
  object.add("mismatch", taken.mismatch);
  object.add("rule", taken.rule);
  object.add("origin", taken.origin);
  object.add("buckets", taken.buckets);
  object.add("buckets_used", taken.buckets_used);
  object.add("waiters", taken.waiters);
  object.add("addresses", taken.addresses);
  object.add("addresses_chained", taken.addresses_chained);
  object.add("chain_max", taken.chain_max);
  object.add("waiters_per_address_max", taken.waiters_per_address_max);
  object.add("buckets_skipped", taken.buckets_skipped);
  object.add("replacements", taken.replacements);
  object.add("duration_last_ns", taken.duration_last_ns);
  object.add("duration_max_ns", taken.duration_max_ns);
  object.add("stop_last_ns", taken.stop_last_ns);
  object.add("stop_max_ns", taken.stop_max_ns);
  text << "}";
  if (text.length() < size) storage[text.length()] = '\0';
  return text.length();
}

}  // extern "C"
