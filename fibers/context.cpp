// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fibers/context.hpp"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PHUTEX_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PHUTEX_ASAN 1
#endif

#if defined(PHUTEX_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace phutex::fibers {

namespace {

constexpr std::size_t kGuardSize = 4096;
constexpr std::size_t kStackSize = 256 * 1024;  // only what is touched takes memory

}  // namespace

Stack::Stack() {
  void* const mapping = mmap(nullptr, kGuardSize + kStackSize, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc{};
  mapping_ = static_cast<std::byte*>(mapping);
  mprotect(mapping_, kGuardSize, PROT_NONE);
}

Stack::~Stack() {
  munmap(mapping_, kGuardSize + kStackSize);
}

std::byte* Stack::bottom() const noexcept {
  return mapping_ + kGuardSize;
}
std::byte* Stack::top() const noexcept {
  return bottom() + kStackSize;
}

/// Where a switch arrives: at the beginning of a flow, or behind the switch that left it.
struct Landing {
  static void begin(boost::context::detail::transfer_t arrival) {
    Context& left = *static_cast<Context*>(arrival.data);
    left.handle_ = arrival.fctx;
#if defined(PHUTEX_ASAN)
    // Also how the bounds of the flow are learnt that the program began with.
    __sanitizer_finish_switch_fiber(nullptr, &left.stack_bottom_, &left.stack_size_);
#endif
    Context& self = *left.target_;
    self.entry_(self.argument_);
    __builtin_unreachable();
  }

  static void go_on(boost::context::detail::transfer_t arrival, [[maybe_unused]] Context& self) {
    static_cast<Context*>(arrival.data)->handle_ = arrival.fctx;
#if defined(PHUTEX_ASAN)
    __sanitizer_finish_switch_fiber(self.fake_stack_, nullptr, nullptr);
#endif
  }
};

void Context::begin(const Stack& stack, Entry entry, void* argument) noexcept {
#if defined(PHUTEX_ASAN)
  __asan_unpoison_memory_region(stack.bottom(), stack.size());
#endif
  stack_bottom_ = stack.bottom();
  stack_size_ = stack.size();
  fake_stack_ = nullptr;
  entry_ = entry;
  argument_ = argument;
  handle_ = boost::context::detail::make_fcontext(stack.top(), stack.size(), Landing::begin);
}

void Context::switch_to(Context& other) noexcept {
  target_ = &other;
#if defined(PHUTEX_ASAN)
  __sanitizer_start_switch_fiber(&fake_stack_, other.stack_bottom_, other.stack_size_);
#endif
  Landing::go_on(boost::context::detail::jump_fcontext(other.handle_, this), *this);
}

}  // namespace phutex::fibers
