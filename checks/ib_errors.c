/* SPDX-License-Identifier: Apache-2.0
 * ib_errors: do the ports' error counters grow, do links flap?
 *
 * Lifetime counters tell nothing about today. Each port's counters are noted,
 * and their growth is judged within a window that starts anew every window_s,
 * with every boot, and whenever somebody resets them. Old adapters count in 4,
 * 8 or 16 bits and stop at the end. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks/ib.h"
#include "checks/node.h"
#include "lib/facts_fabric.h"

#define LIMIT(key, def, help) \
	{ key, CFG_INT, NULL, def, 0, 1LL << 40, NULL, help }

static const struct cfg_key keys[] = {
	{ "window_s", CFG_INT, "s", "10800", 60, 864000, NULL,
	  "time in which the limits may be reached" },
	LIMIT("max_link_downed", "3", "link losses; 0: not judged, as below"),
	LIMIT("max_link_error_recovery", "10", "link recoveries"),
	LIMIT("max_symbol_error", "360", "symbol errors"),
	LIMIT("max_port_rcv_errors", "100", "broken packets received"),
	LIMIT("max_port_rcv_remote_physical_errors", "0",
	      "packets that were marked bad before they came"),
	LIMIT("max_port_xmit_discards", "0", "packets thrown away"),
	LIMIT("max_local_link_integrity_errors", "5", "bursts of errors"),
	LIMIT("max_excessive_buffer_overrun_errors", "5", "buffer overruns"),
	LIMIT("max_hw_local_ack_timeout_err", "0", "unanswered requests"),
	LIMIT("max_hw_rx_icrc_encapsulated", "10", "corrupted RoCE packets"),
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_ib_errors;

struct look {
	const struct check_env *env;
	struct check_result *r;
	int64_t window_s;
	bool fresh;		/* the memory is of this boot */
	json_t *unreadable;	/* new arrays and objects of the memory */
	json_t *ports;
	int known;		/* counters that could be read */
};

/* Where a counter stops: what IBTA's PortCounters leave room for. */
static int64_t end_of(const char *name)
{
	if (!strcmp(name, "link_downed") ||
	    !strcmp(name, "link_error_recovery"))
		return 255;
	if (!strcmp(name, "local_link_integrity_errors") ||
	    !strcmp(name, "excessive_buffer_overrun_errors"))
		return 15;
	return strncmp(name, "hw_", 3) ? 65535 : -1;
}

static int64_t limit_of(const struct look *l, const char *name)
{
	char key[64];

	snprintf(key, sizeof(key), "max_%s", name);
	return check_cfg_int(l->env, &check_ib_errors, key);
}

/* ---- what cannot be read -------------------------------------------------- */

static void note_group(struct look *l, const struct hca *h,
		       const struct ib_port *p, bool hw, bool refused)
{
	const json_t *old = l->fresh ? ib_recall(l->env, "unreadable") : NULL;
	char group[FABRIC_GROUP_SIZE];
	bool known = false;
	const json_t *v;
	size_t i;

	fabric_group(h, p, hw, group);
	json_array_foreach(old, i, v)
		if (json_is_string(v) && !strcmp(json_string_value(v), group))
			known = true;
	if (known || refused)
		json_array_append_new(l->unreadable, json_string(group));
}

static void note_unreadable(struct look *l, const struct hca *h,
			    const struct ib_port *p)
{
	bool refused[2] = { false, false };

	for (int i = 0; i < FABRIC_COUNTERS; i++)
		if (fabric_counter_of(p, i)->rc > 0)
			refused[fabric_counters[i].hw] = true;
	note_group(l, h, p, false, refused[0]);
	note_group(l, h, p, true, refused[1]);
}

/* ---- growth --------------------------------------------------------------- */

/* The port's window: {"since": s, "at": {counter: value}}; NULL: a new one
 * begins. */
static const json_t *window_of(const struct look *l, const char *name)
{
	const json_t *w = json_object_get(ib_recall(l->env, "ports"), name);
	const json_t *since = json_object_get(w, "since");
	int64_t age;

	if (!l->fresh || !json_is_integer(since))
		return NULL;
	age = l->env->now_s - json_integer_value(since);
	return age >= 0 && age <= l->window_s ? w : NULL;
}

struct growth {
	const char *port, *counter;
	int64_t from, now;	/* from -1: first sight */
};

static void judge_flap(struct look *l, const struct growth *g, int64_t by,
		       int64_t max)
{
	struct finding *f;

	f = result_add(l->r, by >= max ? STATUS_FAIL : STATUS_WARN, "flap",
		       g->port, "link lost %" PRId64 " times", by);
	node_numbers(f, (double)by, (double)max, "losses");
	node_remedy(f, REMEDY_CHECK_CABLE);
	node_evidence(f, l->env, "%s=%" PRId64, g->counter, g->now);
}

static void judge_growth(struct look *l, const struct growth *g)
{
	int64_t max = limit_of(l, g->counter);
	int64_t by = g->now < g->from ? g->now : g->now - g->from;
	struct finding *f;

	if (!max || g->from < 0 || !by)
		return;
	if (!strcmp(g->counter, "link_downed")) {
		judge_flap(l, g, by, max);
		return;
	}
	if (by < max)
		return;
	f = result_add(l->r, STATUS_FAIL, "count", g->port,
		       "%s +%" PRId64 "%s", g->counter, by,
		       g->now == end_of(g->counter) ? " or more" : "");
	node_numbers(f, (double)by, (double)max, "errors");
	node_remedy(f, REMEDY_CHECK_CABLE);
	node_evidence(f, l->env, "%s=%" PRId64, g->counter, g->now);
}

/* At its end when the window began: it cannot tell anything any more. */
static void judge_stuck(struct look *l, const struct growth *g)
{
	struct finding *f;

	if (!limit_of(l, g->counter) || g->now != end_of(g->counter) ||
	    (g->from >= 0 && g->from != g->now))
		return;
	f = result_add(l->r, STATUS_WARN, "saturated", g->port,
		       "%s is stuck at %" PRId64 ", reset it", g->counter,
		       g->now);
	node_numbers(f, (double)g->now, (double)g->now, "errors");
	node_remedy(f, REMEDY_CONFIG);
}

/* A counter that went back was reset: all that it shows is new, and is
 * counted from 0 for the rest of the window. */
static void judge_port(struct look *l, const struct hca *h,
		       const struct ib_port *p)
{
	char name[FABRIC_PORT_SIZE];
	const json_t *w = window_of(l, fabric_port_name(h, p, name));
	const json_t *old = json_object_get(w, "at");
	json_t *at = json_object();

	for (int i = 0; i < FABRIC_COUNTERS; i++) {
		const struct val *v = fabric_counter_of(p, i);
		const char *counter = fabric_counters[i].name;
		const json_t *from = json_object_get(old, counter);
		struct growth g = { name, counter, -1, v->v };

		if (!VAL_KNOWN(*v))
			continue;
		l->known++;
		if (json_is_integer(from))
			g.from = json_integer_value(from);
		judge_growth(l, &g);
		judge_stuck(l, &g);
		json_object_set_new(at, counter, json_integer(
			g.from < 0 ? g.now : g.now < g.from ? 0 : g.from));
	}
	json_object_set_new(l->ports, name, json_pack(
		"{s:I s:o}", "since", (json_int_t)(w ? json_integer_value(
			json_object_get(w, "since")) : l->env->now_s),
		"at", at));
}

static void remember(struct look *l)
{
	json_t *m = json_pack("{s:s s:O s:O}", "boot", node_boot(l->env),
			      "unreadable", l->unreadable, "ports", l->ports);

	if (json_equal(m, l->env->memory))
		json_decref(m);
	else
		l->r->memory = m;
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct facts_fabric *f = &env->facts->fabric;
	struct look l = { .env = env, .r = r };

	l.window_s = check_cfg_int(env, &check_ib_errors, "window_s");
	l.fresh = node_memory_is_fresh(env);
	l.unreadable = json_array();
	l.ports = json_object();
	for (int i = 0; i < f->hca_count; i++)
		for (int k = 0; k < f->hca[i].port_count; k++) {
			const struct ib_port *p = &f->hca[i].port[k];

			note_unreadable(&l, &f->hca[i], p);
			if (!ib_excluded(env->cfg, &f->hca[i], p))
				judge_port(&l, &f->hca[i], p);
		}
	remember(&l);
	json_decref(l.unreadable);
	json_decref(l.ports);
	return l.known ? 0 : result_skip(r, "no counter can be read");
}

const struct check check_ib_errors = {
	.name = "ib_errors",
	.summary = "error counters of RDMA ports do not grow, links do not flap",
	.reads = "ten counters of each port; each one is a question to the"
		 " adapter's firmware, 20-100 us",
	.fails = "a counter grew by its limit within window_s, or the link was"
		 " lost three times; one loss is a warning",
	.advice = "clean or exchange the cable; compare the other end's"
		  " counters",
	.domain = DOMAIN_FABRIC,
	.needs = NEED_HCA,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.keys = keys,
	.run = run,
};
