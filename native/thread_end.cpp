// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "native/thread_end.hpp"

#include <pthread.h>

namespace phutex::native {

namespace {

// What else ends later and calls us again borrows again, and gives back in the next round of these.
void give_back(void*) noexcept {
  give_back_parker();
  give_back_section_record();
}

}  // namespace

// The key's value only has to be set for give_back to be called.
void call_at_thread_end() noexcept {
  static pthread_key_t key;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] { pthread_key_create(&key, give_back); });
  pthread_setspecific(key, &key);
}

}  // namespace phutex::native
