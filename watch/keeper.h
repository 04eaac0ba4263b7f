/* SPDX-License-Identifier: Apache-2.0
 * keeper - there is one sampler on a node: found, started, told and ended by
 * the lock that it holds.
 *
 * <run>/watch/lock is locked by fcntl(): the kernel tells the holder's pid,
 * and the lock is the sampler's alone, whatever its children do. A pid that
 * still holds the lock after its pidfd was opened is the sampler's, never
 * somebody who has its number by now.
 *
 * Nobody who marks a job can miss it: the mark comes first, then the look at
 * the lock; the sampler lets go of the lock first, then looks for marks once
 * more (keeper_leave()). One that was told to end starts another then.
 */
#ifndef ASSAY_WATCH_KEEPER_H
#define ASSAY_WATCH_KEEPER_H

#include <stdbool.h>

#include "checks/session.h"

#define KEEPER_DIR "watch"
#define KEEPER_PATIENCE_MS 200	/* for its end */

/* <run>/watch, made 0700 if need be. -1 with errno. */
int keeper_dir(int run_dir);

/* Make sure that one runs and looks at the marks. 0, or -1 with *e. */
int keeper_start(const struct session *s, struct err *e);

/* Tell it to look at the marks; nothing if there is none. */
void keeper_poke(int run_dir);

/* Ask it to end, and wait at most KEEPER_PATIENCE_MS. */
enum keeper_end { KEEPER_NONE, KEEPER_GONE, KEEPER_STAYS };
enum keeper_end keeper_stop(int run_dir);

/* ---- the sampler's own side -------------------------------------------- */

/* Take the lock: a descriptor, -1 with EAGAIN if another one has it. */
int keeper_take(int dir);
void keeper_leave(int lock);

#endif
