// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Who may say how many buckets a hash has: its user, for good, or until then a rule.
//
// Flow       SET_SLOTS -> set | a coming thread -> follow -> Engine::resize | GET_SLOTS -> hash
// Locks      control lock > the scheme's own. Held through a replacement, so what users ask for is
//            done one after the other; automatic growth does not wait for it, it leaves a wish.
// Invariant  [I10] A wish is left only while attendance_ counts somebody, and nobody takes himself
//            out of that count while there is a wish in it: none is forgotten.
// See        engine/table/sizing.hpp for the rules

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "engine/table/sizing.hpp"

namespace phutex {

//  origin     who chose the size of the table                     left by
//  none       nobody: no thread has come and no user has asked    follow: to automatic; set
//  automatic  a rule, which may choose again                      follow; set: to custom and beyond
//  custom     the user: no rule is asked any more                 set
//  immutable  either, and it is never replaced                    nobody
//  global     the user: it stands for the global table, for good  nobody
enum class Origin : std::uint8_t { none, automatic, custom, immutable, global };

/// The table of a hash, or one that is wanted, and who chose it. Packed, it fits 8 bits.
struct Hash {
  Origin origin = Origin::none;
  std::size_t buckets = 0;  // a power of two from 2; 0 where there is no wish

  /// As GET_SLOTS says it.
  constexpr std::size_t reported() const noexcept {
    return origin == Origin::none || origin == Origin::global ? 0 : buckets;
  }
  constexpr bool is_final() const noexcept { return origin >= Origin::immutable; }
  constexpr bool is_open_to_rules() const noexcept { return origin <= Origin::automatic; }

  constexpr std::uint32_t packed() const noexcept {
    const auto size = buckets == 0 ? 0U : static_cast<std::uint32_t>(std::countr_zero(buckets));
    return static_cast<std::uint32_t>(origin) | size << 3;
  }
  static constexpr Hash unpacked(std::uint32_t word) noexcept {
    const std::uint32_t size = word >> 3 & 31;
    return {static_cast<Origin>(word & 7), size == 0 ? 0 : std::size_t{1} << size};
  }
  friend constexpr bool operator==(const Hash&, const Hash&) noexcept = default;
};

/// Of two that are wanted at the same time, the one that is made: what a user set beats what a rule
/// chose, the global table beats a size, more buckets beat fewer. If none of that tells them apart,
/// the earlier one stays.
constexpr Hash better(Hash earlier, Hash later) noexcept {
  if (earlier.is_open_to_rules() != later.is_open_to_rules()) {
    return earlier.is_open_to_rules() ? later : earlier;
  }
  const bool is_global = earlier.origin == Origin::global;
  if (is_global != (later.origin == Origin::global)) return is_global ? earlier : later;
  return later.buckets > earlier.buckets ? later : earlier;
}

/// Whether a user's size may be replaced later: 6.16-rc has both, every later kernel the first.
enum class Permanence : std::uint8_t { replaceable, immutable };

/// Commands one engine's table. Nobody else resizes or freezes that engine.
///
/// `E` offers Platform, resize and freeze as Engine does.
template <class E>
class Control {
 public:
  using Platform = typename E::Platform;

  /// `first` is what the engine has already.
  Control(E& engine, const sizing::Rule& rule, sizing::Cpus cpus, Hash first) noexcept
      : engine_(engine), rule_(rule), cpus_(cpus), hash_(first.packed()) {}

  /// SET_SLOTS: 0 buckets are the global table; other counts are such that is_bucket_count holds.
  /// Waits its turn and for the replacement; allocates. When it returns, that size, or one that was
  /// set later, is in use. Errors: busy (global or immutable already), no_memory (the table stays
  /// and nothing is lost).
  Result<void> set(std::size_t count, Permanence permanence = Permanence::replaceable) noexcept {
    take_control();
    const Result<void> made = hash().is_final() ? Errno::busy : become(wish_of(count, permanence));
    let_go();
    return made;
  }

  /// Makes room for that many addresses at once, and tells the rule to keep it; 0 takes that back.
  /// Never shrinks the table; who chose the size stays who chose it. Waits and allocates as set().
  /// Errors: busy (a smaller table that is global or immutable), no_memory.
  Result<void> reserve(std::size_t addresses) noexcept {
    if (addresses > sizing::kOccupancyMax) return Errno::no_memory;
    take_control();
    const Result<void> made = make_room(addresses);
    if (made) reserved_.store(addresses, relaxed<why::LockHeld>);
    let_go();
    return made;
  }

  /// Asks the rule about `seen`, of which it fills in the buckets, the CPUs and what is reserved,
  /// and does what the rule wants. If somebody else is in control at that moment, the rule's wish
  /// is left to them and this returns at once. Allocates. Errors: no_memory (the table stays).
  Result<void> follow(sizing::Seen seen) noexcept {
    if (!hash().is_open_to_rules()) return {};
    const Hash wish = wish_about(seen);
    if (wish == hash()) return {};
    if (!take_control_or_leave(wish)) return {};
    const Result<void> made = serve(wish_about(seen));
    let_go();
    return made;
  }

  /// False when no number of threads would change anything any more, so that nobody need count
  /// them.
  bool may_change_with_threads() const noexcept {
    const Hash now = hash();
    return now.origin == Origin::none ||
           (now.origin == Origin::automatic && now.buckets < rule_.most_for_threads(cpus_));
  }

  /// What is in use. A hint as soon as it is returned.
  Hash hash() const noexcept { return Hash::unpacked(hash_.load(relaxed<why::Hint>)); }

  /// The rule that chooses while the origin is none or automatic.
  const sizing::Rule& rule() const noexcept { return rule_; }

 private:
  // attendance_ is how many are in control or wait for it, and the best wish left to them.
  static constexpr std::uint32_t kWish = 0xff;
  static constexpr std::uint32_t kOne = kWish + 1;

  Hash wish_of(std::size_t count, Permanence permanence) const noexcept {
    if (count == 0) return {Origin::global, sizing::kernel_global(cpus_)};
    return {permanence == Permanence::immutable ? Origin::immutable : Origin::custom, count};
  }

  Hash wish_about(sizing::Seen seen) const noexcept {
    seen.buckets = hash().buckets;
    seen.reserved = reserved_.load(relaxed<why::Hint>);
    seen.cpus = cpus_;
    const sizing::Wanted wanted = rule_.wanted(seen);
    const bool is_last = wanted.afterwards == sizing::Afterwards::frozen;
    return {is_last ? Origin::immutable : Origin::automatic, wanted.buckets};
  }

  // In control: what a rule wants, if users have not decided meanwhile. Busy is what an engine says
  // that cannot be replaced at all, and to a rule that is no error.
  Result<void> serve(Hash wish) noexcept {
    if (!hash().is_open_to_rules()) return {};
    const Result<void> made = become(wish);
    return made.error() == Errno::busy ? Result<void>{} : made;
  }

  // In control. A size that was set is made even where it is there already, as the kernel does.
  Result<void> become(Hash next) noexcept {
    if (next.buckets != hash().buckets || next.origin == Origin::custom) {
      if (const auto resized = engine_.resize(next.buckets); !resized) return resized;
    }
    if (next.is_final()) engine_.freeze();
    hash_.store(next.packed(), relaxed<why::LockHeld>);
    return {};
  }

  // In control.
  Result<void> make_room(std::size_t addresses) noexcept {
    const Hash now = hash();
    const std::size_t room = addresses == 0 ? 0 : sizing::room_for(addresses);
    if (room <= now.buckets) return {};
    return now.is_final() ? Errno::busy : become({now.origin, room});
  }

  void take_control() noexcept {
    attendance_.fetch_add(kOne, relaxed<why::AllInOneWord>);
    control_lock_.acquire();
  }

  // False if there was somebody to leave the wish to. If not, at most a user who came just now is
  // waited for.
  bool take_control_or_leave(Hash wish) noexcept {
    std::uint32_t found = attendance_.load(relaxed<why::Hint>);
    std::uint32_t next = 0;
    do {
      const Hash best = better(Hash::unpacked(found & kWish), wish);
      next = found < kOne ? kOne : (found & ~kWish) | best.packed();
    } while (!attendance_.compare_exchange(found, next, relaxed<why::AllInOneWord>,
                                           relaxed<why::LostRace>));
    if (found >= kOne) return false;
    control_lock_.acquire();
    return true;
  }

  // Serves the wishes that were left, the best first, until there is none [I10].
  void let_go() noexcept {
    std::uint32_t found = attendance_.load(relaxed<why::Hint>);
    for (;;) {
      const std::uint32_t wish = found & kWish;
      const std::uint32_t next = wish != 0 ? found - wish : found - kOne;
      if (!attendance_.compare_exchange(found, next, relaxed<why::AllInOneWord>,
                                        relaxed<why::LostRace>)) {
        continue;
      }
      if (wish == 0) break;
      serve_late(Hash::unpacked(wish));
      found = next;
    }
    control_lock_.release();
  }

  // In control. The table may have grown beyond the wish, which makes it no smaller. A growth for
  // which there is no memory does not happen; the next thread that comes asks again.
  void serve_late(Hash wish) noexcept {
    wish.buckets = std::max(wish.buckets, hash().buckets);
    (void)serve(wish);
  }

  E& engine_;
  const sizing::Rule& rule_;
  const sizing::Cpus cpus_;
  typename Platform::template Atomic<std::uint32_t> hash_;  // packed; written under control_lock_,
                                                            // read by everybody
  typename Platform::template Atomic<std::uintptr_t> reserved_{0};   // the same
  typename Platform::template Atomic<std::uint32_t> attendance_{0};  // kWish and kOne; [I10]
  BucketLock<Platform> control_lock_;
};

}  // namespace phutex
