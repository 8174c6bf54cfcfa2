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
 * Blocks. Allocates at a thread's first wait at most, when it may also make the hash bigger (see
 * phutex_thread_coming). A return of 0 means that a wake counted this
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
 * waits. Allocates at a thread's first call of phutex at most.
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
 * futex_wait(2) and futex_wake(2), system calls 455 and 454: the same arguments, results and order
 * of checks, with a negative errno for an error. With FUTEX2_PRIVATE (128) in `flags` they are the
 * engine's, on every kernel; without, they are passed on. Words of FUTEX2_SIZE_U32 (2) only.
 *
 * With FUTEX2_NUMA (4) a second word after the first, both at a multiple of 8, says the NUMA node in
 * whose table the first is waited on; -1 is replaced by the node of the caller's CPU, or with
 * FUTEX2_MPOL (8) by the first one that the mapping's MPOL_PREFERRED policy names. FUTEX2_MPOL alone
 * asks that policy and writes nothing. Such a word and one without a node never meet, whatever
 * their address. Faults are caught as by phutex_futex. Beyond what the kernel reports:
 *   -ENOMEM     no memory for the nodes' tables, at the first wait in one, or for the thread's first
 *   -EINTR      also where a handler is SA_RESTART, if there is a timeout
 * The node that a bound mapping is at home on is not known, so FUTEX2_MPOL finds none there.
 */
long phutex_futex_wait(void *uaddr, unsigned long val, unsigned long mask, unsigned int flags,
                       const struct timespec *timeout, clockid_t clockid);
long phutex_futex_wake(void *uaddr, unsigned long mask, int nr, unsigned int flags);

/*
 * The number of buckets of the process's hash, as PR_FUTEX_HASH_GET_SLOTS says it. 0: the process
 * has one thread and nobody has set a size, or the global table is in use. A hash that is being
 * replaced is what it was.
 */
size_t phutex_buckets(void);

/*
 * Replaces the hash by one of `count` buckets, a power of two from 2. Waiters sleep on. 0 changes
 * to the global table, sized as the kernel's, for good. From then on the size follows neither
 * threads nor anything else. Blocks until it is done; allocates; not for signal handlers.
 *   -EINVAL     not 0 and not a power of two from 2
 *   -EBUSY      the global table, or an immutable one, is in use
 *   -ENOMEM     the hash is unchanged
 */
int phutex_set_buckets(size_t count);

/*
 * Makes room for that many addresses waited on at once: the hash gets at least as many buckets, and
 * with PHUTEX_SIZING=occupancy is not replaced while no more addresses than that are waited on. For
 * those who must not come upon a replacement later. Never makes the hash smaller; 0 takes back what
 * was reserved before. Blocks until it is done; allocates; not for signal handlers.
 *   -EBUSY      a smaller hash, global or immutable, is in use
 *   -ENOMEM     the hash is unchanged
 */
int phutex_reserve(size_t addresses);

/*
 * To be called before a thread is created: makes the hash as big as the sizing rule wants it beside
 * the threads there are already, unless somebody has set its size. The rule is the kernel's, four
 * buckets for each thread up to the number of CPUs and 16 at least, or the one that PHUTEX_SIZING
 * names in the environment.
 *
 * The preload library calls it for pthread_create and thrd_create. A program that never calls it
 * need not: each thread is then noticed at its first phutex_wait. Who calls it once calls it for
 * every thread.
 *
 * May replace the hash, which waits for the calls that are using it, but never for a replacement
 * that another thread is in the middle of: that thread is left to do both. May allocate. Costs a
 * system call while the hash could still grow, and next to nothing from then on. Not for signal
 * handlers.
 *   -ENOMEM     the hash is unchanged; the kernel fails to create the thread then
 */
int phutex_thread_coming(void);

/*
 * prctl(PR_FUTEX_HASH, operation, count, flags) for this engine: 1 sets, 2 gets. As in Linux 6.17
 * and later, down to `count` being cut to 32 bits.
 */
int phutex_prctl_hash(unsigned long operation, unsigned long count, unsigned long flags);

/*
 * The same as a kernel of the given dialect has it. PHUTEX_PRCTL_6_16 is that of the release
 * candidates of 6.16: 1 with flags 1 sets for good, so that every later 1 is -EBUSY; 3 gets whether
 * the hash is that, or the global one. The preload library speaks what PHUTEX_PRCTL in the
 * environment says, 6.16 or 6.17. Further errors as phutex_set_buckets.
 *   -EINVAL     dialect, operation or flags is none, looked at in that order and before `count`
 */
#define PHUTEX_PRCTL_6_16 616
#define PHUTEX_PRCTL_6_17 617
int phutex_prctl_hash_as(int dialect, unsigned long operation, unsigned long count,
                         unsigned long flags);

/*
 * Who waits in the process's hash, how evenly they are spread, and what replacing it has cost.
 * Every bucket is as it was at one moment, but not all at the same. Times are in nanoseconds; a
 * stop is how long an operation that came at the worst moment of a replacement waited for it.
 */
struct phutex_snapshot {
  uint64_t buckets;                 /* 0: nobody has used the hash yet, or see below */
  uint64_t buckets_used;            /* in which somebody waits */
  uint64_t waiters;                 /* threads that wait */
  uint64_t addresses;               /* that they wait on */
  uint64_t addresses_chained;       /* of these, those that share a bucket with another */
  uint64_t chain_max;               /* addresses in one bucket */
  uint64_t waiters_per_address_max;
  uint64_t buckets_skipped;         /* busy, where they were not waited for */
  uint64_t replacements;            /* how often the hash was replaced */
  uint64_t duration_last_ns;
  uint64_t duration_max_ns;
  uint64_t stop_last_ns;
  uint64_t stop_max_ns;
  const char *scheme;               /* how the users of a table are counted */
  const char *mismatch;             /* when a word is compared first */
  const char *rule;                 /* which sizes the hash as long as nobody else has */
  const char *origin;               /* who has: none, automatic, custom, immutable or global */
};

/*
 * Fills in the first `size` bytes of a snapshot, so that a program may have been compiled with a
 * shorter one. With `patience` 0 it waits for nobody, skips busy buckets, has 0 buckets while the
 * hash is being replaced, and may be called by a signal handler whatever it has interrupted; with 1
 * it waits for both. Costs a look at every bucket; allocates nothing. Nothing is counted for it
 * while nobody asks. Always 0.
 */
int phutex_take_snapshot(struct phutex_snapshot *snapshot, size_t size, int patience);

/*
 * The same, and the process's id, as one line of JSON without the line's end. Returns how many bytes it has, which are
 * written, with a zero behind them, if `size` is greater; 1024 are enough.
 */
size_t phutex_snapshot_json(char *text, size_t size, int patience);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
