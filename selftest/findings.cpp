// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "selftest/findings.hpp"

#include <fmt/format.h>

namespace phutex::selftest {

bool Findings::expect(const HashCall& call, long expected) {
  const long found = machine_.hash(call);
  if (found == expected) return true;
  fail(fmt::format("{} = {} expected, {} found", call_text(machine_, call),
                   result_text(machine_, expected), result_text(machine_, found)));
  return false;
}

bool Findings::expect(std::string_view what, long expected, long found) {
  if (found == expected) return true;
  fail(fmt::format("{}: {} expected, {} found", what, expected, found));
  return false;
}

void Findings::fail(std::string_view text) {
  verdict_ = Verdict::fail;
  say_(text);
}

void Findings::skip(std::string_view reason) {
  if (verdict_ == Verdict::pass) verdict_ = Verdict::skip;
  say_(kSkipMark + std::string{reason});
}

}  // namespace phutex::selftest
