// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "selftest/runner.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "selftest/apart.hpp"

namespace phutex::selftest {
namespace {

/// What a machine has, as far as it decides which checks apply.
struct Abilities {
  bool is_known = true;  // PR_FUTEX_HASH is
  bool has_private_hash = true;
  bool has_immutable = false;
};

// Each ability is a bit of what the process that looks for them returns.
constexpr int kIsKnown = 1;
constexpr int kHasPrivateHash = 2;
constexpr int kHasImmutable = 4;

int look_for_abilities(const Machine& machine) {
  int found = 0;
  if (machine.hash(kGet) >= 0) found |= kIsKnown;
  if (machine.hash(set(16)) != -EINVAL) found |= kHasPrivateHash;
  if (machine.hash({kGetImmutable}) >= 0) found |= kHasImmutable;
  return found;
}

/// A machine that gives no answer is taken for a usual one: its checks will tell.
Abilities abilities_of(const Machine& machine, std::chrono::milliseconds limit) {
  const Ending ending = run_apart([&](const TakeLine&) { return look_for_abilities(machine); },
                                  limit, [](std::string_view) {});
  if (ending.end != End::returned) return {};
  return {.is_known = (ending.value & kIsKnown) != 0,
          .has_private_hash = (ending.value & kHasPrivateHash) != 0,
          .has_immutable = (ending.value & kHasImmutable) != 0};
}

/// Why the check does not apply, if it does not.
std::optional<std::string> obstacle(Needs needs, const Abilities& has, const Machine& machine) {
  if (!has.is_known) return "no PR_FUTEX_HASH; Linux 6.16 and later have it";
  if (needs == Needs::any_answer) return std::nullopt;
  if (needs == Needs::no_private_hash) {
    return has.has_private_hash ? std::optional{"there are private hashes"} : std::nullopt;
  }
  if (!has.has_private_hash) {
    return "no private hashes: built without CONFIG_FUTEX_PRIVATE_HASH, as all releases of 6.16";
  }
  if (needs == Needs::immutable && !has.has_immutable) {
    return "no immutable hashes; only release candidates of Linux 6.16 have them";
  }
  if (needs == Needs::no_immutable && has.has_immutable) {
    return "there are immutable hashes, as in release candidates of Linux 6.16";
  }
  if (needs == Needs::unused_argument && !machine.has_unused_argument) {
    return "the call has no such argument";
  }
  return std::nullopt;
}

/// The life of the process that makes one check.
int check_here(const Check& check, const Machine& machine, const TakeLine& say) {
  Findings findings{machine, say};
  try {
    check.run(findings);
  } catch (const std::exception& exception) {
    say(fmt::format("the check cannot go on: {}", exception.what()));
    return static_cast<int>(Verdict::error);
  }
  return static_cast<int>(findings.verdict());
}

Verdict verdict_of(const Ending& ending, std::chrono::milliseconds limit, Ktap& ktap) {
  switch (ending.end) {
    case End::returned:
      return static_cast<Verdict>(ending.value);
    case End::not_started:
      ktap.diagnostic(fmt::format("no process for the check: {}", strerrordesc_np(ending.value)));
      return Verdict::error;
    case End::exited:
      ktap.diagnostic(
          fmt::format("the process exited with status {} before its end", ending.value));
      break;
    case End::signalled:
      ktap.diagnostic(fmt::format("the process was ended by a signal: {} (SIG{})",
                                  sigdescr_np(ending.value), sigabbrev_np(ending.value)));
      break;
    case End::hung:
      ktap.diagnostic(fmt::format("not over after {:g} s, killed",
                                  std::chrono::duration<double>(limit).count()));
      for (const std::string& line : ending.threads) ktap.diagnostic(line);
      break;
  }
  return Verdict::fail;
}

Verdict run_check(const Check& check, const Machine& machine, const Session& session, Ktap& ktap) {
  std::string reason;
  const Ending ending =
      run_apart([&](const TakeLine& say) { return check_here(check, machine, say); }, session.limit,
                [&](std::string_view line) {
                  if (line.starts_with(kSkipMark)) {
                    reason = line.substr(1);
                  } else {
                    ktap.diagnostic(line);
                  }
                });
  const Verdict verdict = verdict_of(ending, session.limit, ktap);
  ktap.result(verdict, fmt::format("{}: {}", check.name, check.sentence), reason);
  return verdict;
}

std::string description_of(const Machine& machine, const Abilities& has) {
  utsname system{};
  uname(&system);
  return fmt::format("{} on {} {} {}, {} CPUs online; private hashes: {}, immutable ones: {}",
                     machine.name, system.sysname, system.release, system.machine,
                     machine.online_cpus(), has.has_private_hash ? "yes" : "no",
                     has.has_immutable ? "yes" : "no");
}

Totals run_on(const Machine& machine, const Session& session, Ktap ktap) {
  ktap.plan(session.checks.size());
  const Abilities has = abilities_of(machine, session.limit);
  ktap.diagnostic(description_of(machine, has));
  Totals totals;
  for (const Check* const check : session.checks) {
    const std::optional<std::string> why_not = obstacle(check->needs, has, machine);
    if (why_not) {
      ktap.result(Verdict::skip, fmt::format("{}: {}", check->name, check->sentence), *why_not);
      totals.count(Verdict::skip);
    } else {
      totals.count(run_check(*check, machine, session, ktap));
    }
  }
  ktap.totals(totals);
  return totals;
}

}  // namespace

std::span<const Check> checks() {
  static const std::vector<Check> all = [] {
    std::vector<Check> joined = checks_of_results();
    for (const auto& more : {checks_of_threads(), checks_of_sleepers()}) {
      joined.insert(joined.end(), more.begin(), more.end());
    }
    return joined;
  }();
  return all;
}

Totals run_checks(const Session& session, const Ktap::Sink& sink) {
  Ktap ktap{sink};
  ktap.plan(session.machines.size());
  Totals all;
  for (const Machine* const machine : session.machines) {
    const Totals totals = run_on(*machine, session, ktap.nested());
    ktap.result(totals.verdict(), machine->name, "nothing that could be checked");
    all.add(totals);
  }
  ktap.totals(all);
  return all;
}

}  // namespace phutex::selftest
