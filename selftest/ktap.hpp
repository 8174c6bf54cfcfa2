// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Results as the kernel's own tests print them, KTAP version 1, each line as soon as it is known.
//
// Invariant  [I1] a line's text holds no newline, and a description no '#' but an escaped one, so
//            that nothing a check says can be read as a result or as a directive.
// See        https://docs.kernel.org/dev-tools/ktap.html

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace phutex::selftest {

enum class Verdict { pass, fail, skip, error };  // error: it could not be found out

/// How many of each.
struct Totals {
  std::size_t pass = 0;
  std::size_t fail = 0;
  std::size_t skip = 0;
  std::size_t error = 0;

  void count(Verdict verdict);
  void add(const Totals& others);

  /// Of all these together. To be skipped is no failure; all skipped is to be skipped.
  [[nodiscard]] Verdict verdict() const;
};

/// One level of results: a plan, a result for each of what was planned, and the totals.
class Ktap {
 public:
  /// Is given each line, its newline included.
  using Sink = std::function<void(std::string_view line)>;

  /// The outermost level.
  explicit Ktap(Sink sink) : Ktap(std::move(sink), "") {}

  /// The results that lie behind the next result of this level.
  [[nodiscard]] Ktap nested() const { return Ktap{sink_, indentation_ + "  "}; }

  /// The version line and the plan. Once, before all others.
  void plan(std::size_t count);

  /// A line about the next result.
  void diagnostic(std::string_view text);

  /// The next result. `reason` is why it was skipped; of other results it is not printed.
  void result(Verdict verdict, std::string_view description, std::string_view reason = {});

  void totals(const Totals& totals);

 private:
  Ktap(Sink sink, std::string indentation)
      : sink_(std::move(sink)), indentation_(std::move(indentation)) {}

  void line(std::string_view text);

  Sink sink_;
  std::string indentation_;
  std::size_t number_ = 0;  // of the last result
};

}  // namespace phutex::selftest
