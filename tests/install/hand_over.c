/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A hand-over between two threads, by the C interface. */

#include <errno.h>
#include <limits.h>
#include <phutex/phutex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static _Atomic uint32_t is_ready;

static void *get_ready(void *unused) {
  (void)unused;
  atomic_store(&is_ready, 1);
  phutex_wake((const void *)&is_ready, INT_MAX, PHUTEX_ANY);
  return NULL;
}

int main(void) {
  pthread_t other;
  if (pthread_create(&other, NULL, get_ready, NULL) != 0) return 1;
  while (atomic_load(&is_ready) == 0) {
    phutex_wait((const void *)&is_ready, 4, 0, PHUTEX_ANY, NULL, CLOCK_MONOTONIC);
  }
  pthread_join(other, NULL);
  return phutex_wait((const void *)&is_ready, 4, 0, PHUTEX_ANY, NULL, CLOCK_MONOTONIC) == -EAGAIN
             ? 0
             : 2;
}
