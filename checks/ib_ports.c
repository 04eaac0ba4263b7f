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

#include "checks/ib_look.h"
#include "checks/node.h"

static const struct cfg_key keys[] = {
	{ "expected_ports", CFG_INT, NULL, "0", 0, IB_PORTS_MAX, NULL,
	  "ports that have to be up: those of InfiniBand if the node has any,"
	  " else all; 0: the majority of equal boards decides" },
	{ "expected_rate_gbit", CFG_INT, "Gb/s", "0", 0, 100000, NULL,
	  "rate of those ports, which others of a slower kind are then not"
	  " among; 0: the majority of equal boards decides" },
	{ "exclude", CFG_LIST, NULL, NULL, 0, 0, NULL,
	  "devices, device:port or interfaces that are not judged" },
	{ NULL, CFG_BOOL, NULL, NULL, 0, 0, NULL, NULL }
};

const struct check check_ib_ports;

/* ---- rates ----------------------------------------------------------------- */

/* The rate that more equal ports have than not, if it is above p's; else 0. */
static int majority_rate(const struct ib_look *l, const struct ib_seen *p)
{
	int higher = 0, others = 0, rate = 0;

	if (p->h->no_device_link)
		return 0;
	for (int i = 0; i < l->count; i++) {
		const struct ib_seen *q = &l->port[i];

		if (!ib_look_up(q) || q->p->rate_gbit <= 0 ||
		    !ib_look_same_fabric(p, q))
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

/* " (2X NDR)" tells lost lanes from a low speed. On Ethernet, kernels make up
 * names of InfiniBand that nobody knows their network by. */
static const char *lanes(const struct ib_port *p)
{
	const char *s = strstr(p->rate_text, " (");

	return s && !strcmp(p->layer, "InfiniBand") ? s : "";
}

static void judge_rate(struct ib_look *l, const struct ib_seen *p)
{
	int have = p->p->rate_gbit;
	int want = p->counts && l->expected_gbit ? l->expected_gbit :
						   majority_rate(l, p);
	enum status status = STATUS_FAIL;
	struct finding *f;

	if (!want && p->best > have) {
		want = (int)p->best;
		status = STATUS_WARN;
	}
	if (have <= 0 || !ib_look_up(p) || have >= want)
		return;
	f = result_add(l->r, status, "rate", p->name, "%d<%d Gb/s%s", have,
		       want, lanes(p->p));
	node_numbers(f, have, want, "Gb/s");
	node_remedy(f, REMEDY_CHECK_CABLE);
	node_evidence(f, l->env, "rate=%d", have);
	if (f)
		f->grace = true;
}

/* ---- bonds ----------------------------------------------------------------- */

static int legs_up(const struct ib_port *p)
{
	int up = 0;

	for (int i = 0; i < p->leg_count; i++)
		up += p->leg[i].up;
	return up;
}

/* Are more of the equal bonds whole than not? */
static bool are_whole(const struct ib_look *l, const struct ib_seen *p)
{
	int whole = 0, lame = 0;

	for (int i = 0; i < l->count; i++) {
		const struct ib_seen *q = &l->port[i];

		if (!ib_look_up(q) || !q->p->leg_count ||
		    !ib_look_same_kind(p, q))
			continue;
		if (legs_up(q->p) == q->p->leg_count)
			whole++;
		else
			lame++;
	}
	return whole > lame;
}

/* A bond lives on without one of its links, and shows the rate of the other:
 * nothing but its interfaces tell. */
static void judge_legs(struct ib_look *l, const struct ib_seen *p)
{
	int up = legs_up(p->p), k = 0;
	struct finding *f;

	if (!ib_look_up(p) || up == p->p->leg_count)
		return;
	while (p->p->leg[k].up)
		k++;
	f = result_add(l->r, p->counts && are_whole(l, p) ? STATUS_FAIL :
		       STATUS_WARN, "leg", p->name,
		       "%s has %d<%d links, %s is down", p->p->netdev, up,
		       p->p->leg_count, p->p->leg[k].netdev);
	node_numbers(f, up, p->p->leg_count, "links");
	node_remedy(f, REMEDY_CHECK_CABLE);
	node_evidence(f, l->env, "links=%d", up);
	if (f)
		f->grace = true;
}

static int run(const struct check_env *env, struct check_result *r)
{
	struct ib_look l = { .env = env, .r = r };
	json_t *now;

	l.expected = (int)check_cfg_int(env, &check_ib_ports,
					"expected_ports");
	l.expected_gbit = (int)check_cfg_int(env, &check_ib_ports,
					     "expected_rate_gbit");
	ib_look_collect(&l);
	now = ib_look_devices(&l);
	ib_look_judge_states(&l);
	for (int i = 0; i < l.count; i++) {
		judge_rate(&l, &l.port[i]);
		judge_legs(&l, &l.port[i]);
	}
	ib_look_judge_missing(&l, now);
	ib_look_remember(&l, now);
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
		 " equals; a bond has lost a link that its equals have; a"
		 " device is gone since last time",
	.advice = "check the cable and its transceiver, the switch port, the"
		  " subnet manager",
	.domain = DOMAIN_FABRIC,
	.needs = NEED_HCA,
	.scope = SCOPE_NODE,
	.def = ACTION_DRAIN_AFTER,
	.keys = keys,
	.run = run,
};
