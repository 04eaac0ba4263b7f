/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/passes.h"

#include <string.h>

#include "probes/kernels.h"

#define PASSED "gpus"
#define TRIED "tried"

static bool same(const json_t *doc, const char *key, const char *now)
{
	const char *was = json_string_value(json_object_get(doc, key));

	return was && !strcmp(was, now);
}

static bool is_valid(const struct passes *p)
{
	return same(p->doc, "boot", p->facts->kmsg.boot_id) &&
	       same(p->doc, "driver", p->facts->gpus.driver) &&
	       same(p->doc, "build", kernels_build_id);
}

static void set_text(json_t *doc, const char *key, const char *text)
{
	json_object_set_new(doc, key, json_string(text));
}

void passes_begin(const struct passes *p)
{
	if (is_valid(p))
		return;
	json_object_clear(p->doc);
	set_text(p->doc, "boot", p->facts->kmsg.boot_id);
	set_text(p->doc, "driver", p->facts->gpus.driver);
	set_text(p->doc, "build", kernels_build_id);
}

/* The member of obj, made if it is not there. */
static json_t *member(json_t *obj, const char *key)
{
	if (!json_object_get(obj, key))
		json_object_set_new(obj, key, json_object());
	return json_object_get(obj, key);
}

void passes_note(const struct passes *p, int gpu, enum probe probe, bool passed)
{
	json_t *part = member(p->doc, passed ? PASSED : TRIED);

	json_object_set_new(member(part, p->facts->gpus.gpu[gpu].uuid),
			    probe_name(probe), json_integer(p->now_s));
}

static int64_t at(const struct passes *p, const char *part, int gpu,
		  enum probe probe)
{
	const json_t *gpus = json_object_get(p->doc, part);

	gpus = json_object_get(gpus, p->facts->gpus.gpu[gpu].uuid);
	return json_integer_value(json_object_get(gpus, probe_name(probe)));
}

int64_t passes_at(const struct passes *p, int gpu, enum probe probe)
{
	return is_valid(p) ? at(p, PASSED, gpu, probe) : 0;
}

static bool is_fresh(const struct passes *p, int64_t t, int ttl_s)
{
	return t > 0 && t <= p->now_s && p->now_s - t < ttl_s;
}

bool passes_want(const struct passes *p, int gpu, enum probe probe, int ttl_s)
{
	int retry_s = ttl_s < PASSES_RETRY_S ? ttl_s : PASSES_RETRY_S;

	return !is_valid(p) || (!is_fresh(p, at(p, PASSED, gpu, probe), ttl_s) &&
				!is_fresh(p, at(p, TRIED, gpu, probe), retry_s));
}
