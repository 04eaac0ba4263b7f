/* SPDX-License-Identifier: Apache-2.0
 * cuda_things - what a process has made on its devices and not destroyed: a
 * handle is good only while it is listed here. The caller holds the lock.
 */
#ifndef ASSAY_FAKE_CUDA_THINGS_H
#define ASSAY_FAKE_CUDA_THINGS_H

#include <stddef.h>
#include <stdint.h>

#include "tests/fake/cuda_device.h"

enum thing {
	THING_STREAM,
	THING_EVENT,
	THING_MODULE,
	THING_MEMORY,		/* of a device: is told by its address */
	THING_HOST		/* registered host memory */
};

/* A new, zeroed object, or NULL; its device. */
void *things_new(enum thing kind, struct fake_device *d, size_t size);
struct fake_device *things_device(enum thing kind, const void *p);
/* Forget it and free it; NULL is allowed. */
void things_drop(void *p);

/* The first one of a kind for which match says so, or NULL. */
typedef int (*things_match_f)(const void *p, const void *arg);
void *things_find(enum thing kind, things_match_f match, const void *arg);

/* Drop all that belongs to a device; undo is told of each one before. */
typedef void (*things_undo_f)(enum thing kind, void *p);
void things_drop_all(const struct fake_device *d, things_undo_f undo);

#endif
