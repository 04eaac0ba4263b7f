/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/rdma_each.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/places.h"
#include "checks/probe_wrong.h"
#include "lib/pci.h"

const struct rdma_shot *rdma_shot_of(const struct check_env *env,
				     enum probe probe, int place, int shot)
{
	const struct facts_probes *p = env->probes;

	if (!place_is_port(place))
		return &p->gpu[place].gdr[shot];
	return probe == PROBE_latency ?
		       &p->port[place - PROBE_GPUS_MAX].latency[shot] :
		       &p->port[place - PROBE_GPUS_MAX].loopback[shot];
}

/* ---- what it could at most ---------------------------------------------------- */

/* In a virtual machine the bridges are invented: what they claim to be able to
 * is then less than what the device has, and nobody knows what is behind. A
 * virtual function has no link of its own to tell of, and may be given less. */
static double pcie_gbps(const struct hca *h)
{
	double own = pci_gbps(pci_generation(h->speed_mt), h->width);
	double path = pci_gbps(pci_generation(h->path_speed_mt), h->path_width);

	if (isnan(own) || isnan(path) || h->parent_width_max < h->width ||
	    h->parent_speed_max_mt < h->speed_mt)
		return NAN;
	return fmin(own, path);
}

/* Others let the CPU copy what does not leave the port, or are the slices of a
 * cloud's network, which allots less than they show. */
static bool loops_at_its_rate(const struct hca *h)
{
	return !strcmp(h->driver, "mlx5_core");
}

double rdma_port_gbps(const struct check_env *env, int place)
{
	const struct hca *h = place_hca(env->facts, place);
	double gbps = place_port(env->facts, place)->rate_gbit / 8.0;
	double pcie = pcie_gbps(h);

	if (!loops_at_its_rate(h) || h->no_device_link || gbps <= 0 || isnan(pcie))
		return NAN;
	return fmin(gbps, pcie);
}

/* ---- counters -------------------------------------------------------------- */

/* By the names of sysfs; those at the end are of the kernel's own transport
 * (rdma_rxe). Lossy Ethernet with other traffic drops packets now and then.
 * Of all connections: what a file server does that goes down, or a switch far
 * away, they count on every node that talks to it. That alone is no fault of
 * this port: where our own writes were held up, their rate tells. */
static const struct counter {
	const char *name;
	enum remedy remedy;
	bool not_on_ethernet, of_all_connections;
} counters[] = {
	{ "link_downed", REMEDY_CHECK_CABLE, false, false },
	{ "link_error_recovery", REMEDY_CHECK_CABLE, false, false },
	{ "symbol_error", REMEDY_CHECK_CABLE, false, false },
	{ "local_link_integrity_errors", REMEDY_CHECK_CABLE, false, false },
	{ "excessive_buffer_overrun_errors", REMEDY_SERVICE, false, false },
	{ "port_rcv_errors", REMEDY_CHECK_CABLE, false, false },
	{ "rx_icrc_encapsulated", REMEDY_SERVICE, false, true },
	{ "local_ack_timeout_err", REMEDY_SERVICE, false, true },
	{ "req_transport_retries_exceeded", REMEDY_SERVICE, false, true },
	{ "packet_seq_err", REMEDY_SERVICE, true, true },
	{ "implied_nak_seq_err", REMEDY_SERVICE, true, true },
	{ "completer_retry_err", REMEDY_SERVICE, false, true },
	{ "retry_exceeded_err", REMEDY_SERVICE, false, true },
};

#define COUNTERS ((int)(sizeof(counters) / sizeof(counters[0])))

/* By how much the shot raised it; 0 not. */
static int64_t raised(const struct rdma_shot *s, const char *counter)
{
	int i;

	for (i = 0; i < s->raised_count && i < RDMA_RAISED_MAX; i++)
		if (!strcmp(s->raised[i].counter, counter))
			return s->raised[i].by;
	return 0;
}

/* The port that was measured: itself, or the one of a GPU. */
static int port_of(const struct check_env *env, int place)
{
	return place_is_port(place) ?
		       place :
		       PROBE_PLACE_PORT(env->probes->gpu[place].port);
}

static struct wrong look(const struct check_env *env, enum probe probe,
			 int place, const struct counter *c)
{
	int port = port_of(env, place);
	bool ethernet = !strcmp(place_port(env->facts, port)->layer,
				"Ethernet");
	char name[PLACE_SIZE];
	int64_t by = raised(rdma_shot_of(env, probe, place, 0), c->name);
	struct wrong w = {
		.env = env, .probe = probe, .place = place, .key = c->name,
		.remedy = c->remedy, .soft = true,
		.warn = c->of_all_connections,
		.first = by > 0 && !(ethernet && c->not_on_ethernet),
	};

	w.again = raised(rdma_shot_of(env, probe, place, 1), c->name) > 0;
	snprintf(w.evidence, sizeof(w.evidence), "%s", c->name);
	snprintf(w.text, sizeof(w.text), "%.47s%s%s +%" PRId64 " while measured",
		 port == place ? "" : place_name(env->facts, port, name),
		 port == place ? "" : " ", c->name, by);
	return w;
}

void rdma_raised_judge(const struct check_env *env, enum probe probe,
		       struct check_result *r)
{
	struct wrong w;
	int i, k;

	PROBE_EACH(i, env, probe)
		for (k = 0; probe_done(env, probe, i, 0) && k < COUNTERS; k++) {
			w = look(env, probe, i, &counters[k]);
			wrong_judge(&w, r);
		}
}

bool rdma_raised_doubt(const struct check_env *env, enum probe probe, int place)
{
	struct wrong w;
	int k;

	for (k = 0; probe_done(env, probe, place, 0) && k < COUNTERS; k++) {
		w = look(env, probe, place, &counters[k]);
		if (wrong_doubt(&w))
			return true;
	}
	return false;
}

/* ---- others ---------------------------------------------------------------- */

double rdma_others_gbps(const struct rates *l, int place, int shot)
{
	return rdma_shot_of(l->env, l->rule->probe, place, shot)->other_gbps;
}

/* ---- for the record ------------------------------------------------------------ */

static void add_number(json_t *obj, const char *key, int64_t v)
{
	if (v > 0)
		json_object_set_new(obj, key, json_integer(v));
}

static void add_text(json_t *obj, const char *key, const char *text)
{
	if (text[0])
		json_object_set_new(obj, key, json_string(text));
}

static void add_raised(json_t *obj, const struct rdma_shot *s)
{
	json_t *all = json_object();
	int i;

	for (i = 0; i < s->raised_count && i < RDMA_RAISED_MAX; i++)
		add_number(all, s->raised[i].counter, s->raised[i].by);
	if (json_object_size(all))
		json_object_set_new(obj, "raised", all);
	else
		json_decref(all);
}

void rdma_report(const struct rates *l, int place, int shot, json_t *obj)
{
	const struct rdma_shot *s = rdma_shot_of(l->env, l->rule->probe, place,
						 shot);

	if (!probe_done(l->env, l->rule->probe, place, shot))
		return;
	add_number(obj, "message_bytes", s->msg_bytes);
	add_number(obj, "qps", s->qps);
	add_number(obj, "depth", s->depth);
	add_number(obj, "mtu", s->mtu);
	add_text(obj, "gid_type", s->gid_type);
	add_text(obj, "gid", s->gid);
	if (s->gid_type[0] && s->gid_index >= 0)
		json_object_set_new(obj, "gid_index",
				    json_integer(s->gid_index));
	if (s->relaxed >= 0)
		json_object_set_new(obj, "relaxed_ordering",
				    json_boolean(s->relaxed));
	if (s->cpu_us >= 0)
		probe_figure(obj, "cpu_ms", (double)s->cpu_us / 1e3);
	probe_figure(obj, "other_gbps", s->other_gbps);
	add_raised(obj, s);
}
