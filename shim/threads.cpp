// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The preload library: libc's pthread_create() and thrd_create(), announced to the engine, whose
// hash grows with the threads as the kernel's does.
//
// The C library's own are looked up at the first call, and by every thread that makes it, to the
// same result. Threads that are started by bare clone() are not announced.

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "native/memory.hpp"
#include "phutex/phutex.h"

namespace {

namespace why = phutex::why;
using phutex::relaxed;

using PthreadCreate = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using ThrdCreate = int(thrd_t*, thrd_start_t, void*);

// The function of that name in the libraries after this one; null if there is none.
template <class Function>
Function* next(phutex::native::Atomic<Function*>& known, const char* name) noexcept {
  Function* function = known.load(relaxed<why::Hint>);
  if (function != nullptr) return function;
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  known.store(function, relaxed<why::Hint>);
  return function;
}

}  // namespace

// Where there is no memory for the hash the kernel fails to create the thread, which the C library
// reports as it reports any lack of resources.
extern "C" {

[[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                  const pthread_attr_t* attributes,
                                                  void* (*start)(void*), void* argument) noexcept {
  static constinit phutex::native::Atomic<PthreadCreate*> known{nullptr};
  auto* const create = next(known, "pthread_create");
  if (create == nullptr || phutex_thread_coming() != 0) return EAGAIN;
  return create(thread, attributes, start, argument);
}

[[gnu::visibility("default")]] int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  static constinit phutex::native::Atomic<ThrdCreate*> known{nullptr};
  auto* const create = next(known, "thrd_create");
  if (create == nullptr || phutex_thread_coming() != 0) return thrd_error;
  return create(thread, start, argument);
}

}  // extern "C"
