/* SPDX-License-Identifier: Apache-2.0
 * stories [RUNS [SEED]]: random stories of jobs, and records of them that have
 * been tampered with. Whatever they are: the summary is whole, its shares add
 * up, a merge of one node is that node, the order of nodes does not matter,
 * and a block is at most twelve lines of 120 printable characters with no
 * number in them that is none.
 */
#include "config.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/block.h"
#include "epilog/summary.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/merges.h"

#define GPUS 4
#define SAMPLES 60
#define PORTS 3

static uint64_t state;

static uint64_t next_random(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static int below(int n)
{
	return (int)(next_random() % (uint64_t)n);
}

static bool one_in(int n)
{
	return below(n) == 0;
}

/* 0..1, and now and then what no counter should say. */
static float share(void)
{
	static const float odd[] = { 0, 1, -14, 2.5F, 1e38F };

	if (one_in(20))
		return one_in(3) ? NAN : odd[below(5)];
	return (float)below(1001) / 1000;
}

static float amount(float most)
{
	return one_in(30) ? NAN : share() * most;
}

static struct story_number number(double most)
{
	if (one_in(6))
		return (struct story_number){ one_in(2) ? NAN : 5,
					      (enum story_why)(
						      1 + below(STORY_SHORT)) };
	if (one_in(30))
		return (struct story_number){ one_in(2) ? -7 : 1e300,
					      STORY_KNOWN };
	return (struct story_number){ floor(below(100000) / 1e5 * most),
				      STORY_KNOWN };
}

static void text(char *dst, size_t size)
{
	size_t i, n = (size_t)below((int)size);

	for (i = 0; i < n; i++)
		dst[i] = one_in(9) ? (char)(1 + below(255))
				   : (char)('a' + below(26));
	dst[n] = '\0';
}

struct node {
	struct story s;
	struct track_sample sample[GPUS][SAMPLES];
	struct track_traffic traffic[PORTS][SAMPLES];
	float cpu_busy[SAMPLES];
};

static void fill_sample(struct track_sample *t, int i)
{
	*t = (struct track_sample){
		.from_s = one_in(50) ? below(90000) : i * 30,
		.length_s = one_in(50) ? share() : 30,
		.busy = share(),
		.sm = share(),
		.tensor = share(),
		.dram = share(),
		.power_w = amount(700),
		.power_max_w = amount(700),
		.energy_j = amount(21000),
		.held_power_s = amount(30),
		.held_thermal_s = amount(30),
		.held_hw_s = amount(30),
		.nvlink_mb = amount(1e6F),
		.pcie_mb = amount(1e5F),
		.mem_used_mib = amount(80000),
		.sm_mhz = (uint16_t)below(2200),
		.temp_c = (int16_t)below(110),
		.reasons = (uint16_t)below(65536),
		.idle_s = amount(30),
	};
	if (one_in(20))
		t->temp_c = INT16_MIN;
}

static void fill_gpu(struct node *n, int i)
{
	struct story_gpu *g = &n->s.gpu[i];
	struct story_number *const numbers[] = {
		&g->energy_j,	   &g->held_power_s, &g->held_thermal_s,
		&g->held_hw_s,	   &g->nvlink_bytes, &g->pcie_bytes,
		&g->ecc_corr,	   &g->ecc_unc,	     &g->pcie_replay,
		&g->nvlink_errors,
	};
	size_t k;

	snprintf(g->uuid, sizeof(g->uuid), "GPU-%d-%s", i, n->s.job.node);
	text(g->model, one_in(2) ? 2 : sizeof(g->model));
	g->index = one_in(20) ? -5 : i;
	g->minor = i;
	g->mig = one_in(8);
	g->mem_total_bytes = one_in(9) ? (double)NAN : 8e10;
	g->sm_mhz_max = one_in(9) ? 0 : 1980;
	g->activity_why =
		one_in(4) ? (enum story_why)below(STORY_SHORT) : STORY_KNOWN;
	g->samples = one_in(5) ? below(3) : below(SAMPLES);
	g->sample = n->sample[i];
	g->epoch_s = n->s.job.start_s;
	for (k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
		*numbers[k] = number(1e12);
	for (k = 0; k < SAMPLES; k++)
		fill_sample(&n->sample[i][k], (int)k);
}

static void fill_port(struct node *n, int i)
{
	struct story_port *p = &n->s.port[i];
	int k;

	text(p->name, sizeof(p->name));
	p->rate_gbit = one_in(4) ? -1 : 400;
	p->rx_bytes = number(1e15);
	p->tx_bytes = number(1e15);
	p->errors = number(100);
	p->retries = number(100);
	p->congestion = number(1e6);
	p->downs = number(3);
	p->samples = below(SAMPLES);
	p->sample = n->traffic[i];
	p->epoch_s = n->s.job.start_s;
	for (k = 0; k < SAMPLES; k++)
		n->traffic[i][k] = (struct track_traffic){
			.from_s = 30 * k,
			.length_s = 30,
			.peak_gbps = amount(50),
			.rate_gbit = amount(400),
		};
}

static void fill_events(struct story *s)
{
	struct story_event *e;
	int i;

	s->event_count = one_in(3) ? below(40) : 0;
	s->events_cut = one_in(5);
	for (i = 0; i < s->event_count; i++) {
		e = &s->event[i];
		e->time_s = s->job.start_s + below(4000);
		e->kind = (enum story_event_kind)below(EVENT_OOM + 1);
		e->number = below(200) - 1;
		e->subcode = below(40) - 1;
		e->fatal = one_in(2);
		e->pid = below(9) - 1;
		e->pid_is_jobs = one_in(2);
		snprintf(e->device, sizeof(e->device), "GPU%d", below(GPUS));
		text(e->text, sizeof(e->text));
	}
}

static void fill_host(struct node *n)
{
	struct story_host *h = &n->s.host;
	int i;

	h->cpu_s = number(1e6);
	h->mem_peak_bytes = number(1e12);
	h->mem_limit_bytes = number(1e12);
	h->oom_kills = number(2);
	h->read_bytes = number(1e13);
	h->write_bytes = number(1e13);
	h->cpu_of = one_in(2) ? STORY_CGROUP : STORY_PROCESSES;
	h->mem_of = one_in(2) ? STORY_CGROUP : STORY_PROCESSES;
	h->cpus = below(128);
	h->steps = below(9) - 1;
	if (one_in(2))
		return;
	h->cpu_busy = n->cpu_busy;
	h->cpu_samples = 1 + below(SAMPLES);
	for (i = 0; i < SAMPLES; i++)
		n->cpu_busy[i] = share();
}

static struct node *random_node(const char *name)
{
	struct node *n = calloc(1, sizeof(*n));
	struct story_job *j = &n->s.job;
	int i;

	FUZZ_HOLDS(n != NULL);
	snprintf(j->node, sizeof(j->node), "%s", name);
	text(j->user, sizeof(j->user));
	j->id = 7;
	j->array_job = below(3) - 1;
	j->array_task = below(3) - 1;
	j->nodes = below(5);
	j->start_s = one_in(9) ? 0 : 1700000000;
	j->end_s = j->start_s + below(20000) - (one_in(9) ? 9000 : 0);
	j->state = (enum story_state)below(STORY_UNKNOWN + 1);
	j->exit_code = below(4) - 1;
	j->signal = below(12) - 1;
	j->owned = !one_in(4);
	n->s.watch = (enum story_watch)below(WATCH_NONE + 1);
	n->s.gpu_count = below(GPUS + 1);
	n->s.port_count = below(PORTS + 1);
	for (i = 0; i < n->s.gpu_count; i++)
		fill_gpu(n, i);
	for (i = 0; i < n->s.port_count; i++)
		fill_port(n, i);
	fill_events(&n->s);
	fill_host(n);
	text(n->s.leaf, one_in(2) ? 1 : sizeof(n->s.leaf));
	return n;
}

/* ---- promises ------------------------------------------------------------ */

static bool has_word(const char *line, const char *word)
{
	const char *at = strstr(line, word);

	for (; at; at = strstr(at + 1, word))
		if ((at == line || strchr(" (-", at[-1])) &&
		    (!at[strlen(word)] || strchr(" %),", at[strlen(word)])))
			return true;
	return false;
}

/* made_up: its names may be any text, also "nan". */
static void block_holds(const json_t *record, bool made_up)
{
	struct block b;
	const char *c;
	int i;

	block_render(record, &b);
	FUZZ_HOLDS(b.count >= 0 && b.count <= BLOCK_LINES);
	for (i = 0; i < b.count; i++) {
		FUZZ_HOLDS(memchr(b.line[i], 0, sizeof(b.line[i])) != NULL);
		FUZZ_HOLDS(!strncmp(b.line[i], "# assay ", 8));
		for (c = b.line[i]; *c; c++)
			FUZZ_HOLDS(*c >= ' ' && *c <= '~');
		FUZZ_HOLDS(made_up || (!has_word(b.line[i], "nan") &&
				       !has_word(b.line[i], "inf")));
	}
}

static double member(const json_t *o, const char *name)
{
	return json_number_value(json_object_get(o, name));
}

static void shares_hold(const json_t *record)
{
	static const char *const names[] = {
		"compute", "memory",	"communication", "input_cpu",
		"storage", "throttled", "idle",		 "unknown",
	};
	const json_t *where = json_object_get(record, "where");
	double sum = 0, x;
	size_t i;

	for (i = 0; i < 8; i++) {
		x = member(where, names[i]);
		FUZZ_HOLDS(x >= 0 && x <= 1);
		sum += x;
	}
	FUZZ_HOLDS(member(where, "gpu_seconds") <= 0 || fabs(sum - 1) < 1e-4);
	x = member(json_object_get(record, "gpus"), "busy_pct");
	FUZZ_HOLDS(x >= 0 && x <= 100);
}

/* Every member is there: a number that is none would be left out. */
static void is_whole(const json_t *record)
{
	static const char *const names[] = {
		"job",	  "watch", "nodes",  "gpus",	"gpu",	  "stalls",
		"where",  "power", "fabric", "cpu",	"memory", "storage",
		"node",	  "slow",  "faults", "blame",	"gate",	  "after",
		"advice", "kind",  "schema", "version",
	};
	char *s;
	size_t i;

	FUZZ_HOLDS(json_is_object(record));
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		FUZZ_HOLDS(json_object_get(record, names[i]) != NULL);
	s = json_dumps(record, SUMMARY_DUMP);
	FUZZ_HOLDS(s != NULL);
	free(s);
}

static void one_is_itself(json_t *record, const char *node)
{
	struct merge_job job = { .id = 7 };
	json_t *m = merge_of(&record, 1, &job);

	FUZZ_HOLDS(m != NULL);
	json_object_set_new(m, "kind", json_string("node"));
	json_object_set_new(json_object_get(m, "job"), "node", json_string(node));
	FUZZ_HOLDS(json_equal(m, record));
	json_decref(m);
}

static void order_does_not_matter(json_t *r[3])
{
	struct merge_job job = { .id = 7, .nodes = 4 };
	json_t *turned[3] = { r[2], r[0], r[1] };
	json_t *a = merge_of(r, 3, &job);
	json_t *b = merge_of(turned, 3, &job);

	FUZZ_HOLDS(a && b && json_equal(a, b));
	is_whole(a);
	shares_hold(a);
	block_holds(a, false);
	json_decref(a);
	json_decref(b);
}

/* ---- tampering ----------------------------------------------------------- */

static json_t *anything(void)
{
	switch (below(9)) {
	case 0:
		return json_null();
	case 1:
		return json_integer(one_in(2) ? INT64_MIN : INT64_MAX);
	case 2:
		return json_real(one_in(2) ? -1e308 : 1e-308);
	case 3:
		return json_string("nan\n\x1b[2J %s%n");
	case 4:
		return json_array();
	case 5:
		return json_object();
	case 6:
		return json_true();
	case 7:
		return json_integer(-1);
	default:
		return json_pack("[[[{s:[]}]], 1e9, 0, {}]", "gpu");
	}
}

/* Put anything at a random place below. */
static void tamper(json_t *o, int depth)
{
	const char *key;
	json_t *v;
	size_t at;
	void *i;

	if (json_is_array(o) && json_array_size(o)) {
		at = (size_t)below((int)json_array_size(o));
		v = json_array_get(o, at);
		if (one_in(depth) || !json_object_size(v))
			json_array_set_new(o, at, anything());
		else
			tamper(v, depth - 1);
		return;
	}
	if (!json_object_size(o))
		return;
	i = json_object_iter(o);
	for (at = (size_t)below((int)json_object_size(o)); at > 0; at--)
		i = json_object_iter_next(o, i);
	key = json_object_iter_key(i);
	v = json_object_iter_value(i);
	if (one_in(depth) || (!json_object_size(v) && !json_array_size(v)))
		json_object_set_new(o, key, anything());
	else
		tamper(v, depth > 1 ? depth - 1 : 1);
}

static void tampered_holds(json_t *r[3])
{
	struct merge_job job = { .id = 7 };
	struct merge *m = merge_create(&job);
	json_t *bad, *sum;
	int i, k;

	FUZZ_HOLDS(m != NULL);
	for (i = 0; i < 3; i++) {
		bad = json_deep_copy(r[i]);
		for (k = below(12); k >= 0; k--)
			tamper(bad, 4);
		block_holds(bad, true);
		merge_add(m, bad);
		json_decref(bad);
	}
	sum = merge_finish(m);
	merge_destroy(m);
	if (!sum)
		return; /* none was a record of this job any more */
	is_whole(sum);
	block_holds(sum, true);
	json_decref(sum);
}

static void run(void)
{
	static const char *const names[] = { "n1", "n2", "n10" };
	struct node *n;
	json_t *r[3];
	int i;

	for (i = 0; i < 3; i++) {
		n = random_node(names[i]);
		r[i] = summary_node(&n->s);
		is_whole(r[i]);
		shares_hold(r[i]);
		block_holds(r[i], false);
		one_is_itself(r[i], names[i]);
		free(n);
	}
	order_does_not_matter(r);
	tampered_holds(r);
	for (i = 0; i < 3; i++)
		json_decref(r[i]);
}

int main(int argc, char **argv)
{
	long runs = argc > 1 ? atol(argv[1]) : 200, i;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	for (i = 0; i < runs; i++) {
		state = (seed + (uint64_t)i) * UINT64_C(0xd1342543de82ef95);
		run();
	}
	printf("1..1\nok 1 - %ld random jobs\n", runs);
	return 0;
}
