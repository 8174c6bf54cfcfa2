// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A thread's parker: in thread-local storage while it is idle, from a pool when there is none.
//
// Parkers are never unmapped. A thread's goes back to the pool when the thread ends. A forked child
// starts with an empty pool: parkers of threads it does not have are left alone.

#include "engine/platform/parker.hpp"
#include "native/memory.hpp"
#include "native/sleeping.hpp"

namespace phutex::native {

struct Platform;

namespace hidden {
// Written and read by its own thread only, signal handlers of that thread included.
extern thread_local constinit Parker<Platform>* idle_parker
    __attribute__((tls_model("initial-exec")));
}

struct Tasks {
  static bool has_parker() noexcept { return hidden::idle_parker != nullptr; }
  static bool provide_parker() noexcept;
  static Parker<Platform>& take_parker() noexcept {
    Parker<Platform>* const parker = hidden::idle_parker;
    hidden::idle_parker = nullptr;
    return *parker;
  }
  static void return_parker(Parker<Platform>& parker) noexcept;
};

}  // namespace phutex::native
