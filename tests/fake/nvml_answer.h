/* SPDX-License-Identifier: Apache-2.0
 * nvml_answer - answers of the fake NVML out of the scenario: the devices and
 * the few shapes that its functions have.
 */
#ifndef ASSAY_FAKE_NVML_ANSWER_H
#define ASSAY_FAKE_NVML_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/nvml.h"
#include "tests/fake/nvml_fields.h"
#include "tests/fake/nvml_members.h"
#include "tests/fake/scenario.h"

struct nvml_device {
	struct scn_device scn;
	char bus_id[32];	/* as listed; "" unreadable */
};

/* Load the scenario if need be; 0 or the rc for init. */
int answer_load(void);
int answer_gpu_count(void);
struct nvml_device *answer_gpu(int i);	/* NULL behind the last */

/* Is the library initialised? answer_init() counts up or down. */
void answer_init(int step);
bool answer_ready(void);

/* Library-wide: does the section list func [/ key]; its rc, its value. */
bool answer_lists(const char *func, const char *key);
struct scn_node answer_library(const char *func, const char *key);
int answer_library_text(const char *func, char *buf, unsigned int size);

/* Begin a call on a device: 0, UNINITIALIZED or INVALID_ARGUMENT. */
int answer_begin(const struct nvml_device *g, const void *out);

/* One number told by func [/ key], or by its twins. */
int answer_u32(struct nvml_device *g, const char *func, const char *key,
	       unsigned int *out);
int answer_u64(struct nvml_device *g, const char *func, const char *key,
	       unsigned long long *out);
/* As answer_u64(), inside a call that has begun. */
int answer_more(struct nvml_device *g, const char *func, const char *key,
		const char *member, unsigned long long *out);
int answer_text(struct nvml_device *g, const char *func, char *buf,
		unsigned int size);
int answer_field(struct nvml_device *g, struct nvml_field_value *f);

/* A struct answer: an object with the C names, or a plain number for the
 * first member. Members that it does not list are 0. */
int answer_struct(struct nvml_device *g, const char *func,
		  const struct answer_member *m, void *out);

/* The node of a whole answer, and its rc (0 if it is known). */
struct scn_node answer_node(struct nvml_device *g, const char *func);
int answer_rc(const struct scn_node *n);

#endif
