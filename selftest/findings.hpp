// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What one check finds on one machine, said to its parent line by line as it is found.

#include <string>
#include <string_view>

#include "selftest/apart.hpp"
#include "selftest/ktap.hpp"
#include "selftest/machine.hpp"

namespace phutex::selftest {

/// Lines that begin with it say why a check is skipped; all others are diagnostics.
inline constexpr char kSkipMark = '\x01';

/// For the thread that runs the check; those it starts keep what they see until it looks.
class Findings {
 public:
  Findings(const Machine& machine, const TakeLine& say) : machine_(machine), say_(say) {}

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] Verdict verdict() const { return verdict_; }

  /// Makes the call. A result other than `expected` is a failure; was it as expected?
  bool expect(const HashCall& call, long expected);

  /// A number that `what` names.
  bool expect(std::string_view what, long expected, long found);

  /// Something that is otherwise than it should be.
  void fail(std::string_view text);

  void note(std::string_view text) const { say_(text); }

  /// This machine cannot show it. A failure found before remains one.
  void skip(std::string_view reason);

 private:
  const Machine& machine_;
  const TakeLine& say_;
  Verdict verdict_ = Verdict::pass;
};

}  // namespace phutex::selftest
