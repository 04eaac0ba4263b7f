/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "epilog/members.h"

/* Room for one more of *list; 0 or -1 with ENOMEM. */
static int grow(void **list, int count, int *room, size_t size)
{
	int wanted = *room ? 2 * *room : 8;
	void *more;

	if (count < *room)
		return 0;
	more = realloc(*list, (size_t)wanted * size);
	if (!more)
		return -1;
	*list = more;
	*room = wanted;
	return 0;
}

struct gpu_row *sheet_gpu(struct sheet *s)
{
	void *list = s->gpu;

	if (grow(&list, s->gpus, &s->gpu_room, sizeof(*s->gpu)) < 0)
		return NULL;
	s->gpu = list;
	return memset(&s->gpu[s->gpus++], 0, sizeof(*s->gpu));
}

struct port_row *sheet_port(struct sheet *s)
{
	void *list = s->port;

	if (grow(&list, s->ports, &s->port_room, sizeof(*s->port)) < 0)
		return NULL;
	s->port = list;
	return memset(&s->port[s->ports++], 0, sizeof(*s->port));
}

struct node_row *sheet_node(struct sheet *s)
{
	void *list = s->node;

	if (grow(&list, s->nodes, &s->node_room, sizeof(*s->node)) < 0)
		return NULL;
	s->node = list;
	return memset(&s->node[s->nodes++], 0, sizeof(*s->node));
}

int sheet_init(struct sheet *s)
{
	memset(s, 0, sizeof(*s));
	s->missing = json_array();
	s->clients = json_array();
	s->faults = json_array();
	if (s->missing && s->clients && s->faults)
		return 0;
	sheet_fini(s);
	return -1;
}

void sheet_fini(struct sheet *s)
{
	int i;

	for (i = 0; i < s->ports; i++)
		json_decref(s->port[i].counters);
	free(s->gpu);
	free(s->port);
	free(s->node);
	json_decref(s->missing);
	json_decref(s->clients);
	json_decref(s->faults);
	json_decref(s->gate);
	json_decref(s->after);
	memset(s, 0, sizeof(*s));
}

static int by_gpu(const void *a, const void *b)
{
	const struct gpu_row *x = a, *y = b;
	int d = strverscmp(x->node, y->node);

	if (!d)
		d = (x->index > y->index) - (x->index < y->index);
	return d ? d : strcmp(x->uuid, y->uuid);
}

static int by_port(const void *a, const void *b)
{
	const struct port_row *x = a, *y = b;
	int d = strverscmp(x->node, y->node);

	return d ? d : strverscmp(x->name, y->name);
}

static int by_node(const void *a, const void *b)
{
	const struct node_row *x = a, *y = b;

	return strverscmp(x->node, y->node);
}

static int by_time(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	int64_t tx = member_whole(x, "time", 0), ty = member_whole(y, "time", 0);

	if (tx != ty)
		return tx < ty ? -1 : 1;
	return strverscmp(member_string(x, "node"), member_string(y, "node"));
}

static void sort_list(json_t *list)
{
	size_t n = json_array_size(list), i;
	json_t **o = n ? calloc(n, sizeof(*o)) : NULL;

	if (!o)
		return;
	for (i = 0; i < n; i++)
		o[i] = json_incref(json_array_get(list, i));
	qsort(o, n, sizeof(*o), by_time);
	json_array_clear(list);
	for (i = 0; i < n; i++)
		json_array_append_new(list, o[i]);
	free(o);
}

void sheet_sort(struct sheet *s)
{
	if (s->gpus)
		qsort(s->gpu, (size_t)s->gpus, sizeof(*s->gpu), by_gpu);
	if (s->ports)
		qsort(s->port, (size_t)s->ports, sizeof(*s->port), by_port);
	if (s->nodes)
		qsort(s->node, (size_t)s->nodes, sizeof(*s->node), by_node);
	sort_list(s->faults);
}
