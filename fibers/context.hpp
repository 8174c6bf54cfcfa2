// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// One flow of control on a stack of its own, and the switch to another.
//
// A flow that is left need never be entered again: it is simply begun anew, and what stood on its
// stack is forgotten without destructors. Engine code is noexcept, so nothing could unwind it.

#include <cstddef>

namespace phutex::fibers {

/// Memory for one flow, above a page that nobody may touch. Kept for the next flow that needs it.
class Stack {
 public:
  Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack();

  std::byte* bottom() const noexcept;
  std::byte* top() const noexcept;
  std::size_t size() const noexcept { return static_cast<std::size_t>(top() - bottom()); }

 private:
  std::byte* mapping_;
};

class Context {
 public:
  using Entry = void (*)(void* argument);

  /// The flow that is running already; it gets its place to come back to when it is left.
  Context() noexcept = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Makes this a flow that will begin with `entry(argument)`, which must not return.
  void begin(const Stack& stack, Entry entry, void* argument) noexcept;

  /// Goes on in `other`. Called on this flow; returns when somebody switches to it.
  void switch_to(Context& other) noexcept;

 private:
  friend struct Landing;

  void* handle_ = nullptr;     // where to go on; valid while it does not run
  Context* target_ = nullptr;  // whom it is switching to, for the first moment there
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
  const void* stack_bottom_ = nullptr;  // for a sanitizer that follows stacks
  std::size_t stack_size_ = 0;
  void* fake_stack_ = nullptr;
};

}  // namespace phutex::fibers
