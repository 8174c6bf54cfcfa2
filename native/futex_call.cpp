// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// futex(2) in the engine: the kernel's arguments, results and order of checks.
//
// Flow  op -> ours? timeout -> flags -> bitset -> alignment -> address -> engine
//             not ours? the kernel

#include <errno.h>
#include <stdint.h>

#include "engine/request.hpp"
#include "native/address.hpp"
#include "native/instance.hpp"
#include "native/kernel.hpp"
#include "native/timeout.hpp"
#include "phutex/phutex.h"

namespace phutex::native {
namespace {

using request::Command;
using request::Op;

constexpr long negative(Errno error) noexcept { return -static_cast<long>(error); }

// WAIT's timeout is relative, WAIT_BITSET's is a moment.
Result<Deadline> deadline_of(Op op, const timespec* timeout) noexcept {
  if (timeout == nullptr) return Deadline::never();
  const Result<timespec> time = read_timespec(timeout);
  if (!time) return time.error();
  return op.command() == Command::wait ? relative_deadline(*time)
                                       : absolute_deadline(*time, op.clock());
}

Bitset bitset_of(Op op, std::uint32_t val3) noexcept {
  const bool is_given = op.command() == Command::wait_bitset || op.command() == Command::wake_bitset;
  return is_given ? val3 : kMatchAny;
}

long engine_wait(Op op, const std::uint32_t* word, std::uint32_t expected, const timespec* timeout,
                 Bitset bitset) noexcept {
  const Result<Deadline> deadline = deadline_of(op, timeout);
  if (!deadline) return negative(deadline.error());
  if (!op.allows_its_clock()) return negative(Errno::not_supported);
  if (bitset == 0) return negative(Errno::invalid);
  if (const auto checked = check_address<sizeof(*word)>(word); !checked) return negative(checked.error());
  Instance* const instance = Instance::get();
  if (instance == nullptr) return negative(Errno::no_memory);
  const auto waited =
      instance->engine().wait(Word<std::uint32_t>{word}, expected, bitset, *deadline);
  return negative(waited.error());
}

long engine_wake(Op op, const std::uint32_t* word, std::uint32_t count, Bitset bitset) noexcept {
  if (!op.allows_its_clock()) return negative(Errno::not_supported);
  if (bitset == 0) return negative(Errno::invalid);
  if (const auto checked = check_address<sizeof(*word)>(word); !checked) return negative(checked.error());
  Instance* const instance = Instance::get_if_used();
  if (instance == nullptr) return 0;  // nobody has ever waited
  const int limit = static_cast<int>(count) < 1 ? 1 : static_cast<int>(count);
  return instance->engine().wake(Key{reinterpret_cast<std::uintptr_t>(word)}, limit, bitset);
}

}  // namespace
}  // namespace phutex::native

using namespace phutex;
using namespace phutex::native;

extern "C" long phutex_futex(uint32_t* uaddr, int op_word, uint32_t val,
                             const struct timespec* timeout, uint32_t* uaddr2, uint32_t val3) {
  const Op op{static_cast<uint32_t>(op_word)};
  if (!op.is_for_engine()) {
    return kernel::call(SYS_futex, kernel::pointer(uaddr), op_word, static_cast<long>(val),
                        kernel::pointer(timeout), kernel::pointer(uaddr2),
                        static_cast<long>(val3));
  }
  catch_faults();
  if (op.has_timeout()) return engine_wait(op, uaddr, val, timeout, bitset_of(op, val3));
  return engine_wake(op, uaddr, val, bitset_of(op, val3));
}
