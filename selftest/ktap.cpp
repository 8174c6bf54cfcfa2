// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "selftest/ktap.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace phutex::selftest {
namespace {

std::string one_line(std::string_view text) {
  std::string line{text};
  std::replace_if(
      line.begin(), line.end(), [](unsigned char byte) { return byte < ' '; }, ' ');
  return line;
}

/// A '#' would begin a directive [I1].
std::string escaped(std::string_view text) {
  std::string description;
  for (const char byte : one_line(text)) {
    if (byte == '#' || byte == '\\') description += '\\';
    description += byte;
  }
  return description;
}

}  // namespace

void Totals::count(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      ++pass;
      break;
    case Verdict::fail:
      ++fail;
      break;
    case Verdict::skip:
      ++skip;
      break;
    case Verdict::error:
      ++error;
      break;
  }
}

void Totals::add(const Totals& others) {
  pass += others.pass;
  fail += others.fail;
  skip += others.skip;
  error += others.error;
}

Verdict Totals::verdict() const {
  if (fail > 0) return Verdict::fail;
  if (error > 0) return Verdict::error;
  return pass == 0 && skip > 0 ? Verdict::skip : Verdict::pass;
}

void Ktap::plan(std::size_t count) {
  line("KTAP version 1");
  line(fmt::format("1..{}", count));
}

void Ktap::diagnostic(std::string_view text) {
  line(fmt::format("# {}", one_line(text)));
}

void Ktap::result(Verdict verdict, std::string_view description, std::string_view reason) {
  const bool is_well = verdict == Verdict::pass || verdict == Verdict::skip;
  std::string text =
      fmt::format("{} {} {}", is_well ? "ok" : "not ok", ++number_, escaped(description));
  if (verdict == Verdict::skip) text += fmt::format(" # SKIP {}", one_line(reason));
  line(text);
}

void Ktap::totals(const Totals& totals) {
  diagnostic(fmt::format("Totals: pass:{} fail:{} xfail:0 xpass:0 skip:{} error:{}", totals.pass,
                         totals.fail, totals.skip, totals.error));
}

void Ktap::line(std::string_view text) {
  sink_(fmt::format("{}{}\n", indentation_, text));
}

}  // namespace phutex::selftest
