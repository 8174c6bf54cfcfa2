// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/local_counts.hpp"

#include <linux/membarrier.h>

#include "native/kernel.hpp"

namespace phutex::native {

namespace {

constexpr unsigned kStripes = 16;  // a power of two; threads beyond share

// What a thread has instead of an rseq area where restartable sequences are not to be used: the
// sequences then find no CPU in it and give up, without a test of their own for that.
struct NoArea {
  std::uint32_t cpu_id_start = 0;
  std::uint32_t cpu_id = ~std::uint32_t{0};
  std::uint64_t rseq_cs = 0;
};
thread_local constinit NoArea no_area __attribute__((tls_model("initial-exec")));

// The same in every thread.
std::ptrdiff_t offset_of_no_area() noexcept {
  return reinterpret_cast<const char*>(&no_area) -
         static_cast<const char*>(__builtin_thread_pointer());
}

std::size_t storage_size(unsigned cpus) noexcept { return (cpus + kStripes) * sizeof(CountSlot); }

}  // namespace

bool LocalCounts::prepare() noexcept {
  const Abilities& machine = abilities();
  void* const storage = Memory::allocate(storage_size(machine.cpu_numbers));
  if (storage == nullptr) return false;
  auto* const slots = static_cast<CountSlot*>(storage);  // zero-filled: a valid state
  restartable_.use(slots, machine.cpu_numbers,
                   machine.has_rseq ? machine.rseq_offset : offset_of_no_area());
  return true;
}

LocalCounts::~LocalCounts() {
  if (CountSlot* const slots = restartable_.slots()) {
    Memory::deallocate(slots, storage_size(restartable_.count()));
  }
}

// By now the word may have changed for the better; then it starts again.
std::uintptr_t LocalCounts::add_unless_refused(const Atomic<std::uintptr_t>& word,
                                               std::uintptr_t refuse) noexcept {
  const std::uintptr_t found = word.load(acquire<edge::TablePublished>);
  return (found & refuse) != 0 ? found : add_unless(word, refuse, acquire<edge::TablePublished>);
}

std::uintptr_t LocalCounts::add_unless_striped(const Atomic<std::uintptr_t>& word,
                                               std::uintptr_t refuse) noexcept {
  Atomic<std::uint64_t>& stripe = stripe_of_thread();
  for (;;) {
    const std::uintptr_t found = word.load(acquire<edge::TablePublished>);
    if ((found & refuse) != 0) return found;
    stripe.fetch_add(1, acq_rel<edge::PinReleased>);
    full_fence();  // edge::PinOrDrain
    if (word.load(acquire<edge::TablePublished>) == found) return found;
    stripe.fetch_add(~std::uint64_t{0}, acq_rel<edge::PinReleased>);
  }
}

void LocalCounts::subtract_striped() noexcept {
  stripe_of_thread().fetch_add(~std::uint64_t{0}, acq_rel<edge::PinReleased>);
}

void LocalCounts::restart_all() noexcept {
  full_fence();
  if (abilities().has_rseq) kernel::call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
}

std::int64_t LocalCounts::sum_all() const noexcept {
  std::uint64_t sum = 0;
  for (const CountSlot* slot = restartable_.slots(); slot != stripes() + kStripes; ++slot) {
    sum += slot->value.load(acquire<edge::PinReleased>);
  }
  return static_cast<std::int64_t>(sum);
}

// Threads are told apart by where their thread control block is.
Atomic<std::uint64_t>& LocalCounts::stripe_of_thread() noexcept {
  const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  return stripes()[((thread >> 8) * 0x9e3779b97f4a7c15U) >> 60].value;
}

}  // namespace phutex::native
