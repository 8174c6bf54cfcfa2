// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The real machine: Linux on x86-64 and aarch64.

#include "engine/platform/platform.hpp"
#include "native/local_counts.hpp"
#include "native/memory.hpp"
#include "native/sections.hpp"
#include "native/sleeping.hpp"
#include "native/tasks.hpp"
#include "native/user_word.hpp"

namespace phutex::native {

struct Platform : Memory, Sleeping, Sections, Tasks {
  using LocalCounts = native::LocalCounts;
};

}  // namespace phutex::native

#include "native/section_records.hpp"

namespace phutex::native {

static_assert(IsPlatform<Platform>);
static_assert(IsWord<Word<std::uint32_t>>);

}  // namespace phutex::native
