/* SPDX-License-Identifier: Apache-2.0
 * Ports that are not up, devices that are gone. */
#include "config.h"
#include "checks/ib_look.h"

#include <stdio.h>
#include <string.h>

#include "checks/node.h"

/* ---- state ---------------------------------------------------------------- */

static const char *state_text(const struct ib_seen *p, char buf[64])
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

static bool is_minority(const struct ib_look *l, const struct ib_seen *p)
{
	int up = 0, down = 0;

	if (p->h->no_device_link)
		return false;
	for (int i = 0; i < l->count; i++)
		if (ib_look_same_kind(&l->port[i], p)) {
			up += ib_look_up(&l->port[i]);
			down += !ib_look_up(&l->port[i]);
		}
	return down < up;
}

/* Or might it be a spare one, without a cable? */
static bool is_in_use(const struct ib_look *l, const struct ib_seen *p)
{
	return p->best >= 0 || (p->p->number == 1 &&
				!ib_is_second(&l->env->facts->fabric, p->h));
}

static void add_state(struct ib_look *l, const struct ib_seen *p)
{
	char text[64];
	struct finding *f;

	f = result_add(l->r, STATUS_FAIL, "state", p->name, "port %s",
		       state_text(p, text));
	if (!f)
		return;
	f->grace = true;
	f->remedy = ib_look_waiting(p) ? REMEDY_CONFIG : REMEDY_CHECK_CABLE;
	node_evidence(f, l->env, "state=%d", p->p->state);
}

/* Nothing is up and nobody said how many ports should be. All of them waiting
 * is the subnet manager's fault, not the node's; all of them down is news only
 * if they were ever up. */
static void judge_none_up(struct ib_look *l)
{
	struct finding *f = NULL;
	int waiting = 0, known = 0;

	for (int i = 0; i < l->count; i++) {
		waiting += l->port[i].counts && ib_look_waiting(&l->port[i]);
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

static bool all_waiting(const struct ib_look *l)
{
	for (int i = 0; i < l->count; i++)
		if (l->port[i].counts && !ib_look_waiting(&l->port[i]))
			return false;
	return l->count > 0;
}

/* Returns how many of the ports that are lacking were named. */
static int judge_states(struct ib_look *l)
{
	bool is_short = l->active < l->expected;
	int named = 0;

	for (int i = 0; i < l->count; i++) {
		const struct ib_seen *p = &l->port[i];
		bool wanted = is_short && p->counts;

		if (ib_look_up(p) || !is_in_use(l, p) ||
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

static void judge_expected(struct ib_look *l, int named)
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

void ib_look_judge_states(struct ib_look *l)
{
	if (all_waiting(l) || (!l->active && !l->expected))
		judge_none_up(l);
	else
		judge_expected(l, judge_states(l));
}

/* ---- devices that were here before ------------------------------------------ */

static bool has_name(const json_t *names, const json_t *name)
{
	const json_t *v;
	size_t i;

	json_array_foreach(names, i, v)
		if (json_equal(v, name))
			return true;
	return false;
}

static void add_missing(struct ib_look *l, const char *name, int now, int before)
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
void ib_look_judge_missing(struct ib_look *l, const json_t *now)
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
