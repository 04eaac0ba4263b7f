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

/* Are more of its equals up than not? Ports without a cable are no witnesses. */
static bool is_minority(const struct ib_look *l, const struct ib_seen *p)
{
	int up = 0, down = 0;

	if (p->h->no_device_link)
		return false;
	for (int i = 0; i < l->count; i++)
		if (ib_look_same_kind(&l->port[i], p) &&
		    ib_look_in_use(l, &l->port[i])) {
			up += ib_look_up(&l->port[i]);
			down += !ib_look_up(&l->port[i]);
		}
	return down < up;
}

static void add_state(struct ib_look *l, const struct ib_seen *p,
		      enum status status)
{
	char text[64];
	struct finding *f;

	f = result_add(l->r, status, "state", p->name, "port %s",
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
	int waiting = 0;

	for (int i = 0; i < l->count; i++) {
		if (!l->port[i].counts || !ib_look_in_use(l, &l->port[i]))
			continue;
		if (!ib_look_waiting(&l->port[i]))
			return false;
		waiting++;
	}
	return waiting > 0;
}

/* Returns how many of the ports that are lacking were named. */
static int judge_states(struct ib_look *l)
{
	bool is_short = l->active < l->expected;
	int named = 0;

	for (int i = 0; i < l->count; i++) {
		const struct ib_seen *p = &l->port[i];
		bool wanted = is_short && p->counts;
		bool all = wanted && l->counting <= l->expected;

		if (ib_look_up(p) || (!all && !ib_look_in_use(l, p)))
			continue;
		/* Enough are up: what is down now is not one of them. */
		if (l->expected && p->counts && !is_short)
			continue;
		if (wanted || is_minority(l, p))
			add_state(l, p, STATUS_FAIL);
		else if (p->best >= 0 && !p->h->no_device_link)
			add_state(l, p, STATUS_WARN);
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

static const char *text_of(const json_t *device, const char *key)
{
	const char *s = json_string_value(json_object_get(device, key));

	return s ? s : "";
}

/* Its name may be another's now: the kernel counts anew at each boot. */
static const char *subject_of(const struct ib_look *l, const json_t *device)
{
	const struct facts_fabric *f = &l->env->facts->fabric;
	const char *name = text_of(device, "name");

	for (int i = 0; i < f->hca_count; i++)
		if (!strcmp(f->hca[i].name, name))
			return text_of(device, "at");
	return name;
}

static void add_missing(struct ib_look *l, enum status status,
			const char *subject, const size_t left[2])
{
	struct finding *f;

	f = result_add(l->r, status, "missing", subject,
		       "device is gone, %zu<%zu left", left[0], left[1]);
	node_numbers(f, (double)left[0], (double)left[1], "devices");
	node_remedy(f, REMEDY_REBOOT);
	node_evidence(f, l->env, "devices=%zu", left[0]);
	if (!f)
		return;
	f->grace = true;
	if (!left[0])
		f->at_most = ACTION_WARN;
}

/* What was never of use is not missed. A card for storage or the network, on
 * a node that has others for its jobs, is none of theirs. */
static void judge_lost(struct ib_look *l, const json_t *device,
		       const size_t left[2])
{
	bool counts = json_is_true(json_object_get(device, "counts"));

	if (json_is_true(json_object_get(device, "used")) &&
	    !cfg_list_has(l->env->cfg, "check ib_ports", "exclude",
			  text_of(device, "name")))
		add_missing(l, counts ? STATUS_FAIL : STATUS_WARN,
			    subject_of(l, device), left);
}

/* Fewer devices than before. Which ones is told only if the others stayed
 * where they were. */
void ib_look_judge_missing(struct ib_look *l, const json_t *now)
{
	const json_t *before = ib_recall(l->env, "devices");
	const size_t left[2] = { json_array_size(now),
				 json_array_size(before) };
	size_t lost = 0, i;
	const json_t *v;

	if (l->expected || left[0] >= left[1])
		return;
	json_array_foreach(before, i, v)
		lost += !ib_look_find(now, v);
	if (lost != left[1] - left[0]) {
		add_missing(l, STATUS_FAIL, "node", left);
		return;
	}
	json_array_foreach(before, i, v)
		if (!ib_look_find(now, v))
			judge_lost(l, v, left);
}
