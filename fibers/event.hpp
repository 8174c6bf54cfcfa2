// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One thing a virtual thread did, as a counterexample shows it.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace phutex::fibers {

/// A place in the source. As a default argument, `Where::here()` is the caller's.
struct Where {
  const char* file = "";
  int line = 0;

  static constexpr Where here(const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

/// A place as people write it, "bucket_lock.hpp:39"; empty if there is none. Owns no storage.
class WhereText {
 public:
  explicit WhereText(Where where) noexcept {
    if (where.line == 0) return;
    const char* const slash = std::strrchr(where.file, '/');
    std::snprintf(text_.data(), text_.size(), "%s:%d", slash == nullptr ? where.file : slash + 1,
                  where.line);
  }
  std::string_view view() const noexcept { return text_.data(); }

 private:
  std::array<char, 64> text_{};
};

struct Event {
  const char* what;             // "load", "sleep", ...
  const char* order = "";       // the edge, or what says that there is none
  const void* place = nullptr;  // the word, if there is one
  std::uint64_t value = 0;      // what was read or written there
  Where where{};
  unsigned thread = 0;  // filled in by Runtime
};

}  // namespace phutex::fibers
