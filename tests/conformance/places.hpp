// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Good and bad addresses, good and bad timeouts: what the arguments of a futex call are made of.

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/threads/watch.hpp"

namespace phutex::tests {

struct Place {
  const char* name;
  std::uint32_t* word;
  bool can_be_slept_on;  // and then holds 0
};

struct Time {
  const char* name;
  const timespec* pointer;
  bool is_over;  // neither NULL nor refused: a wait with it ends at once
};

/// Owns the mappings behind both.
class Arguments {
 public:
  Arguments() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    char* const good = map(2 * page, PROT_READ | PROT_WRITE);
    char* const forbidden = good + page;
    if (mprotect(forbidden, page, PROT_NONE) != 0) give_up("a forbidden page");
    char* const gone = map(page, PROT_READ);
    munmap(gone, page);
    const int file = memfd_create("empty", MFD_CLOEXEC);
    void* const beyond = mmap(nullptr, page, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (beyond == MAP_FAILED) give_up("a page beyond the end of a file");

    places_ = {
        {"a word", at(good), true},
        {"a word on a read-only page", at(map(page, PROT_READ)), true},
        {"the last word before a forbidden page", at(forbidden - 4), true},
        {"a word off by 1", at(good + 1), false},
        {"a word off by 2", at(good + 2), false},
        {"a word off by 3, across pages", at(forbidden - 1), false},
        {"NULL", nullptr, false},
        {"NULL off by 2", at(2), false},
        {"a forbidden page", at(forbidden), false},
        {"an unmapped page", at(gone), false},
        {"a page beyond the end of its file", at(static_cast<char*>(beyond)), false},
        {"the kernel's half", at(0xffff'8000'0000'0000), false},
        {"the kernel's half, off by 1", at(0xffff'8000'0000'0001), false},
        {"the last word of all", at(~std::uintptr_t{3}), false},
    };

    times_ = {
        {"no timeout", nullptr, false},
        {"no time", time(good + 64, 0, 0), true},
        {"a nanosecond", time(good + 96, 0, 1), true},
        {"no time, at an odd address", time(good + 129, 0, 0), true},
        {"the last second but one, nanosecond -1", time(good + 160, 0, -1), false},
        {"a second of nanoseconds", time(good + 192, 0, 1'000'000'000), false},
        {"LONG_MAX nanoseconds", time(good + 224, 0, LONG_MAX), false},
        {"second -1", time(good + 256, -1, 0), false},
        {"second LONG_MIN", time(good + 288, LONG_MIN, 0), false},
        {"a timeout on a forbidden page", timeout(forbidden), false},
        {"a timeout half on a forbidden page", timeout(forbidden - 8), false},
        {"a timeout on an unmapped page", timeout(gone), false},
        {"a timeout at 8", timeout(reinterpret_cast<char*>(8)), false},
        {"a timeout in the kernel's half", timeout(reinterpret_cast<char*>(0xffff'8000'0000'0000)),
         false},
    };
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  const std::vector<Place>& places() const noexcept { return places_; }
  const std::vector<Time>& times() const noexcept { return times_; }

  const Place& place(const char* name) const {
    for (const Place& each : places_) {
      if (std::strcmp(each.name, name) == 0) return each;
    }
    give_up(name);
  }
  const Time& time(const char* name) const {
    for (const Time& each : times_) {
      if (std::strcmp(each.name, name) == 0) return each;
    }
    give_up(name);
  }

 private:
  static char* map(std::size_t size, int protection) {
    void* const mapping = mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) give_up("a mapping");
    return static_cast<char*>(mapping);
  }
  static std::uint32_t* at(char* address) { return reinterpret_cast<std::uint32_t*>(address); }
  static std::uint32_t* at(std::uintptr_t address) {
    return reinterpret_cast<std::uint32_t*>(address);
  }
  static const timespec* timeout(char* address) {
    return reinterpret_cast<const timespec*>(address);
  }
  static const timespec* time(char* address, long seconds, long nanoseconds) {
    const timespec value{seconds, nanoseconds};
    std::memcpy(address, &value, sizeof value);
    return timeout(address);
  }

  std::vector<Place> places_;
  std::vector<Time> times_;
};

}  // namespace phutex::tests
