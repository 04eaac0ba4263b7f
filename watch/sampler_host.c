/* SPDX-License-Identifier: Apache-2.0
 * <job>/host.json: what the job's processes have used up to the last round,
 * and what the node's network file systems have moved since it began. */
#include "config.h"
#include "watch/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "epilog/members.h"
#include "lib/jsonfile.h"
#include "lib/log.h"
#include "lib/scrub.h"

static json_t *mount_json(const struct netfs_mount *m, uint64_t read,
			  uint64_t written)
{
	return json_pack("{s:s, s:s, s:I, s:I}", "kind", m->kind, "mount",
			 m->mount, "read_bytes", (json_int_t)read,
			 "write_bytes", (json_int_t)written);
}

static json_t *base_json(const struct netfs *n)
{
	json_t *all = json_array();
	int i;

	for (i = 0; all && i < n->count; i++)
		json_array_append_new(all, mount_json(&n->mount[i],
						      n->mount[i].read_bytes,
						      n->mount[i].write_bytes));
	return all;
}

/* What it has moved nobody knows. */
static json_t *unknown_json(const struct netfs_mount *m, enum story_why reason)
{
	const char *why = why_text(reason);

	return json_pack("{s:s, s:s, s:n, s:n, s:{s:s, s:s}}", "kind", m->kind,
			 "mount", m->mount, "read_bytes", "write_bytes", "why",
			 "read_bytes", why, "write_bytes", why);
}

/* A mount that came later counts from its own beginning; one that went away
 * meanwhile, or whose counters were set to nothing, has no known sum. */
static json_t *client_json(const struct netfs *base, const struct netfs_mount *m)
{
	const struct netfs_mount none = { .read_bytes = 0 };
	const struct netfs_mount *was = netfs_find(base, m);

	if (m->untold)
		return unknown_json(m, STORY_UNREADABLE);
	if (!was)
		was = &none;
	if (was->read_bytes > m->read_bytes || was->write_bytes > m->write_bytes)
		return unknown_json(m, STORY_RESET);
	return mount_json(m, m->read_bytes - was->read_bytes,
			  m->write_bytes - was->write_bytes);
}

static json_t *clients_json(const struct netfs *base, const struct netfs *now)
{
	json_t *all = json_array();
	int i;

	for (i = 0; all && i < now->count; i++)
		json_array_append_new(all, client_json(base, &now->mount[i]));
	return all;
}

static void put_usage(json_t *doc, const struct cgroup_usage *u)
{
	json_t *why = json_object();
	const char *name;
	int i;

	for (i = 0; i < CGROUP_NUMBERS; i++) {
		name = cgroup_number_name((enum cgroup_number)i);
		if (u->value[i].why)
			json_object_set_new(why, name,
					    json_string(u->value[i].why));
		else
			json_object_set_new(
				doc, name,
				json_integer((json_int_t)u->value[i].n));
	}
	json_object_set_new(doc, "why", why);
}

void sampler_write_host(struct sampler_job *j)
{
	static bool said;
	const struct instant now = clock_now();
	json_t *doc = json_pack("{s:s, s:I, s:i, s:b, s:o, s:o}", "schema",
				"assay.host/1", "time",
				(json_int_t)clock_at(&now, j->last.at_us).wall_s,
				"cpus", j->last.cpus, "cgroup", j->last.found,
				"base", base_json(&j->base), "clients",
				clients_json(&j->base, &j->net));

	if (doc)
		put_usage(doc, &j->last.usage);
	if (jsonfile_replace(j->dir, SAMPLER_HOST, 0600, doc, JSON_COMPACT) < 0 &&
	    !said) {
		log_warn(SAMPLER_HOST " not written: %s", strerror(errno));
		said = true;
	}
	json_decref(doc);
}

static void take_mount(struct netfs *to, const json_t *o)
{
	struct netfs_mount *m = &to->mount[to->count];

	if (to->count == NETFS_MAX || !json_is_object(o))
		return;
	scrub_copy(m->kind, sizeof(m->kind),
		   json_string_value(json_object_get(o, "kind")));
	scrub_copy(m->mount, sizeof(m->mount),
		   json_string_value(json_object_get(o, "mount")));
	m->read_bytes = (uint64_t)json_integer_value(
		json_object_get(o, "read_bytes"));
	m->write_bytes = (uint64_t)json_integer_value(
		json_object_get(o, "write_bytes"));
	to->count++;
}

void sampler_read_host(struct sampler_job *j)
{
	json_t *doc = jsonfile_read(j->dir, SAMPLER_HOST);
	json_t *base;
	const json_t *o;
	size_t i;

	if (!doc)
		return;
	base = json_object_get(doc, "base");
	j->has_base = json_is_array(base);
	json_array_foreach(base, i, o)
		take_mount(&j->base, o);
	json_decref(doc);
}
