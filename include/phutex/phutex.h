/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PHUTEX_PHUTEX_H
#define PHUTEX_PHUTEX_H

/*
 * Linux' private futexes in user space: the C interface.
 *
 * A word is used through phutex by everybody in the process, or by nobody: a thread asleep in the
 * kernel's futex on the same word is not woken from here, nor the other way round.
 *
 * Results are 0 or more for success and a negative errno for failure; errno itself is not touched.
 * Everything may be called from any thread, before main, and in a forked child, where the engine
 * starts empty. Nothing here throws. Nothing here may be called in a signal handler that can have
 * interrupted another of these calls: that call may hold the lock the handler would wait for.
 */

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Matches every waiter. */
#define PHUTEX_ANY UINT32_C(0xffffffff)

/*
 * Sleeps until woken, unless the word of `size` bytes (1, 2, 4 or 8, naturally aligned) at `word`
 * does not hold `expected`. `bits` is what phutex_wake picks waiters by; PHUTEX_ANY, or any other
 * set but 0. `deadline` is absolute, on `clock` (CLOCK_MONOTONIC or CLOCK_REALTIME); NULL: never.
 *
 * Blocks. Allocates at most once in a thread's life. A return of 0 means that a wake counted this
 * thread; look at the word again all the same, as the waker may have meant its former use.
 *   -EAGAIN     the word holds another value
 *   -ETIMEDOUT  the deadline has passed; looked at only after the value
 *   -EINTR      a signal handler ran; without a deadline only if it is not SA_RESTART
 *   -EINVAL     size, alignment, bits, clock or deadline is none
 *   -EFAULT     the word cannot be read
 *   -ENOMEM     no memory for the thread's first wait
 */
int phutex_wait(const void *word, size_t size, uint64_t expected, uint32_t bits,
                const struct timespec *deadline, clockid_t clock);

/*
 * Wakes up to `count` threads that wait on `word` with one of `bits`, longest-waiting first, and
 * returns how many. Never reads or writes the word. A full memory barrier: what the caller stored
 * before is seen by whoever is about to wait. Takes no lock and makes no system call if nobody
 * waits. Allocates nothing.
 *   -EINVAL     count below 1, or no bits
 */
int phutex_wake(const void *word, int count, uint32_t bits);

/*
 * futex(2): the same arguments, results and order of checks, with a negative errno for an error.
 * FUTEX_WAIT, WAKE, WAIT_BITSET and WAKE_BITSET with FUTEX_PRIVATE_FLAG are the engine's; every
 * other call is passed on to the kernel. The fourth argument is a timeout or a number, by `op`.
 * A word that cannot be read is -EFAULT; for that a handler for SIGSEGV and SIGBUS is installed at
 * the first call, which passes on every fault that is not its own. A wake count below 1 wakes one.
 */
long phutex_futex(uint32_t *uaddr, int op, uint32_t val, const struct timespec *timeout,
                  uint32_t *uaddr2, uint32_t val3);

/*
 * The number of buckets of the process's hash. 0: none yet, or the global table.
 */
size_t phutex_buckets(void);

/*
 * Replaces the hash by one of `count` buckets, a power of two from 2. Waiters sleep on. 0 changes
 * to the global table, sized as the kernel's, for good. Blocks until it is done; allocates; not
 * for signal handlers.
 *   -EINVAL     not 0 and not a power of two from 2
 *   -EBUSY      the global table is in use
 *   -ENOMEM     the hash is unchanged
 */
int phutex_set_buckets(size_t count);

/*
 * prctl(PR_FUTEX_HASH, operation, count, flags) for this engine: 1 sets, 2 gets. As the kernel's,
 * down to `count` being cut to 32 bits.
 */
int phutex_prctl_hash(unsigned long operation, unsigned long count, unsigned long flags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
