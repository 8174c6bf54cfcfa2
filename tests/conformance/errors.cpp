// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls that fail, or that find nothing to do: the same answer from kernel and engine, whatever
// arguments are wrong at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "tests/conformance/machines.hpp"
#include "tests/conformance/places.hpp"

namespace phutex::tests {
namespace {

const Arguments& arguments() {
  static const Arguments all;
  return all;
}

// A call by what it is made of. The word holds 0 wherever it can be read.
struct Call {
  int op;
  const Place* place;
  std::uint32_t value;
  const Time* time;
  std::uint32_t bits;

  bool is_wait() const { return (op & 127) == FUTEX_WAIT || (op & 127) == FUTEX_WAIT_BITSET; }

  // A wait that may get as far as to sleep, and that nobody would end.
  bool would_sleep() const {
    return is_wait() && place->can_be_slept_on && value == 0 && time->pointer == nullptr;
  }
};

long answer(const Machine& machine, const Call& call) {
  return machine.futex(call.place->word, call.op, call.value, call.time->pointer, nullptr,
                       call.bits);
}

testing::Message describe(const Call& call) {
  return testing::Message() << "op " << call.op << " on " << call.place->name << ", value "
                            << call.value << ", " << call.time->name << ", bits " << call.bits;
}

struct Row {
  const char* what;
  int op;
  const char* place;
  std::uint32_t value;
  const char* time;
  std::uint32_t bits;
  std::optional<long> result = std::nullopt;  // none: it is the running kernel's to say
};

constexpr Row kRows[] = {
    {"another value", kWait, "a word", 1, "no timeout", kAnyBit, -EAGAIN},
    {"another value in all 32 bits", kWait, "a word", 0x80000000, "no timeout", kAnyBit, -EAGAIN},
    {"no time left", kWait, "a word", 0, "no time", kAnyBit, -ETIMEDOUT},
    {"the value is looked at before the time", kWait, "a word", 1, "no time", kAnyBit, -EAGAIN},
    {"a moment of 1970", kWaitBitset, "a word", 0, "no time", kAnyBit, -ETIMEDOUT},
    {"a moment of 1970", kWaitBitset | kRealtime, "a word", 0, "no time", kAnyBit, -ETIMEDOUT},
    {"a past moment and another value", kWaitBitset, "a word", 1, "no time", kAnyBit, -EAGAIN},
    {"the same by wall clock", kWaitBitset | kRealtime, "a word", 1, "no time", kAnyBit, -EAGAIN},
    {"a bad time before a mismatch", kWait, "a word", 1, "second -1", kAnyBit, -EINVAL},
    {"a bad time before a bad word", kWait, "NULL", 0, "a second of nanoseconds", kAnyBit, -EINVAL},
    {"an unreadable time before all", kWait, "a word off by 1", 1, "a timeout at 8", 0, -EFAULT},
    {"a bad time before a bad flag", kWait | kRealtime, "a word", 0, "second -1", kAnyBit, -EINVAL},
    {"a wake has no time to be wrong", kWake, "a word", 1, "a timeout at 8", kAnyBit, 0},
    {"WAIT knows one clock", kWait | kRealtime, "a word", 0, "no time", kAnyBit, -ENOSYS},
    {"WAKE knows no clock", kWake | kRealtime, "a word", 1, "no timeout", kAnyBit, -ENOSYS},
    {"nor a set's", kWakeBitset | kRealtime, "a word", 1, "no timeout", kAnyBit, -ENOSYS},
    {"the flag before the set", kWakeBitset | kRealtime, "a word", 1, "no timeout", 0, -ENOSYS},
    {"no bits before a mismatch", kWaitBitset, "a word", 1, "no timeout", 0, -EINVAL},
    {"no bits before a bad word", kWaitBitset, "NULL", 0, "no timeout", 0, -EINVAL},
    {"no bits to wake", kWakeBitset, "a word", 1, "no timeout", 0, -EINVAL},
    {"bits that are no argument", kWait, "a word", 1, "no timeout", 0, -EAGAIN},
    {"misaligned before a mismatch", kWait, "a word off by 2", 1, "no timeout", kAnyBit, -EINVAL},
    {"misaligned wake", kWake, "a word off by 1", 1, "no timeout", kAnyBit, -EINVAL},
    {"misaligned before unreadable", kWait, "NULL off by 2", 0, "no timeout", kAnyBit, -EINVAL},
    {"misaligned before the kernel's", kWake, "the kernel's half, off by 1", 1, "no timeout",
     kAnyBit, -EINVAL},
    {"waiting at NULL", kWait, "NULL", 0, "no timeout", kAnyBit, -EFAULT},
    {"waiting where it is forbidden", kWait, "a forbidden page", 0, "no timeout", kAnyBit, -EFAULT},
    {"waiting where nothing is", kWait, "an unmapped page", 0, "no timeout", kAnyBit, -EFAULT},
    {"waiting beyond the file", kWait, "a page beyond the end of its file", 0, "no timeout",
     kAnyBit, -EFAULT},
    {"waiting in the kernel", kWait, "the kernel's half", 0, "no timeout", kAnyBit, -EFAULT},
    {"an unreadable word before the time", kWait, "NULL", 0, "no time", kAnyBit, -EFAULT},
    {"waking at NULL", kWake, "NULL", 1, "no timeout", kAnyBit, 0},
    {"waking where it is forbidden", kWake, "a forbidden page", 1, "no timeout", kAnyBit, 0},
    {"waking where nothing is", kWakeBitset, "an unmapped page", 1, "no timeout", 1, 0},
    {"waking in the kernel", kWake, "the kernel's half", 1, "no timeout", kAnyBit, -EFAULT},
    {"a read-only word will do", kWait, "a word on a read-only page", 0, "no time", kAnyBit,
     -ETIMEDOUT},
    {"no wide reading", kWait, "the last word before a forbidden page", 0, "no time", kAnyBit,
     -ETIMEDOUT},
    {"command 2", 2 | FUTEX_PRIVATE_FLAG, "a word", 0, "no timeout", kAnyBit, -ENOSYS},
    {"command 31", 31 | FUTEX_PRIVATE_FLAG, "a word", 0, "no timeout", kAnyBit, -ENOSYS},
    {"command 99", 99 | FUTEX_PRIVATE_FLAG, "a word", 0, "no timeout", kAnyBit, -ENOSYS},
    {"a bit of 7.2's", kWait | 512, "a word", 1, "no timeout", kAnyBit},
    {"another", kWake | 1024, "a word", 1, "no timeout", kAnyBit},
    {"a bit of nobody's", kWake | 0x10000, "a word", 1, "no timeout", kAnyBit, -ENOSYS},
    {"all bits", -1, "a word", 1, "no timeout", kAnyBit, -ENOSYS},
    {"shared wake at NULL", FUTEX_WAKE, "NULL", 1, "no timeout", kAnyBit, -EFAULT},
    {"shared wait, read-only", FUTEX_WAIT, "a word on a read-only page", 0, "no time", kAnyBit,
     -EFAULT},
    {"shared wait, another value", FUTEX_WAIT, "a word", 1, "no timeout", kAnyBit, -EAGAIN},
};

TEST(Errors, AreTheKernels) {
  for (const Row& row : kRows) {
    const Call call{row.op, &arguments().place(row.place), row.value, &arguments().time(row.time),
                    row.bits};
    SCOPED_TRACE(testing::Message() << row.what << ": " << describe(call));
    const long kernel = answer(kKernel, call);
    if (row.result) {
      EXPECT_EQ(kernel, *row.result) << "the kernel is not what the table says";
    }
    EXPECT_EQ(answer(kEngine, call), kernel);
  }
  std::printf("%zu rows\n", std::size(kRows));
}

constexpr int kOps[] = {kWait,       kWait | kRealtime,       kWake,       kWake | kRealtime,
                        kWaitBitset, kWaitBitset | kRealtime, kWakeBitset, kWakeBitset | kRealtime};
constexpr std::uint32_t kValues[] = {0, 1};
constexpr std::uint32_t kBits[] = {0, 1, kAnyBit};

// Every order of checks at once: whatever is wrong together with whatever else is wrong.
TEST(Errors, ComeInTheKernelsOrder) {
  int count = 0;
  for (const int op : kOps) {
    for (const Place& place : arguments().places()) {
      for (const Time& time : arguments().times()) {
        for (const std::uint32_t value : kValues) {
          for (const std::uint32_t bits : kBits) {
            const Call call{op, &place, value, &time, bits};
            if (call.would_sleep()) continue;
            SCOPED_TRACE(describe(call));
            ASSERT_EQ(answer(kEngine, call), answer(kKernel, call));
            ++count;
          }
        }
      }
    }
  }
  std::printf("%d combinations\n", count);
}

// C libraries abort on an errno they do not expect of a futex call. So nothing that is not in
// futex(2) may come out, whatever goes in.
TEST(Errors, AreNeverOnesThatALibraryWouldAbortOn) {
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  std::mt19937 random{seed};
  const auto below = [&](std::size_t count) { return random() % count; };
  const long of_waits[] = {0, -EAGAIN, -EINTR, -ETIMEDOUT, -EINVAL, -EFAULT, -ENOSYS};
  const long of_wakes[] = {0, -EINVAL, -EFAULT, -ENOSYS};
  const auto is_one_of = [](long result, const auto& those) {
    return std::find(std::begin(those), std::end(those), result) != std::end(those);
  };
  for (int round = 0; round < 20000; ++round) {
    const Call call{kOps[below(std::size(kOps))] ^ (below(8) == 0 ? 1 << below(31) & ~128 : 0),
                    &arguments().places()[below(arguments().places().size())],
                    below(2) == 0 ? std::uint32_t(random()) : 0,
                    &arguments().times()[below(arguments().times().size())],
                    std::uint32_t(random()) & std::uint32_t(random())};
    const int command = call.op & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    const bool is_known = command == FUTEX_WAIT || command == FUTEX_WAKE ||
                          command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
    if (call.would_sleep() || !is_known) continue;
    SCOPED_TRACE(describe(call));
    const long result = answer(kEngine, call);
    ASSERT_TRUE(call.is_wait() ? is_one_of(result, of_waits) : is_one_of(result, of_wakes))
        << result;
    ASSERT_EQ(result, answer(kKernel, call));
  }
}

// Where the engine means to differ, and why. Should a row come to agree, it is to be deleted.
struct Difference {
  const char* why;
  Call call;
  long kernel;
  long engine;
};

TEST(Errors, DifferOnlyWhereTheyAreMeantTo) {
  const Place hole{"between user and kernel", reinterpret_cast<std::uint32_t*>(1ULL << 62), false};
  const Time none{"no timeout", nullptr, false};
  const Difference differences[] = {
      {"how many address bits a process has depends on the CPU; no word can be there to be woken",
       {kWake, &hole, 1, &none, kAnyBit},
       -EFAULT,
       0},
  };
  for (const Difference& each : differences) {
    SCOPED_TRACE(testing::Message() << describe(each.call) << ": " << each.why);
    EXPECT_EQ(answer(kKernel, each.call), each.kernel);
    EXPECT_EQ(answer(kEngine, each.call), each.engine);
  }
  // The waiting side agrees: nobody can have slept there.
  const Call wait{kWait, &hole, 0, &none, kAnyBit};
  EXPECT_EQ(answer(kKernel, wait), -EFAULT);
  EXPECT_EQ(answer(kEngine, wait), -EFAULT);
}

}  // namespace
}  // namespace phutex::tests
