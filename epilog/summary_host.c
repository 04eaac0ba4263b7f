/* SPDX-License-Identifier: Apache-2.0
 * Ports, processors, memory, storage: the counters of the node.
 */
#include "config.h"
#include "epilog/summary_private.h"

#include <math.h>
#include <string.h>

#include "epilog/members.h"
#include "lib/scrub.h"

#define MEAN_MIN_S 1.0

static struct story_number mean_rate(const struct port_row *r, double elapsed)
{
	double most = fmax(number_of(&r->rx), number_of(&r->tx));

	if (!number_is_known(&r->rx))
		return r->rx;
	if (!number_is_known(&r->tx))
		return r->tx;
	return elapsed < MEAN_MIN_S ? number_unknown(STORY_SHORT)
				    : number_known(most / elapsed / 1e9);
}

static void add_samples(struct port_row *r, const struct story *s,
			const struct story_port *p)
{
	double peak = NAN, low = NAN;
	int i;

	for (i = 0; i < p->samples; i++) {
		peak = fmax(peak, (double)p->sample[i].peak_gbps);
		low = fmin(low, (double)p->sample[i].rate_gbit);
	}
	r->peak = number_or(peak, story_why(s, p->samples));
	r->rate_low = number_or(low, story_why(s, p->samples));
}

static json_t *rising(const json_t *counters)
{
	json_t *o = json_object(), *v;
	const char *name;
	char text[64];

	json_object_foreach((json_t *)(uintptr_t)counters, name, v) {
		scrub_copy(text, sizeof(text), name);
		if (json_number_value(v) > 0)
			json_object_set(o, text, v);
	}
	return o;
}

/* The counters are of the port: who else has used it is not known. */
static void hide_shared(struct port_row *r)
{
	struct story_number *const all[] = { &r->rx,	     &r->tx,
					     &r->mean,	     &r->peak,
					     &r->errors,     &r->retries,
					     &r->congestion, &r->downs };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		*all[i] = number_unknown(STORY_SHARED);
}

static void fill_port(struct port_row *r, const struct story *s,
		      const struct story_port *p)
{
	scrub_copy(r->node, sizeof(r->node), s->job.node);
	scrub_copy(r->name, sizeof(r->name), p->name);
	r->rate_gbit =
		number_known(p->rate_gbit > 0 ? p->rate_gbit : (double)NAN);
	r->rx = number_counted(p->rx_bytes);
	r->tx = number_counted(p->tx_bytes);
	r->errors = number_counted(p->errors);
	r->retries = number_counted(p->retries);
	r->congestion = number_counted(p->congestion);
	r->downs = number_counted(p->downs);
	r->mean = mean_rate(r, story_elapsed_s(&s->job));
	add_samples(r, s, p);
	if (!s->job.owned)
		hide_shared(r);
	else
		r->counters = rising(p->counters);
}

void summary_ports(struct sheet *sheet, const struct story *s)
{
	struct port_row *r;
	int i;

	for (i = 0; i < s->port_count && i < STORY_PORTS_MAX; i++) {
		r = sheet_port(sheet);
		if (!r)
			return;
		fill_port(r, s, &s->port[i]);
	}
}

static double most_samples(const struct story *s)
{
	int most = 0, i;

	for (i = 0; i < s->gpu_count; i++)
		if (s->gpu[i].samples > most)
			most = s->gpu[i].samples;
	return most;
}

void summary_node_row(struct node_row *r, const struct story *s)
{
	const struct story_host *h = &s->host;

	scrub_copy(r->node, sizeof(r->node), s->job.node);
	scrub_copy(r->nvlink_domain, sizeof(r->nvlink_domain), s->nvlink_domain);
	scrub_copy(r->leaf, sizeof(r->leaf), s->leaf);
	r->state = s->job.state;
	r->exit_code = s->job.exit_code;
	r->signal = s->job.signal;
	r->watch = s->watch;
	r->interval_s = s->interval_s;
	r->steps = h->steps;
	r->start_s = s->job.start_s > 0 ? s->job.start_s : 0;
	r->end_s = s->job.end_s > r->start_s ? s->job.end_s : r->start_s;
	r->samples = most_samples(s);
	r->cpu = number_counted(h->cpu_s);
	r->cpu_of = h->cpu_of;
	r->mem_of = h->mem_of;
	r->cores = number_known(h->cpus > 0 ? h->cpus : (double)NAN);
	r->mem_peak = number_counted(h->mem_peak_bytes);
	r->mem_limit = number_counted(h->mem_limit_bytes);
	r->oom_kills = number_counted(h->oom_kills);
	r->read = number_counted(h->read_bytes);
	r->write = number_counted(h->write_bytes);
}

static json_t *client_json(const json_t *c, bool owned)
{
	char kind[16], mount[128];
	json_t *o = json_object();

	member_text(c, "kind", kind, sizeof(kind));
	member_text(c, "mount", mount, sizeof(mount));
	json_object_set_new(o, "kind", json_string(kind));
	json_object_set_new(o, "mount", json_string(mount));
	number_put(o, "read_bytes",
		   owned ? number_get(c, "read_bytes")
			 : number_unknown(STORY_SHARED));
	number_put(o, "write_bytes",
		   owned ? number_get(c, "write_bytes")
			 : number_unknown(STORY_SHARED));
	return o;
}

void summary_clients(struct sheet *sheet, const struct story *s)
{
	json_t *c;
	size_t i;

	json_array_foreach(s->host.clients, i, c)
		json_array_append_new(sheet->clients,
				      client_json(c, s->job.owned));
}
