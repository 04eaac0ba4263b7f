/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/js1.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/js1_private.h"
#include "epilog/members.h"

#define DUMP (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15))

static bool is_record(const json_t *v)
{
	return member_is(v, "schema", RECORD_SCHEMA);
}

static json_t *object_of(const json_t *record, const struct js1_alloc *alloc,
			 enum js1_level level)
{
	json_t *partial, *js1, *own;

	js1 = js1_of_nodes(record, alloc, level, &partial);
	if (!js1)
		return NULL;
	if (level >= JS1_TOTALS && json_object_size(json_object_get(js1, "nodes")))
		js1_total(js1);
	own = js1_own(record, level, partial);
	json_decref(partial);
	if (own && json_object_set_new(js1, "assay", own) == 0)
		return js1;
	json_decref(js1);
	return NULL;
}

static char *packed(const json_t *js1)
{
	char *json = json_dumps(js1, DUMP), *comment;
	int saved;

	if (!json) {
		errno = ENOMEM;
		return NULL;
	}
	comment = js1_pack(json, strlen(json));
	saved = errno;
	free(json);
	errno = saved;
	return comment;
}

/* One attempt: NULL with EFBIG or ENOMEM. "None" where no node tells all
 * that readers want to know of it: to some of them no nodes are an error. */
static char *encode(const json_t *record, const struct js1_alloc *alloc,
		    enum js1_level level)
{
	json_t *js1 = object_of(record, alloc, level);
	char *comment;

	if (!js1) {
		errno = ENOMEM;
		return NULL;
	}
	if (!json_object_size(json_object_get(js1, "nodes")))
		comment = strdup("JS1:None");
	else
		comment = packed(js1);
	json_decref(js1);
	return comment;
}

char *js1_encode(const json_t *record, const struct js1_alloc *alloc, size_t max)
{
	enum js1_level level;
	char *comment;

	if (record && !is_record(record)) {
		errno = EINVAL;
		return NULL;
	}
	if (js1_wall_s(record, alloc) < JS1_SHORT_S)
		return strdup("JS1:Short");
	if (!record)
		return strdup("JS1:None");
	for (level = JS1_GPUS; level < JS1_LEVELS; level++) {
		comment = encode(record, alloc, level);
		if (!comment && errno != EFBIG)
			return NULL;
		if (comment && strlen(comment) <= max)
			return comment;
		free(comment);
	}
	errno = E2BIG;
	return NULL;
}

bool js1_is_own(const json_t *js1)
{
	return json_is_object(json_object_get(js1, "assay"));
}

static int64_t own_number(const json_t *js1, const char *section, const char *name)
{
	return member_whole(member_at(js1, "assay", section), name, -1);
}

int64_t js1_restart(const json_t *js1)
{
	return own_number(js1, "job", "restart");
}

int64_t js1_reported(const json_t *js1)
{
	return own_number(js1, "nodes", "reported");
}
