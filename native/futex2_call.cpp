// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// futex_wait(2) and futex_wake(2) in the engine: the kernel's arguments, results and order of
// checks.
//
// Flow  not private? the kernel
//       flags -> width -> clock and timeout -> mask -> alignment -> address -> node -> engine
//       with a node: that node's table of the global hash; without: the process's own engine

#include <limits.h>
#include <stdint.h>
#include <time.h>

#include <optional>

#include "engine/op/wait.hpp"
#include "engine/op/wake.hpp"
#include "engine/request.hpp"
#include "native/address.hpp"
#include "native/global_hash.hpp"
#include "native/instance.hpp"
#include "native/kernel.hpp"
#include "native/nodes.hpp"
#include "native/timeout.hpp"
#include "phutex/phutex.h"

namespace phutex::native {
namespace {

using request::Flags;

// Older headers have none.
constexpr long kFutexWake = 454;
constexpr long kFutexWait = 455;

// In a node word: whoever comes first is to pick one.
constexpr std::uint32_t kNoNode = 0xffffffff;

constexpr long negative(Errno error) noexcept {
  return -static_cast<long>(error);
}

constexpr bool fits(unsigned long value) noexcept {
  return value <= UINT32_MAX;
}

// The word may be at any address; NULL, too.
std::uint32_t* node_word_of(std::uint32_t* word) noexcept {
  return reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::uintptr_t>(word) + sizeof(*word));
}

Nodes known_nodes() noexcept {
  const GlobalHash* const hash = GlobalHash::get_if_used();
  return hash != nullptr ? hash->nodes() : possible_nodes();
}

// The node that a node word holds after somebody has picked one: of several that do at once, the
// first does it for all.
Result<std::uint32_t> pick_node(Flags flags, std::uint32_t* word, const Nodes& nodes) noexcept {
  const auto by_policy = flags.have_policy() ? policy_node(word) : std::nullopt;
  const std::size_t wanted = by_policy ? *by_policy : current_node();
  // Where /sys cannot be read, it may be one that nobody knows of.
  const std::size_t known = nodes.contains(wanted) ? wanted : nodes.next_from(0);
  const auto picked = static_cast<std::uint32_t>(known);
  const Result<std::uint32_t> found = replace_if(node_word_of(word), kNoNode, picked);
  return found && *found == kNoNode ? picked : found;
}

using MaybeNode = std::optional<std::size_t>;

// The node whose table a word belongs to, if it has one.
Result<MaybeNode> node_of(Flags flags, std::uint32_t* word) noexcept {
  if (!flags.have_node_word()) return flags.have_policy() ? policy_node(word) : std::nullopt;
  const Result<std::uint32_t> given = Word<std::uint32_t>{node_word_of(word)}.load();
  if (!given) return given.error();
  const Nodes nodes = known_nodes();
  const Result<std::uint32_t> node = *given == kNoNode ? pick_node(flags, word, nodes) : given;
  if (!node) return node.error();
  if (!nodes.contains(*node)) return Errno::invalid;
  return MaybeNode{*node};
}

// Checks the address and finds its node.
Result<MaybeNode> place_of(Flags flags, std::uint32_t* word) noexcept {
  const Result<void> checked = flags.have_node_word() ? check_address<2 * sizeof(*word)>(word)
                                                      : check_address<sizeof(*word)>(word);
  if (!checked) return checked.error();
  return node_of(flags, word);
}

Result<Deadline> deadline_of(const timespec* timeout, clockid_t clock) noexcept {
  if (timeout == nullptr) return Deadline::never();
  if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) return Errno::invalid;
  const Result<timespec> time = read_timespec(timeout);
  if (!time) return time.error();
  return absolute_deadline(*time, clock == CLOCK_REALTIME ? Clock::realtime : Clock::monotonic);
}

Result<void> wait_in(MaybeNode node, Word<std::uint32_t> word, std::uint32_t expected,
                     Bitset bitset, const Deadline& deadline) noexcept {
  if (!node) {
    Instance* const instance = Instance::get();
    if (instance == nullptr) return Errno::no_memory;
    return instance->engine().wait(word, expected, bitset, deadline);
  }
  GlobalHash* const hash = GlobalHash::get();
  if (hash == nullptr) return Errno::no_memory;
  if (!hash->nodes().contains(*node)) return Errno::invalid;  // /sys has come or gone meanwhile
  return op::wait<Platform, DefaultConfig::Mismatch>(hash->on_node(*node), word, expected, bitset,
                                                     deadline);
}

int wake_in(MaybeNode node, Key key, int limit, Bitset bitset) noexcept {
  if (!node) {
    Instance* const instance = Instance::get_if_used();
    return instance == nullptr ? 0 : instance->engine().wake(key, limit, bitset);
  }
  GlobalHash* const hash = GlobalHash::get_if_used();
  if (hash == nullptr || !hash->nodes().contains(*node)) return 0;  // nobody can wait there
  return op::wake<Platform>(hash->on_node(*node), key, limit, bitset);
}

}  // namespace
}  // namespace phutex::native

using namespace phutex;
using namespace phutex::native;

extern "C" long phutex_futex_wait(void* uaddr, unsigned long val, unsigned long mask,
                                  unsigned int flag_bits, const struct timespec* timeout,
                                  clockid_t clockid) {
  const Flags flags{flag_bits};
  if (!flags.is_private()) {
    return kernel::call(kFutexWait, kernel::pointer(uaddr), static_cast<long>(val),
                        static_cast<long>(mask), static_cast<long>(flag_bits),
                        kernel::pointer(timeout), clockid);
  }
  if (!flags.are_valid() || !fits(val) || !fits(mask)) return negative(Errno::invalid);
  catch_faults();
  const Result<Deadline> deadline = deadline_of(timeout, clockid);
  if (!deadline) return negative(deadline.error());
  if (mask == 0) return negative(Errno::invalid);
  auto* const word = static_cast<std::uint32_t*>(uaddr);
  const auto node = place_of(flags, word);
  if (!node) return negative(node.error());
  const auto waited = wait_in(*node, Word<std::uint32_t>{word}, static_cast<std::uint32_t>(val),
                              static_cast<Bitset>(mask), *deadline);
  return negative(waited.error());
}

extern "C" long phutex_futex_wake(void* uaddr, unsigned long mask, int nr, unsigned int flag_bits) {
  const Flags flags{flag_bits};
  if (!flags.is_private()) {
    return kernel::call(kFutexWake, kernel::pointer(uaddr), static_cast<long>(mask), nr,
                        static_cast<long>(flag_bits));
  }
  if (!flags.are_valid() || !fits(mask) || mask == 0) return negative(Errno::invalid);
  catch_faults();
  const auto node = place_of(flags, static_cast<std::uint32_t*>(uaddr));
  if (!node) return negative(node.error());
  if (nr == 0) return 0;
  return wake_in(*node, Key{reinterpret_cast<std::uintptr_t>(uaddr)}, nr < 1 ? 1 : nr,
                 static_cast<Bitset>(mask));
}
