/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls everything phutex.h declares, from C. Exits with the number of the first wrong result. */

#include <errno.h>
#include <linux/futex.h>

#include "phutex/phutex.h"

int main(void) {
  uint32_t word = 0;
  struct timespec past = {0, 0};
  if (phutex_wait(&word, sizeof word, 1, PHUTEX_ANY, NULL, CLOCK_MONOTONIC) != -EAGAIN) return 1;
  if (phutex_wait(&word, sizeof word, 0, PHUTEX_ANY, &past, CLOCK_REALTIME) != -ETIMEDOUT) return 2;
  if (phutex_wake(&word, 1, PHUTEX_ANY) != 0) return 3;
  if (phutex_futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) != -EAGAIN) return 4;
  if (phutex_set_buckets(16) != 0) return 5;
  if (phutex_buckets() != 16) return 6;
  if (phutex_prctl_hash(2, 0, 0) != 16) return 7;
  if (phutex_thread_coming() != 0 || phutex_buckets() != 16) return 8;
  if (phutex_reserve(17) != 0 || phutex_buckets() != 32) return 9;
  if (phutex_prctl_hash_as(PHUTEX_PRCTL_6_16, 1, 64, 1) != 0) return 10;
  if (phutex_prctl_hash_as(PHUTEX_PRCTL_6_16, 3, 0, 0) != 1) return 11;
  if (phutex_prctl_hash_as(PHUTEX_PRCTL_6_17, 3, 0, 0) != -EINVAL) return 12;
  return 0;
}
