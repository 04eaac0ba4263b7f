/* SPDX-License-Identifier: Apache-2.0
 * Fabric: bytes and rates, errors, and the link that was slowest.
 */
#include "config.h"
#include "epilog/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/outlier.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define GPU(m) offsetof(struct gpu_row, m)
#define PORT(m) offsetof(struct port_row, m)
#define OTHER_USE 0.1 /* of the median: this port is there for other things */

struct figure {
	const char *name;
	size_t member;
};

static const struct figure gpu_sums[] = {
	{ "nvlink_bytes", GPU(nvlink) },
	{ "nvlink_errors", GPU(nvlink_errors) },
	{ "pcie_bytes", GPU(pcie) },
	{ "pcie_replay", GPU(pcie_replay) },
};

static const struct figure port_sums[] = {
	{ "rx_bytes", PORT(rx) },	    { "tx_bytes", PORT(tx) },
	{ "error_count", PORT(errors) },    { "retries", PORT(retries) },
	{ "congestion", PORT(congestion) }, { "downs", PORT(downs) },
};

static bool is_above(const struct story_number *n, double limit)
{
	return number_is_known(n) && n->v > limit;
}

/* What is wrong with a port, the worst first; NULL: nothing. */
static const char *trouble_of(const struct port_row *r)
{
	if (is_above(&r->downs, 0))
		return "went down";
	if (number_is_known(&r->rate_low) && number_is_known(&r->rate_gbit) &&
	    r->rate_low.v < r->rate_gbit.v)
		return "fell to a lower rate";
	if (is_above(&r->errors, 0))
		return "errors of the link";
	return NULL;
}

static struct outlier usual_mean(const struct sheet *s)
{
	double *x = calloc((size_t)s->ports + 1, sizeof(*x));
	struct outlier o = { NAN, NAN };
	int i, n = 0;

	for (i = 0; x && i < s->ports; i++)
		if (number_is_known(&s->port[i].mean))
			x[n++] = s->port[i].mean.v;
	if (x)
		o = outlier_limit(x, n);
	free(x);
	return o;
}

/* How much speaks for this port to be the slowest: trouble before a low rate,
 * 0: nothing does. */
static double slowness(const struct port_row *r, const struct outlier *usual)
{
	double share = number_of(&r->mean) / usual->median;

	if (is_above(&r->downs, 0))
		return 4;
	if (trouble_of(r))
		return is_above(&r->errors, 0) ? 2 : 3;
	if (outlier_is(usual, number_of(&r->mean)) && share >= OTHER_USE)
		return 2 - share;
	return 0;
}

static void put_slowest(json_t *o, const struct sheet *s)
{
	struct outlier usual = usual_mean(s);
	const struct port_row *slowest = NULL;
	const char *why = NULL;
	char name[DEVICE_MAX], text[96];
	double most = 0;
	int i;

	for (i = 0; i < s->ports; i++)
		if (slowness(&s->port[i], &usual) > most) {
			slowest = &s->port[i];
			most = slowness(slowest, &usual);
		}
	if (slowest) {
		why = trouble_of(slowest);
		snprintf(text, sizeof(text), "mean %.2f GB/s, median %.2f",
			 slowest->mean.v, usual.median);
	}
	json_object_set_new(o, "slowest",
			    slowest ? json_string(port_name(slowest, name))
				    : json_null());
	json_object_set_new(o, "slowest_why",
			    slowest ? json_string(why ? why : text)
				    : json_null());
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* How many different names the nodes tell; unknown: some node told none. */
static void put_distinct(json_t *o, const char *what, const struct sheet *s,
			 size_t member)
{
	const char **name = calloc((size_t)s->nodes + 1, sizeof(*name));
	int i, n = 0;

	for (i = 0; name && i < s->nodes; i++) {
		name[i] = (const char *)&s->node[i] + member;
		if (!*name[i])
			break;
	}
	if (!name || !s->nodes || i < s->nodes) {
		free(name);
		number_put(o, what, number_unknown(STORY_NOT_TOLD));
		return;
	}
	qsort(name, (size_t)s->nodes, sizeof(*name), by_text);
	for (i = 0; i < s->nodes; i++)
		n += !i || strcmp(name[i], name[i - 1]) != 0;
	free(name);
	number_put(o, what, number_known(n));
}

static void put_rates(json_t *o, const char *name, struct total mean,
		      struct total peak)
{
	json_t *in = json_object();

	mean_put(in, "mean", &mean);
	most_put(in, "peak", &peak);
	json_object_set_new(o, name, in);
}

static json_t *ports_json(const struct sheet *s)
{
	bool lean = s->ports > SHEET_LEAN;
	json_t *list = json_array();
	int i;

	for (i = 0; i < s->ports; i++)
		json_array_append_new(list, port_row_json(&s->port[i], lean));
	return list;
}

json_t *section_fabric(const struct sheet *s)
{
	json_t *o = json_object();
	struct total t;
	size_t i;

	for (i = 0; i < COUNT(gpu_sums); i++) {
		t = gpu_total(s, gpu_sums[i].member, GPUS_ALL);
		total_put(o, gpu_sums[i].name, &t);
	}
	for (i = 0; i < COUNT(port_sums); i++) {
		t = port_total(s, port_sums[i].member);
		total_put(o, port_sums[i].name, &t);
	}
	put_rates(o, "nvlink_gbps", gpu_total(s, GPU(nvlink_mean), GPUS_ALL),
		  gpu_total(s, GPU(nvlink_peak), GPUS_ALL));
	put_rates(o, "pcie_gbps", gpu_total(s, GPU(pcie_mean), GPUS_ALL),
		  gpu_total(s, GPU(pcie_peak), GPUS_ALL));
	put_rates(o, "port_gbps", port_total(s, PORT(mean)),
		  port_total(s, PORT(peak)));
	put_slowest(o, s);
	put_distinct(o, "nvlink_domains", s,
		     offsetof(struct node_row, nvlink_domain));
	put_distinct(o, "leaf_switches", s, offsetof(struct node_row, leaf));
	json_object_set_new(o, "port", ports_json(s));
	return o;
}
