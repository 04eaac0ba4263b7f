/* SPDX-License-Identifier: Apache-2.0
 * GPUs and ports of a story: snapshots for what is exact, tracks for the
 * rest. */
#include "config.h"
#include "watch/gathered.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "epilog/members.h"
#include "lib/scrub.h"
#include "watch/delta.h"

#define PORT_ACTIVE 4

/* ---- tracks ------------------------------------------------------------------ */

/* Why a track has nothing to say. */
static enum story_why no_samples(const struct gathering *q)
{
	switch (q->g->story.watch) {
	case WATCH_NONE:
		return q->mark->watch == MARK_SHORT ? STORY_SHORT :
						      STORY_NO_WATCH;
	case WATCH_ENDED:
		return STORY_WATCH_ENDED;
	default:
		return STORY_UNREADABLE;
	}
}

struct span {
	int32_t from_s;
	float length_s;
};

/* Those of the job's time: where they begin, and how many. */
static int of_the_job(const struct gathering *q, const struct track_copy *c,
		      int *first)
{
	const struct story_job *j = &q->g->story.job;
	const char *p = c->samples.any;
	int i, n = 0;

	*first = 0;
	for (i = 0; i < c->count; i++, p += c->head.sample_bytes) {
		const struct span *s = (const void *)p;
		double from = (double)c->head.epoch_s + s->from_s;

		if (from + (double)s->length_s <= (double)j->start_s ||
		    from >= (double)j->end_s)
			continue;
		if (!n)
			*first = i;
		n = i - *first + 1;
	}
	return n;
}

/* The samples of a device; the copy is kept until the story goes. */
static int read_samples(struct gathering *q, const char *device,
			enum track_kind kind, struct track_copy *c)
{
	char name[TRACK_NAME_SIZE];
	int first, n;

	memset(c, 0, sizeof(*c));
	if (q->g->story.watch == WATCH_NONE || q->watch_dir < 0 ||
	    track_read(q->watch_dir, track_name(device, name), kind, c) < 0)
		return 0;
	if (strcmp(c->head.boot_id, q->mark->boot_id)) {
		track_copy_fini(c);
		return 0;
	}
	c->head.epoch_s = gather_time_s(q, c->head.epoch_s,
					c->head.epoch_up_s);
	q->g->tracks[q->g->track_count++] = c->samples.any;
	n = of_the_job(q, c, &first);
	c->samples.any = (char *)c->samples.any +
			 (size_t)first * c->head.sample_bytes;
	return n;
}

/* The sum of a float over samples of that size; unknown if one of them is. */
struct column {
	const void *samples;
	int count;
	size_t bytes, offset;
	double scale;
};

static struct story_number sum_of(const struct column *c, enum story_why none)
{
	bool any = false, all = true;
	double sum = 0;
	float v;
	int i;

	for (i = 0; i < c->count; i++) {
		memcpy(&v,
		       (const char *)c->samples + (size_t)i * c->bytes +
			       c->offset,
		       sizeof(v));
		any |= !isnan(v);
		all &= !isnan(v);
		sum += isnan(v) ? 0 : (double)v;
	}
	if (!c->count)
		return number_unknown(none);
	if (!any)
		return number_unknown(STORY_UNSUPPORTED);
	return all ? number_known(sum * c->scale) : number_unknown(STORY_RESET);
}

/* ---- GPUs ------------------------------------------------------------------- */

static const char *const nvlink_bytes[] = { "nvlink_tx_kib", "nvlink_rx_kib",
					    NULL };
static const char *const pcie_bytes[] = { "pcie_tx_bytes", "pcie_rx_bytes",
					  NULL };
static const char *const nvlink_errors[] = { "nvlink_replay",
					     "nvlink_recovery", "nvlink_crc",
					     NULL };
static const char *const heat[] = { "held_sw_thermal_ns", "held_hw_thermal_ns",
				    NULL };

static struct story_number scaled(struct story_number n, double by)
{
	n.v *= by;
	return n;
}

/* What the counters of the device say, before and after. */
static void by_snapshots(const struct delta *d, struct story_gpu *to)
{
	to->energy_j = scaled(delta_of(d, "energy_mj"), 1e-3);
	to->held_power_s = scaled(delta_of(d, "held_power_ns"), 1e-9);
	to->held_thermal_s = delta_sum(d, heat, 1e-9);
	if (to->held_thermal_s.why == STORY_UNSUPPORTED)
		to->held_thermal_s =
			scaled(delta_of(d, "held_thermal_ns"), 1e-9);
	to->held_hw_s = scaled(delta_of(d, "held_brake_ns"), 1e-9);
	to->nvlink_bytes = delta_sum(d, nvlink_bytes, 1024);
	to->pcie_bytes = delta_sum(d, pcie_bytes, 1);
	to->ecc_corr = delta_of(d, "ecc_corr");
	to->ecc_unc = delta_of(d, "ecc_unc");
	to->pcie_replay = delta_of(d, "pcie_replay");
	to->nvlink_errors = delta_sum(d, nvlink_errors, 1);
}

/* The whole board's, of which the job has an instance. */
static void of_the_board(struct story_gpu *to)
{
	struct story_number *all[] = {
		&to->energy_j,	   &to->held_power_s, &to->held_thermal_s,
		&to->held_hw_s,	   &to->nvlink_bytes, &to->pcie_bytes,
		&to->ecc_corr,	   &to->ecc_unc,      &to->pcie_replay,
		&to->nvlink_errors
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		*all[i] = number_unknown(STORY_MIG);
}

/* What wraps or was not read at one end is in the samples, all the same. */
static void by_samples(struct story_gpu *to)
{
	const struct {
		struct story_number *to;
		size_t offset;
		double scale;
	} from[] = {
#define OF(member) offsetof(struct track_sample, member)
		{ &to->energy_j, OF(energy_j), 1 },
		{ &to->held_power_s, OF(held_power_s), 1 },
		{ &to->held_thermal_s, OF(held_thermal_s), 1 },
		{ &to->held_hw_s, OF(held_hw_s), 1 },
		{ &to->nvlink_bytes, OF(nvlink_mb), 1e6 },
		{ &to->pcie_bytes, OF(pcie_mb), 1e6 },
#undef OF
	};
	struct story_number n;
	size_t i;

	for (i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		struct column c = { to->sample, to->samples,
				    sizeof(*to->sample), from[i].offset,
				    from[i].scale };

		if (number_is_known(from[i].to) ||
		    from[i].to->why == STORY_UNSUPPORTED)
			continue;
		n = sum_of(&c, from[i].to->why);
		if (number_is_known(&n))
			*from[i].to = n;
	}
}

static enum story_why activity_of(const struct gathering *q,
				  const struct story_gpu *g)
{
	int i;

	for (i = 0; i < g->samples; i++)
		if (!isnan(g->sample[i].sm))
			return STORY_KNOWN;
	if (!g->samples)
		return no_samples(q);
	return g->mig ? STORY_MIG : STORY_UNSUPPORTED;
}

static json_t *device(const json_t *snapshot, const char *kind,
		      const char *name)
{
	return json_object_get(json_object_get(snapshot, kind), name);
}

static void take_identity(struct story_gpu *to, const struct mark_gpu *m,
			  const json_t *before)
{
	const json_t *total = json_object_get(before, "mem_total");

	memcpy(to->uuid, m->uuid, sizeof(to->uuid));
	memcpy(to->bus_id, m->bus_id, sizeof(to->bus_id));
	memcpy(to->model, m->name, sizeof(to->model));
	to->index = m->index;
	to->minor = m->minor;
	to->mig = json_integer_value(json_object_get(before, "mig")) > 0;
	to->mem_total_bytes = json_is_integer(total) ?
				      (double)json_integer_value(total) :
				      (double)NAN;
	to->sm_mhz_max = (int)json_integer_value(
		json_object_get(before, "sm_mhz_max"));
}

static void take_gpu(struct gathering *q, const struct mark_gpu *m)
{
	struct story_gpu *to = &q->g->story.gpu[q->g->story.gpu_count++];
	const char *name = m->uuid[0] ? m->uuid : m->bus_id;
	struct delta d = { device(q->mark->snapshot, "gpus", name),
			   device(q->after, "gpus", name), no_samples(q) };
	struct track_copy c;

	take_identity(to, m, d.before);
	to->samples = read_samples(q, name, TRACK_GPU, &c);
	to->sample = c.samples.gpu;
	to->epoch_s = c.head.epoch_s;
	if (q->after && !q->same_boot) {
		d.before = NULL;
		d.why = STORY_RESET;
	} else if (q->from->facts) {
		d.why = STORY_UNREADABLE;
	}
	by_snapshots(&d, to);
	/* Of a part of the job the samples make no sum. */
	if (q->same_boot && q->g->story.watch == WATCH_WHOLE)
		by_samples(to);
	if (to->mig)
		of_the_board(to);
	to->activity_why = activity_of(q, to);
}

/* Of the job's GPUs, if it is one for all of them. */
static void take_domain(struct gathering *q)
{
	const char *all = NULL, *one;
	int i;

	for (i = 0; i < q->mark->gpu_count; i++) {
		one = json_string_value(json_object_get(
			device(q->mark->snapshot, "gpus",
			       q->mark->gpu[i].uuid),
			"fabric"));
		if (!one || (all && strcmp(all, one)))
			return;
		all = one;
	}
	scrub_copy(q->g->story.nvlink_domain,
		   sizeof(q->g->story.nvlink_domain), all);
}

void gather_devices(struct gathering *q)
{
	int i;

	for (i = 0; i < q->mark->gpu_count; i++)
		take_gpu(q, &q->mark->gpu[i]);
	take_domain(q);
}

/* ---- ports -------------------------------------------------------------------- */

/* "mlx5_0:1" is "mlx5_0" where it has no other port. */
static void name_port(const json_t *ports, const char *key,
		      struct story_port *to)
{
	const char *colon = strrchr(key, ':');
	char second[64];

	scrub_copy(to->name, sizeof(to->name), key);
	if (!colon || strcmp(colon, ":1"))
		return;
	snprintf(second, sizeof(second), "%.*s:2", (int)(colon - key), key);
	if (!json_object_get(ports, second) &&
	    (size_t)(colon - key) < sizeof(to->name))
		to->name[colon - key] = '\0';
}

static void traffic_of(const struct gathering *q, struct story_port *to)
{
	const struct {
		struct story_number *to;
		size_t offset;
		double scale;
	} from[] = {
#define OF(member) offsetof(struct track_traffic, member)
		{ &to->rx_bytes, OF(rx_mb), 1e6 },
		{ &to->tx_bytes, OF(tx_mb), 1e6 },
		{ &to->retries, OF(retries), 1 },
		{ &to->congestion, OF(congestion), 1 },
#undef OF
	};
	size_t i;

	for (i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		struct column c = { to->sample, to->samples,
				    sizeof(*to->sample), from[i].offset,
				    from[i].scale };

		*from[i].to = q->mark->owned ? sum_of(&c, no_samples(q)) :
					       number_unknown(STORY_SHARED);
	}
}

static void take_port(struct gathering *q, const json_t *ports,
		      const char *key)
{
	struct story_port *to = &q->g->story.port[q->g->story.port_count++];
	struct delta d = { json_object_get(ports, key),
			   device(q->after, "ports", key), no_samples(q) };
	const json_t *rate = json_object_get(d.before, "rate_gbit");
	struct track_copy c;

	name_port(ports, key, to);
	to->rate_gbit = json_is_integer(rate) ? (int)json_integer_value(rate) :
						-1;
	to->samples = read_samples(q, key, TRACK_PORT, &c);
	to->sample = c.samples.port;
	to->epoch_s = c.head.epoch_s;
	if (q->after && !q->same_boot) {
		d.before = NULL;
		d.why = STORY_RESET;
	}
	to->counters = delta_errors(&d, &to->errors);
	to->downs = delta_port(&d, "link_downed");
	traffic_of(q, to);
}

/* Those that could be used when the job began. */
void gather_ports(struct gathering *q)
{
	json_t *ports = json_object_get(q->mark->snapshot, "ports");
	const char *key;
	json_t *port;

	json_object_foreach(ports, key, port)
		if (json_integer_value(json_object_get(port, "state")) ==
			    PORT_ACTIVE &&
		    q->g->story.port_count < STORY_PORTS_MAX)
			take_port(q, ports, key);
}
