// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a thread has borrowed goes back when it ends.

namespace phutex::native {

/// Has both of the following called when the calling thread ends. Cheap to repeat.
void call_at_thread_end() noexcept;

void give_back_parker() noexcept;          // tasks.cpp
void give_back_section_record() noexcept;  // sections.cpp

}  // namespace phutex::native
