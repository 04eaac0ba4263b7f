/* SPDX-License-Identifier: Apache-2.0
 * ib_ports: are the node's RDMA ports up, and at full rate?
 *
 * What a port should be is told by the configuration, or by the majority of
 * equal boards. A port that was never seen up and might be a spare one, the
 * second of its board, is nobody's loss. */
#include "config.h"
#include "checks/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/ib.h"
#include "checks/node.h"

static const struct cfg_key keys[] = {
	{ "expected_ports", CFG_INT, NULL, "0", 0, IB_PORTS_MAX, NULL,
	  "ports that have to be up: those of InfiniBand if the node has any,"
	  " else all; 0: the majority of equal boards decides" },
	{ "expected_rate_gbit", CFG_INT, "Gb/s", "0", 0, 100000, NULL,
	  "rate of those ports; 0: the majority of equal boards decides" },
	{ "exclude", CFG_LIST, NULL, NULL, 0, 0, NULL,
	  "devices, device:port or interfaces that are not judged" },
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_ib_ports;

struct port {
	const struct hca *h;
	const struct ib_port *p;
	char name[IB_NAME_SIZE];
	bool counts;		/* towards what is expected */
	int64_t best;		/* best rate seen while up, -1: never up */
};

struct look {
	const struct check_env *env;
	struct check_result *r;
	int expected, active;	/* ports that count */
	int count;
	struct port port[IB_PORTS_MAX];
};

/* Names alone move from board to board when one is added. */
static const char *memory_key(const struct hca *h, const char *name,
			      char buf[96])
{
	snprintf(buf, 96, "%s %s", name, h->board);
	return buf;
}

static bool is_up(const struct port *p)
{
	return p->p->state == IB_ACTIVE;
}

static bool is_waiting(const struct port *p)
{
	return p->p->state == IB_INIT || p->p->state == IB_ARMED;
}

static bool same_kind(const struct port *a, const struct port *b)
{
	return ib_equal(a->h, b->h) && !strcmp(a->p->layer, b->p->layer);
}

/* ---- collect -------------------------------------------------------------- */

static void add_port(struct look *l, const struct hca *h,
		     const struct ib_port *p)
{
	struct port *port = &l->port[l->count];
	const json_t *best;
	char key[96];

	if (p->state < 0 || ib_excluded(l->env, h, p))
		return;
	l->count++;
	port->h = h;
	port->p = p;
	ib_name(h, p, port->name);
	best = json_object_get(ib_recall(l->env, "ports"),
			       memory_key(h, port->name, key));
	port->best = json_is_integer(best) ? json_integer_value(best) : -1;
}

static void collect(struct look *l)
{
	const struct facts_fabric *f = &l->env->facts->fabric;
	bool ib = false;

	for (int i = 0; i < f->hca_count; i++)
		for (int k = 0; k < f->hca[i].port_count; k++)
			add_port(l, &f->hca[i], &f->hca[i].port[k]);
	for (int i = 0; i < l->count; i++)
		ib |= !strcmp(l->port[i].p->layer, "InfiniBand");
	for (int i = 0; i < l->count; i++) {
		struct port *p = &l->port[i];

		p->counts = !ib || !strcmp(p->p->layer, "InfiniBand");
		l->active += p->counts && is_up(p);
	}
}

/* ---- state ---------------------------------------------------------------- */

static const char *state_text(const struct port *p, char buf[64])
{
	static const char *const phys[] = { "?", "Sleep", "Polling",
					    "Disabled", "Training", "LinkUp",
					    "LinkErrorRecovery", "PhyTest" };
	int n = p->p->phys_state;

	if (p->p->state == IB_INIT)
		return "INIT, waits for the subnet manager";
	if (p->p->state == IB_ARMED)
		return "ARMED, waits for the subnet manager";
	snprintf(buf, 64, "%s (%s)", p->p->state == IB_DOWN ? "DOWN" : "not up",
		 phys[n > 0 && n < 8 ? n : 0]);
	return buf;
}

static bool is_minority(const struct look *l, const struct port *p)
{
	int up = 0, down = 0;

	if (p->h->no_device_link)
		return false;
	for (int i = 0; i < l->count; i++)
		if (same_kind(&l->port[i], p)) {
			up += is_up(&l->port[i]);
			down += !is_up(&l->port[i]);
		}
	return down < up;
}

/* Or might it be a spare one, without a cable? */
static bool is_in_use(const struct look *l, const struct port *p)
{
	return p->best >= 0 || (p->p->number == 1 &&
				!ib_is_second(&l->env->facts->fabric, p->h));
}

static void add_state(struct look *l, const struct port *p)
{
	char text[64];
	struct finding *f;

	f = result_add(l->r, STATUS_FAIL, "state", p->name, "port %s",
		       state_text(p, text));
	if (!f)
		return;
	f->grace = true;
	f->remedy = is_waiting(p) ? REMEDY_CONFIG : REMEDY_CHECK_CABLE;
	node_evidence(f, l->env, "state=%d", p->p->state);
}

/* Nothing is up and nobody said how many ports should be. All of them waiting
 * is the subnet manager's fault, not the node's; all of them down is news only
 * if they were ever up. */
static void judge_none_up(struct look *l)
{
	struct finding *f = NULL;
	int waiting = 0, known = 0;

	for (int i = 0; i < l->count; i++) {
		waiting += l->port[i].counts && is_waiting(&l->port[i]);
		known += l->port[i].counts && l->port[i].best >= 0;
	}
	if (waiting)
		f = result_add(l->r, STATUS_WARN, "subnet_manager", "node",
			       "no port is up, %d wait for the subnet manager",
			       waiting);
	else if (known)
		f = result_add(l->r, STATUS_WARN, "none", "node",
			       "no port is up, %d were before", known);
	if (!f)
		return;
	f->grace = true;
	f->at_most = ACTION_WARN;
	node_evidence(f, l->env, "none up");
}

static bool all_waiting(const struct look *l)
{
	for (int i = 0; i < l->count; i++)
		if (l->port[i].counts && !is_waiting(&l->port[i]))
			return false;
	return l->count > 0;
}

/* Returns how many of the ports that are lacking were named. */
static int judge_states(struct look *l)
{
	bool is_short = l->active < l->expected;
	int named = 0;

	for (int i = 0; i < l->count; i++) {
		const struct port *p = &l->port[i];
		bool wanted = is_short && p->counts;

		if (is_up(p) || !is_in_use(l, p) ||
		    (!wanted && !is_minority(l, p)))
			continue;
		/* Enough are up: what is down now is not one of them. */
		if (l->expected && p->counts && !is_short)
			continue;
		add_state(l, p);
		named += wanted;
	}
	return named;
}

static void judge_expected(struct look *l, int named)
{
	int lacking = l->expected - l->active;
	struct finding *f;

	if (lacking <= named)
		return;
	f = result_add(l->r, STATUS_FAIL, "count", "node",
		       "%d<%d ports up, %d devices", l->active, l->expected,
		       l->env->facts->fabric.hca_count);
	node_numbers(f, l->active, l->expected, "ports");
	node_remedy(f, REMEDY_SERVICE);
	node_evidence(f, l->env, "ports=%d", l->active);
	if (f)
		f->grace = true;
}

/* ---- devices that were here before ------------------------------------------ */

static json_t *names_now(const struct look *l)
{
	const struct facts_fabric *f = &l->env->facts->fabric;
	json_t *names = json_array();
	char key[96];

	for (int i = 0; i < f->hca_count; i++)
		if (!f->hca[i].no_device_link)
			json_array_append_new(names, json_string(
				memory_key(&f->hca[i], f->hca[i].name, key)));
	return names;
}

static bool has_name(const json_t *names, const json_t *name)
{
	const json_t *v;
	size_t i;

	json_array_foreach(names, i, v)
		if (json_equal(v, name))
			return true;
	return false;
}

static void add_missing(struct look *l, const char *name, int now, int before)
{
	struct finding *f;
	char subject[IB_NAME_SIZE];

	snprintf(subject, sizeof(subject), "%.*s", (int)strcspn(name, " "),
		 name);
	if (cfg_list_has(l->env->cfg, "check ib_ports", "exclude", subject))
		return;
	f = result_add(l->r, STATUS_FAIL, "missing", subject,
		       "device is gone, %d<%d left", now, before);
	node_numbers(f, now, before, "devices");
	node_remedy(f, REMEDY_REBOOT);
	node_evidence(f, l->env, "devices=%d", now);
	if (!f)
		return;
	f->grace = true;
	if (!now)
		f->at_most = ACTION_WARN;
}

/* Fewer devices than before. Which ones is told only if the names of the
 * others stayed what they were. */
static void judge_missing(struct look *l, const json_t *now)
{
	const json_t *before = ib_recall(l->env, "devices");
	size_t lost = 0, i;
	size_t lacking;
	const json_t *v;

	if (l->expected || json_array_size(now) >= json_array_size(before))
		return;
	lacking = json_array_size(before) - json_array_size(now);
	json_array_foreach(before, i, v)
		lost += !has_name(now, v);
	if (lost != lacking) {
		add_missing(l, "node", (int)json_array_size(now),
			    (int)json_array_size(before));
		return;
	}
	json_array_foreach(before, i, v)
		if (json_is_string(v) && !has_name(now, v))
			add_missing(l, json_string_value(v),
				    (int)json_array_size(now),
				    (int)json_array_size(before));
}

/* ---- rate ---------------------------------------------------------------- */

/* The rate that more equal ports have than not, if it is above p's; else 0. */
static int majority_rate(const struct look *l, const struct port *p)
{
	int higher = 0, others = 0, rate = 0;

	if (p->h->no_device_link)
		return 0;
	for (int i = 0; i < l->count; i++) {
		const struct port *q = &l->port[i];

		if (!is_up(q) || q->p->rate_gbit <= 0 || !same_kind(p, q))
			continue;
		if (q->p->rate_gbit > p->p->rate_gbit) {
			higher++;
			if (!rate || q->p->rate_gbit < rate)
				rate = q->p->rate_gbit;
		} else {
			others++;
		}
	}
	return higher > others ? rate : 0;
}

static void judge_rate(struct look *l, const struct port *p, int expected)
{
	int have = p->p->rate_gbit;
	int want = p->counts && expected ? expected : majority_rate(l, p);
	enum status status = STATUS_FAIL;
	struct finding *f;

	if (!want && p->best > have) {
		want = (int)p->best;
		status = STATUS_WARN;
	}
	if (have <= 0 || !is_up(p) || have >= want)
		return;
	f = result_add(l->r, status, "rate", p->name, "%d<%d Gb/s", have,
		       want);
	node_numbers(f, have, want, "Gb/s");
	node_remedy(f, REMEDY_CHECK_CABLE);
	node_evidence(f, l->env, "rate=%d", have);
	if (f)
		f->grace = true;
}

/* ---- memory: {"devices": [KEY], "ports": {KEY: best rate}} ----------------- */

static json_t *best_rates(const struct look *l)
{
	json_t *ports = json_object();
	const json_t *old = ib_recall(l->env, "ports");

	if (json_is_object(old) && json_object_size(old) < IB_PORTS_MAX)
		json_object_update(ports, (json_t *)(uintptr_t)old);
	for (int i = 0; i < l->count; i++) {
		const struct port *p = &l->port[i];
		int64_t best = p->best;
		char key[96];

		if (is_up(p) && p->p->rate_gbit > best)
			best = p->p->rate_gbit;
		if (best >= 0)
			json_object_set_new(ports, memory_key(p->h, p->name,
							      key),
					    json_integer(best));
	}
	return ports;
}

static void remember(struct look *l, json_t *now)
{
	const json_t *before = ib_recall(l->env, "devices");
	const json_t *keep = json_array_size(now) < json_array_size(before) ?
		before : now;
	json_t *m = json_pack("{s:O s:o}", "devices", keep, "ports",
			      best_rates(l));

	if (json_equal(m, l->env->memory))
		json_decref(m);
	else
		l->r->memory = m;
}

static void judge(struct look *l)
{
	int rate = (int)check_cfg_int(l->env, &check_ib_ports,
				      "expected_rate_gbit");

	if (all_waiting(l) || (!l->active && !l->expected))
		judge_none_up(l);
	else
		judge_expected(l, judge_states(l));
	for (int i = 0; i < l->count; i++)
		judge_rate(l, &l->port[i], rate);
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct look l = { .env = env, .r = r };
	json_t *now;

	l.expected = (int)check_cfg_int(env, &check_ib_ports,
					"expected_ports");
	collect(&l);
	now = names_now(&l);
	judge(&l);
	judge_missing(&l, now);
	remember(&l, now);
	json_decref(now);
	if (!l.count && !r->count)
		return result_skip(r, "no port to judge");
	return 0;
}

const struct check check_ib_ports = {
	.name = "ib_ports",
	.summary = "RDMA ports are up, at full rate, and all there",
	.reads = "/sys/class/infiniband, about 40 small files for each device;"
		 " 0.2 ms each",
	.fails = "a port is down or slower than expected, or than most of its"
		 " equals; a device is gone since last time",
	.advice = "check the cable and its transceiver, the switch port, the"
		  " subnet manager",
	.domain = DOMAIN_FABRIC,
	.needs = NEED_HCA,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.keys = keys,
	.run = run,
};
