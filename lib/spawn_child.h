/* SPDX-License-Identifier: Apache-2.0
 * spawn_child - what spawn.c and spawn_run.c do alike in a fresh child.
 */
#ifndef ASSAY_SPAWN_CHILD_H
#define ASSAY_SPAWN_CHILD_H

/* /dev/null on 0, 1 and 2. -1 with errno. */
int spawn_null_stdio(void);

/* Every signal to its default, none blocked. */
void spawn_default_signals(void);

#endif
