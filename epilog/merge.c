/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/gate_rows.h"
#include "epilog/merge_stalls.h"
#include "epilog/sheet.h"
#include "lib/scrub.h"

#define NODES_MAX 65536

struct merge {
	struct merge_job job;
	struct sheet *part; /* of a node each */
	int parts, room;
};

struct merge *merge_create(const struct merge_job *job)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (m)
		m->job = *job;
	return m;
}

static void drop_parts(struct merge *m)
{
	while (m->parts > 0)
		sheet_fini(&m->part[--m->parts]);
}

void merge_destroy(struct merge *m)
{
	int saved = errno;

	if (m) {
		drop_parts(m);
		free(m->part);
	}
	free(m);
	errno = saved;
}

static bool is_ours(const struct merge *m, const json_t *record)
{
	const json_t *job = json_object_get(record, "job");

	return member_is(record, "schema", RECORD_SCHEMA) &&
	       member_is(record, "kind", "node") && *member_string(job, "node") &&
	       member_whole(job, "id", -1) == m->job.id &&
	       member_whole(job, "restart", -1) == m->job.restart;
}

static struct sheet *part_of(struct merge *m, const char *node)
{
	int i;

	for (i = 0; i < m->parts; i++)
		if (!strcmp(m->part[i].job.node, node))
			return &m->part[i];
	return NULL;
}

/* A place for one more, not counted yet. */
static struct sheet *room_for(struct merge *m)
{
	int wanted = m->room ? 2 * m->room : 16;
	struct sheet *more;

	if (m->parts < m->room)
		return &m->part[m->parts];
	more = realloc(m->part, (size_t)wanted * sizeof(*more));
	if (!more)
		return NULL;
	m->part = more;
	m->room = wanted;
	return &m->part[m->parts];
}

/* Of two records of a node the later one. */
static void settle(struct merge *m, struct sheet *new)
{
	struct sheet *old = part_of(m, new->job.node);

	if (!old) {
		m->parts++;
		return;
	}
	if (new->node[0].end_s > old->node[0].end_s) {
		sheet_fini(old);
		*old = *new;
	} else {
		sheet_fini(new);
	}
}

int merge_add(struct merge *m, const json_t *record)
{
	struct sheet *new;

	if (!is_ours(m, record) || m->parts >= NODES_MAX) {
		errno = EINVAL;
		return -1;
	}
	new = room_for(m);
	if (!new || sheet_init(new) < 0)
		return -1;
	if (sheet_read(new, record) < 0) {
		sheet_fini(new);
		errno = ENOMEM;
		return -1;
	}
	settle(m, new);
	return 0;
}

static int by_node(const void *a, const void *b)
{
	const struct sheet *x = a, *y = b;

	return strverscmp(x->job.node, y->job.node);
}

static int copy_rows(struct sheet *to, struct sheet *part)
{
	struct gpu_row *gpu;
	struct port_row *port;
	struct node_row *node;
	int i;

	for (i = 0; i < part->gpus; i++) {
		gpu = sheet_gpu(to);
		if (!gpu)
			return -1;
		*gpu = part->gpu[i];
	}
	for (i = 0; i < part->ports; i++) {
		port = sheet_port(to);
		if (!port)
			return -1;
		*port = part->port[i];
		part->port[i].counters = NULL;
	}
	node = sheet_node(to);
	if (!node)
		return -1;
	*node = part->node[0];
	return 0;
}

static void copy_faults(struct sheet *to, const struct sheet *part)
{
	json_t *f;
	size_t i;

	to->faults_cut |= part->faults_cut;
	json_array_foreach(part->faults, i, f) {
		if (json_array_size(to->faults) >= SHEET_FAULTS_MAX) {
			to->faults_cut = true;
			return;
		}
		json_array_append(to->faults, f);
	}
}

/* A part into the sum; the part is empty afterwards. */
static int absorb(struct sheet *to, struct sheet *part)
{
	int rc = copy_rows(to, part);

	copy_faults(to, part);
	json_array_extend(to->clients, part->clients);
	gate_part_merge(&to->gate, part->gate);
	gate_part_merge(&to->after, part->after);
	sheet_fini(part);
	return rc;
}

/* Who and what: as the first node says; owned only if it was everywhere. */
static void set_job(struct sheet *to, const struct merge *m)
{
	int i;

	to->job = m->part[0].job;
	to->job.id = m->job.id;
	to->job.restart = m->job.restart;
	for (i = 1; i < m->parts; i++) {
		to->job.owned &= m->part[i].job.owned;
		if (m->part[i].job.nodes > to->job.nodes)
			to->job.nodes = m->part[i].job.nodes;
	}
	to->expected = m->job.nodes > 0 ? m->job.nodes : to->job.nodes;
	if (to->expected < m->parts)
		to->expected = m->parts;
}

static int has_name(const void *name, const void *part)
{
	return strverscmp(name, ((const struct sheet *)part)->job.node);
}

/* The parts are sorted. */
static bool has_part(const struct merge *m, const char *node)
{
	return bsearch(node, m->part, (size_t)m->parts, sizeof(*m->part),
		       has_name) != NULL;
}

static void find_missing(struct sheet *to, const struct merge *m)
{
	char name[64];
	int i;

	for (i = 0; m->job.names && i < m->job.nodes; i++)
		if (!has_part(m, m->job.names[i]))
			json_array_append_new(
				to->missing,
				json_string(scrub_copy(name, sizeof(name),
						       m->job.names[i])));
}

static int add_up(struct sheet *to, struct merge *m)
{
	struct common common = { 0 };
	int i;

	set_job(to, m);
	find_missing(to, m);
	for (i = 0; i < m->parts; i++) {
		common_add(&common, &m->part[i].stalls);
		if (absorb(to, &m->part[i]) < 0)
			return -1;
	}
	common_stalls(&common, &to->stalls);
	return 0;
}

json_t *merge_finish(struct merge *m)
{
	struct sheet to;
	json_t *record = NULL;

	if (!m->parts) {
		errno = ENOENT;
		return NULL;
	}
	if (sheet_init(&to) < 0)
		return NULL;
	to.of_job = true;
	qsort(m->part, (size_t)m->parts, sizeof(*m->part), by_node);
	if (add_up(&to, m) == 0)
		record = sheet_record(&to);
	drop_parts(m);
	sheet_fini(&to);
	return record;
}

json_t *merge_all(const json_t *records, const struct merge_job *job)
{
	struct merge *m = merge_create(job);
	json_t *record;
	size_t i;

	if (!m)
		return NULL;
	json_array_foreach(records, i, record)
		merge_add(m, record);
	record = merge_finish(m);
	merge_destroy(m);
	return record;
}
