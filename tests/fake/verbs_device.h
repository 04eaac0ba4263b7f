/* SPDX-License-Identifier: Apache-2.0
 * verbs_device - the devices of the fake libibverbs, what the scenario has
 * them answer, and how much of each kind is open.
 */
#ifndef ASSAY_FAKE_VERBS_DEVICE_H
#define ASSAY_FAKE_VERBS_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/fake/export.h"
#include "tests/fake/scenario.h"

#define FAKE_SECTION "verbs"
#define EXPORT(ret, name, params) EXPORT_AS(ibv_, ret, name, params)

/* X(kind): what can be open. */
#define VERBS_KINDS(X) \
	X(context) X(pd) X(mr) X(channel) X(cq) X(qp)

enum verbs_kind {
#define X(kind) VERBS_##kind,
	VERBS_KINDS(X)
#undef X
	VERBS_KIND_COUNT
};

struct fake_hca {
	struct ibv_device ib;	/* first: is told by its address */
	struct scn_device scn;
};

/* X(fault, number): what can go wrong, and what else is told of it. */
#define VERBS_FAULTS(X) \
	X(corrupt, flip_bit) X(event, type) X(hang, unused) X(lost, unused) \
	X(raise, by) X(wc, status)

enum verbs_fault {
#define X(fault, number) VERBS_FAULT_##fault,
	VERBS_FAULTS(X)
#undef X
	VERBS_FAULT_COUNT
};

struct fake_fault {
	int64_t after;		/* so many writes; INT64_MAX never */
	int64_t number;
	const char *text;	/* a type or a path, "" none */
};

struct fake_context {
	struct verbs_context v;
	struct fake_hca *hca;
	int events[2];		/* a pipe of struct ibv_async_event */
	int64_t writes;		/* posted, since a queue was made */
	struct fake_fault fault[VERBS_FAULT_COUNT];	/* asked then */
	int64_t busy_until;	/* ns: with all writes so far */
	bool is_down;		/* its port or all of it has failed */
};

struct fake_context *verbs_context_of(struct ibv_context *c);

/* The devices that the scenario lists; 0 or an errno. */
int verbs_devices(struct fake_hca **list, int *count);

/* A call of func ("reg_mr") on a device begins: the errno that the scenario
 * has it answer, or 0. detail: a state of modify_qp, or NULL. */
int verbs_begin(const struct fake_hca *h, const char *func, const char *detail);

/* What the device lists; key2 NULL: of key itself. */
struct scn_node verbs_ask(const struct fake_hca *h, const char *key,
			  const char *key2);
double verbs_number(const struct fake_hca *h, const char *key, const char *key2,
		    double otherwise);
const char *verbs_text(const struct fake_hca *h, const char *key,
		       const char *key2, const char *otherwise);

/* A port, from 1 on, as the scenario lists it: *port is then asked by
 * scn_step(). False: there is no such port. */
bool verbs_port(const struct fake_hca *h, int number, struct scn_node *port);

/* A new, zeroed thing, made by a call of func; NULL with errno, where the
 * scenario has one for that call. */
void *verbs_new(const struct fake_hca *h, const char *func,
		enum verbs_kind kind, size_t size);
void verbs_drop(void *p, enum verbs_kind kind);

/* The port as ibv_query_port() tells it: 0 or an errno. */
int verbs_query(struct ibv_context *c, uint8_t number,
		struct ibv_port_attr *attr, size_t size);

/* An answer of libibverbs: rc, which is in errno, too. */
int verbs_rc(int rc);

#endif
