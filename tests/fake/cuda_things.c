/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/cuda_things.h"

#include <stdlib.h>

struct link {
	struct link *next;
	enum thing kind;
	struct fake_device *dev;
	void *p;
};

static struct link *links;

void *things_new(enum thing kind, struct fake_device *d, size_t size)
{
	struct link *l = calloc(1, sizeof(*l));
	void *p = l ? calloc(1, size) : NULL;

	if (!p) {
		free(l);
		return NULL;
	}
	*l = (struct link){ links, kind, d, p };
	links = l;
	return p;
}

struct fake_device *things_device(enum thing kind, const void *p)
{
	struct link *l;

	for (l = links; l; l = l->next)
		if (l->p == p && l->kind == kind)
			return l->dev;
	return NULL;
}

static void unlink_at(struct link **at)
{
	struct link *l = *at;

	*at = l->next;
	free(l->p);
	free(l);
}

void things_drop(void *p)
{
	struct link **at;

	for (at = &links; *at; at = &(*at)->next) {
		if ((*at)->p == p) {
			unlink_at(at);
			return;
		}
	}
}

void *things_find(enum thing kind, things_match_f match, const void *arg)
{
	struct link *l;

	for (l = links; l; l = l->next)
		if (l->kind == kind && match(l->p, arg))
			return l->p;
	return NULL;
}

void things_drop_all(const struct fake_device *d, things_undo_f undo)
{
	struct link **at = &links;

	while (*at) {
		if ((*at)->dev != d) {
			at = &(*at)->next;
			continue;
		}
		undo((*at)->kind, (*at)->p);
		unlink_at(at);
	}
}
