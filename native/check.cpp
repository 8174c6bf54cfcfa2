// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A check that failed, on the native machine: one line on standard error, and no further.

#include "engine/base/check.hpp"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

namespace phutex {

namespace {

iovec piece(const char* text) noexcept { return {const_cast<char*>(text), strlen(text)}; }

}  // namespace

void check_failed(const char* condition, const char* why, const char* file, int line) {
  char digits[12];
  char* number = digits + sizeof(digits) - 1;
  *number = '\0';
  for (int rest = line; rest != 0; rest /= 10) *--number = static_cast<char>('0' + rest % 10);
  const iovec pieces[] = {piece("phutex: "), piece(why),    piece(" ("), piece(condition),
                          piece(" at "),     piece(file),   piece(":"),  piece(number),
                          piece(")\n")};
  (void)!writev(STDERR_FILENO, pieces, sizeof(pieces) / sizeof(pieces[0]));
  abort();
}

}  // namespace phutex
