/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/passes.h"

#include <string.h>

#include "checks/places.h"
#include "probes/kernels.h"

#define PORTS "ports"
#define TRIED "tried"

static const char *passed(int place)
{
	return place_is_port(place) ? "passed" : "gpus";
}

/* Where passes of that kind are noted. */
static json_t *book(const struct passes *p, int place)
{
	return place_is_port(place) ? json_object_get(p->doc, PORTS) : p->doc;
}

static bool same(const json_t *doc, const char *key, const char *now)
{
	const char *was = json_string_value(json_object_get(doc, key));

	return was && !strcmp(was, now);
}

static bool is_valid(const struct passes *p, int place)
{
	const json_t *b = book(p, place);

	return same(b, "boot", p->facts->kmsg.boot_id) &&
	       same(b, "build", kernels_build_id) &&
	       (place_is_port(place) ||
		same(b, "driver", p->facts->gpus.driver));
}

static void set_text(json_t *doc, const char *key, const char *text)
{
	json_object_set_new(doc, key, json_string(text));
}

static void begin_gpus(const struct passes *p)
{
	json_t *ports = json_incref(json_object_get(p->doc, PORTS));

	json_object_clear(p->doc);
	set_text(p->doc, "boot", p->facts->kmsg.boot_id);
	set_text(p->doc, "driver", p->facts->gpus.driver);
	set_text(p->doc, "build", kernels_build_id);
	if (ports)
		json_object_set_new(p->doc, PORTS, ports);
}

static void begin_ports(const struct passes *p)
{
	json_t *b = json_object();

	set_text(b, "boot", p->facts->kmsg.boot_id);
	set_text(b, "build", kernels_build_id);
	json_object_set_new(p->doc, PORTS, b);
}

void passes_begin(const struct passes *p)
{
	if (!is_valid(p, 0))
		begin_gpus(p);
	if (!is_valid(p, PROBE_PLACE_PORT(0)))
		begin_ports(p);
}

/* The member of obj, made if it is not there. */
static json_t *member(json_t *obj, const char *key)
{
	if (!json_object_get(obj, key))
		json_object_set_new(obj, key, json_object());
	return json_object_get(obj, key);
}

void passes_note(const struct passes *p, int place, enum probe probe, bool ok)
{
	json_t *part = member(book(p, place), ok ? passed(place) : TRIED);
	char id[PLACE_SIZE];

	json_object_set_new(member(part, place_id(p->facts, place, id)),
			    probe_name(probe), json_integer(p->now_s));
}

static int64_t at(const struct passes *p, const char *part, int place,
		  enum probe probe)
{
	const json_t *places = json_object_get(book(p, place), part);
	char id[PLACE_SIZE];

	places = json_object_get(places, place_id(p->facts, place, id));
	return json_integer_value(json_object_get(places, probe_name(probe)));
}

int64_t passes_at(const struct passes *p, int place, enum probe probe)
{
	return is_valid(p, place) ? at(p, passed(place), place, probe) : 0;
}

int64_t passes_seen(const struct passes *p, int place, enum probe probe)
{
	int64_t passed_s = passes_at(p, place, probe);
	int64_t tried_s;

	if (!is_valid(p, place))
		return 0;
	tried_s = at(p, TRIED, place, probe);
	return passed_s > tried_s ? passed_s : tried_s;
}

static bool is_fresh(const struct passes *p, int64_t t, int ttl_s)
{
	return t > 0 && t <= p->now_s && p->now_s - t < ttl_s;
}

bool passes_want(const struct passes *p, int place, enum probe probe, int ttl_s)
{
	int retry_s = ttl_s < PASSES_RETRY_S ? ttl_s : PASSES_RETRY_S;

	return !is_valid(p, place) ||
	       (!is_fresh(p, at(p, passed(place), place, probe), ttl_s) &&
		!is_fresh(p, at(p, TRIED, place, probe), retry_s));
}
