// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "selftest/machine.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>

#include <fmt/format.h>
#include <linux/futex.h>
#include <unistd.h>

#include "native/instance.hpp"
#include "native/kernel.hpp"
#include "phutex/phutex.h"

namespace phutex::selftest {
namespace {

using native::kernel::call;
using native::kernel::pointer;

constexpr long kPrFutexHash = 78;  // <linux/prctl.h> of the oldest supported system lacks it

std::uint32_t* address(Word& word) noexcept {
  return reinterpret_cast<std::uint32_t*>(&word.value);
}

long kernel_hash(const HashCall& wanted) noexcept {
  return call(SYS_prctl, kPrFutexHash, static_cast<long>(wanted.operation),
              static_cast<long>(wanted.count), static_cast<long>(wanted.flags),
              static_cast<long>(wanted.unused));
}

long kernel_wait(Word& word, std::uint32_t expected, const timespec* timeout) noexcept {
  return call(SYS_futex, pointer(address(word)), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected,
              pointer(timeout));
}

long kernel_wake(Word& word, int count) noexcept {
  return call(SYS_futex, pointer(address(word)), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count);
}

// Moving all waiters of a word to the same word leaves them where they are and says how many.
std::size_t kernel_sleeping(Word& word) noexcept {
  for (;;) {
    const long moved =
        call(SYS_futex, pointer(address(word)), FUTEX_CMP_REQUEUE | FUTEX_PRIVATE_FLAG, 0, INT_MAX,
             pointer(address(word)), word.value.load());
    if (moved != -EAGAIN) return moved < 0 ? 0 : static_cast<std::size_t>(moved);
  }
}

long kernel_announce_thread() noexcept {
  return 0;
}

long engine_hash(const HashCall& wanted) noexcept {
  return phutex_prctl_hash(wanted.operation, wanted.count, wanted.flags);
}

long engine_hash_6_16(const HashCall& wanted) noexcept {
  return phutex_prctl_hash_as(PHUTEX_PRCTL_6_16, wanted.operation, wanted.count, wanted.flags);
}

long engine_wait(Word& word, std::uint32_t expected, const timespec* timeout) noexcept {
  return phutex_futex(address(word), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected, timeout, nullptr,
                      0);
}

long engine_wake(Word& word, int count) noexcept {
  return phutex_futex(address(word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG,
                      static_cast<std::uint32_t>(count), nullptr, nullptr, 0);
}

std::size_t engine_sleeping(Word& word) noexcept {
  native::Instance* const instance = native::Instance::get_if_used();
  if (instance == nullptr) return 0;
  return instance->engine().waiting(Key{reinterpret_cast<std::uintptr_t>(address(word))});
}

long engine_announce_thread() noexcept {
  return phutex_thread_coming();
}

long online_cpus() noexcept {
  return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
}

constexpr std::array kMachines{
    Machine{.name = "kernel",
            .hash = kernel_hash,
            .wait = kernel_wait,
            .wake = kernel_wake,
            .sleeping = kernel_sleeping,
            .announce_thread = kernel_announce_thread,
            .online_cpus = online_cpus,
            .has_unused_argument = true,
            .call_begin = "prctl(PR_FUTEX_HASH, ",
            .error_begin = "-1 "},
    Machine{.name = "engine",
            .hash = engine_hash,
            .wait = engine_wait,
            .wake = engine_wake,
            .sleeping = engine_sleeping,
            .announce_thread = engine_announce_thread,
            .online_cpus = online_cpus,
            .has_unused_argument = false,
            .call_begin = "phutex_prctl_hash(",
            .error_begin = "-"},
    Machine{.name = "engine_6.16",
            .hash = engine_hash_6_16,
            .wait = engine_wait,
            .wake = engine_wake,
            .sleeping = engine_sleeping,
            .announce_thread = engine_announce_thread,
            .online_cpus = online_cpus,
            .has_unused_argument = false,
            .call_begin = "phutex_prctl_hash_as(PHUTEX_PRCTL_6_16, ",
            .error_begin = "-"},
};

std::string operation_text(unsigned long operation) {
  switch (operation) {
    case kSetSlots:
      return "SET_SLOTS";
    case kGetSlots:
      return "GET_SLOTS";
    case kGetImmutable:
      return "GET_IMMUTABLE";
    default:
      return operation > UINT_MAX ? fmt::format("{:#x}", operation) : std::to_string(operation);
  }
}

/// Large sizes as the powers of two they are.
std::string count_text(unsigned long count) {
  constexpr unsigned long kReadable = 1UL << 16;
  if (count <= kReadable) return std::to_string(count);
  if (std::has_single_bit(count)) return fmt::format("1 << {}", std::countr_zero(count));
  return fmt::format("{:#x}", count);
}

}  // namespace

std::span<const Machine> machines() {
  return kMachines;
}

const Machine& machine_named(std::string_view name) {
  return *std::find_if(kMachines.begin(), kMachines.end(),
                       [&](const Machine& machine) { return machine.name == name; });
}

std::string call_text(const Machine& machine, const HashCall& call) {
  std::string text = fmt::format("{}{}", machine.call_begin, operation_text(call.operation));
  const bool is_whole = call.unused != 0;
  if (call.operation == kSetSlots || call.count != 0 || call.flags != 0 || is_whole) {
    text += fmt::format(", {}, {}", count_text(call.count), call.flags);
  }
  if (is_whole) text += fmt::format(", {}", call.unused);
  return text + ")";
}

std::string result_text(const Machine& machine, long result) {
  if (result >= 0) return std::to_string(result);
  const char* const name = strerrorname_np(static_cast<int>(-result));
  return fmt::format("{}{}", machine.error_begin, name == nullptr ? std::to_string(-result) : name);
}

}  // namespace phutex::selftest
