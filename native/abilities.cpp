// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/abilities.hpp"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <unistd.h>

#include "native/kernel.hpp"
#include "native/memory.hpp"

// Where the C library (glibc 2.35 and later) has registered this thread's rseq area. Weak: with an
// older or another C library they are null, and there is no rseq for us.
extern "C" {
extern const std::ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));
}

namespace phutex::native {

namespace hidden {
constinit Abilities abilities;
}

namespace {

bool is_forbidden(const char* variable) noexcept {
  const char* const value = getenv(variable);
  return value != nullptr && !(value[0] == '0' && value[1] == '\0');
}

bool register_for(int command) noexcept {
  return kernel::call(SYS_membarrier, command) == 0;
}

bool has_rseq_area() noexcept {
#if defined(PHUTEX_TSAN)
  return false;  // TSan must see every access to the counts
#else
  return &__rseq_size != nullptr && __rseq_size != 0;
#endif
}

unsigned configured(int name) noexcept {
  const long count = sysconf(name);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

// One more than the highest number a CPU can ever have here: the last number of the kernel's list,
// such as "0-3,8-11". 0 if the list cannot be read.
unsigned cpu_numbers() noexcept {
  const long file = kernel::call(SYS_openat, AT_FDCWD,
                                 kernel::pointer("/sys/devices/system/cpu/possible"), O_RDONLY);
  if (file < 0) return 0;
  char list[256];
  const long size = kernel::call(SYS_read, file, kernel::pointer(list), sizeof(list));
  kernel::call(SYS_close, file);
  unsigned last = 0;
  bool is_in_number = false;
  for (long at = 0; at < size; ++at) {
    const bool is_digit = list[at] >= '0' && list[at] <= '9';
    if (is_digit) last = (is_in_number ? last * 10 : 0) + static_cast<unsigned>(list[at] - '0');
    is_in_number = is_digit;
  }
  const bool is_whole = size > 0 && size < static_cast<long>(sizeof(list));
  return is_whole ? last + 1 : 0;
}

}  // namespace

void find_abilities() noexcept {
  Abilities& found = hidden::abilities;
  found.cpu_numbers = cpu_numbers();
  found.cpus_possible = configured(_SC_NPROCESSORS_CONF);
  found.cpus_online = configured(_SC_NPROCESSORS_ONLN);
  found.has_membarrier = !is_forbidden("PHUTEX_NO_MEMBARRIER") &&
                         register_for(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  found.has_rseq = found.has_membarrier && found.cpu_numbers != 0 && has_rseq_area() && !is_forbidden("PHUTEX_NO_RSEQ") &&
                   register_for(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ);
  if (found.has_rseq) found.rseq_offset = __rseq_offset;
}

}  // namespace phutex::native
