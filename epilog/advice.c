/* SPDX-License-Identifier: Apache-2.0
 * Advice: each rule knows what it would be worth in GPU hours, and the number
 * that justifies it. The one that is worth most comes first; what is worth
 * less than a twentieth of the job is not said.
 */
#include "config.h"
#include "epilog/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOB_MIN_S 1800.0
#define WORTH 0.05	  /* of the job's GPU hours */
#define PART_WORTH 0.15	  /* of the time: less of it is as good as it gets */
#define SLOWER 0.10	  /* last third against first */
#define CORES_BUSY 0.8	  /* of those allocated: more of them would help */
#define SMALL_SM_PCT 30.0 /* SMs active below it: kernels too small */
#define TEXT_MAX 160
#define GPU(m) offsetof(struct gpu_row, m)
#define NODE(m) offsetof(struct node_row, m)

struct matter {
	const struct sheet *sheet;
	const json_t *record;
	struct shares shares;
	double elapsed_s, hours, used_hours;
	int used;
	enum story_state state;
};

struct advice {
	const char *code;
	char text[TEXT_MAX];
	double hours, number;
};

/* True if there is something to say. */
typedef bool rule_f(const struct matter *m, struct advice *a);

#define SAY(a, ...) snprintf((a)->text, sizeof((a)->text), __VA_ARGS__)

static bool hardware_fault(const struct matter *m, struct advice *a)
{
	const json_t *b = json_object_get(m->record, "blame");
	const char *node = member_string(b, "node");

	if (!member_is(b, "whose", "hardware"))
		return false;
	a->hours = a->number = m->hours;
	if (*node)
		SAY(a,
		    "not the program's fault: start it again without %s "
		    "(--exclude=%s)",
		    node, node);
	else
		SAY(a, "not the program's fault: start it again");
	return true;
}

static bool out_of_memory(const struct matter *m, struct advice *a)
{
	const json_t *mem = json_object_get(m->record, "memory");
	struct story_number limit = number_get(mem, "limit_bytes");

	if (m->state != STORY_OOM)
		return false;
	a->hours = m->hours;
	a->number = number_is_known(&limit) ? limit.v : m->hours;
	if (number_is_known(&limit))
		SAY(a,
		    "ask for more than %.0f GB of memory a node (--mem), or "
		    "use less: it was killed for it",
		    limit.v / 1e9);
	else
		SAY(a, "ask for more memory (--mem), or use less: it was "
		       "killed for it");
	return true;
}

static bool time_limit(const struct matter *m, struct advice *a)
{
	const json_t *b = json_object_get(m->record, "blame");

	if (m->state != STORY_TIMEOUT || !member_is(b, "whose", "none"))
		return false;
	a->hours = m->hours;
	a->number = m->elapsed_s;
	SAY(a,
	    "it ran into its limit of %.1f h: save its state in time, or "
	    "ask for more",
	    m->elapsed_s / 3600);
	return true;
}

static bool idle_gpus(const struct matter *m, struct advice *a)
{
	int i, idle = 0;

	for (i = 0; i < m->sheet->gpus; i++)
		if (number_is_known(&m->sheet->gpu[i].used) &&
		    !gpu_is_used(&m->sheet->gpu[i]))
			idle++;
	if (!idle)
		return false;
	a->number = idle;
	a->hours = m->hours * idle / m->sheet->gpus;
	if (idle == m->sheet->gpus)
		SAY(a, "no GPU was used: ask for none, or see that the program "
		       "finds them");
	else
		SAY(a, "ask for %d GPU%s instead of %d: %d held idle",
		    m->sheet->gpus - idle,
		    m->sheet->gpus - idle == 1 ? "" : "s", m->sheet->gpus, idle);
	return true;
}

static bool slow_gpu(const struct matter *m, struct advice *a)
{
	const json_t *o = json_array_get(json_object_get(m->record, "slow"), 0);
	double share = json_number_value(json_object_get(o, "share"));

	if (!o)
		return false;
	a->number = share;
	a->hours = (1 - share) * m->used_hours;
	SAY(a,
	    "%s %s ran at %.0f%% (%s) and the others wait for it: tell "
	    "your admins",
	    member_string(o, "node"), member_string(o, "gpu"), 100 * share,
	    member_string(o, "cause"));
	return true;
}

/* Power limits are as they should be; heat and brakes are not. */
static bool throttled(const struct matter *m, struct advice *a)
{
	struct total hot = gpu_total(m->sheet, GPU(held_thermal), GPUS_USED);
	struct total hw = gpu_total(m->sheet, GPU(held_hw), GPUS_USED);
	struct total lost = gpu_total(m->sheet, GPU(lost), GPUS_USED);
	double held = hot.sum + hw.sum;

	if (!lost.told || held <= 0)
		return false;
	a->hours = fmin(held, lost.sum) / 3600;
	a->number = held;
	SAY(a,
	    "GPUs were held down by heat or hardware for %.0f GPU seconds: "
	    "tell your admins",
	    held);
	return true;
}

/* The share of a part, as the matter of an advice. */
static double part(const struct matter *m, struct advice *a, enum part p)
{
	double share = m->shares.part[p];

	a->number = share;
	a->hours = share * m->used_hours;
	return 100 * share;
}

static bool input_cpu(const struct matter *m, struct advice *a)
{
	const json_t *cpu = json_object_get(m->record, "cpu");
	struct story_number used = number_get(cpu, "cores_used");
	struct story_number alloc = number_get(cpu, "cores_alloc");
	double pct = part(m, a, PART_INPUT_CPU);

	if (number_is_known(&used) && number_is_known(&alloc) &&
	    used.v < CORES_BUSY * alloc.v)
		SAY(a,
		    "GPUs waited %.0f%% of the time for %.1f of %.0f cores: "
		    "more loader workers, prefetch",
		    pct, used.v, alloc.v);
	else
		SAY(a,
		    "GPUs waited %.0f%% of the time for the CPUs: more "
		    "cores a GPU, or less work for them",
		    pct);
	return pct >= 100 * PART_WORTH;
}

static bool storage(const struct matter *m, struct advice *a)
{
	double pct = part(m, a, PART_STORAGE);

	SAY(a,
	    "GPUs waited %.0f%% of the time for storage: stage data on "
	    "local disks, write in the background",
	    pct);
	return pct >= 100 * PART_WORTH;
}

static bool communication(const struct matter *m, struct advice *a)
{
	const json_t *f = json_object_get(m->record, "fabric");
	double pct = part(m, a, PART_COMMUNICATION);
	int nodes = m->sheet->expected;

	if (nodes > 1 && m->sheet->gpus == nodes && nodes <= 8)
		SAY(a,
		    "%.0f%% of the time went into communication: put its %d "
		    "GPUs on fewer nodes",
		    pct, nodes);
	else if (member_whole(f, "leaf_switches", 0) > 1)
		SAY(a,
		    "%.0f%% of the time went into communication: keep it "
		    "below one switch (--switches=1)",
		    pct);
	else
		SAY(a,
		    "%.0f%% of the time went into communication: larger "
		    "batches, overlap, fewer exchanges",
		    pct);
	return pct >= 100 * PART_WORTH;
}

static bool idle_time(const struct matter *m, struct advice *a)
{
	double pct = part(m, a, PART_IDLE);

	SAY(a,
	    "used GPUs were idle for %.0f%% of the time: what does the "
	    "program wait for?",
	    pct);
	return m->used > 0 && pct >= 100 * PART_WORTH;
}

static bool small_kernels(const struct matter *m, struct advice *a)
{
	struct total sm = gpu_total(m->sheet, GPU(sm), GPUS_USED);
	double pct = total_mean(&sm);

	part(m, a, PART_UNKNOWN);
	if (!sm.told || pct >= SMALL_SM_PCT)
		return false;
	a->number = pct;
	SAY(a,
	    "kernels keep %.0f%% of the SMs busy: larger batches, or a "
	    "smaller GPU",
	    pct);
	return true;
}

static double third(const struct matter *m, const char *which, const char *name)
{
	return member_number(member_at(m->record, "power", which), name);
}

static bool slowed_down(const struct matter *m, struct advice *a)
{
	double less = 1 - third(m, "last", "rate") / third(m, "first", "rate");
	double mhz0 = third(m, "first", "sm_mhz");
	double mhz1 = third(m, "last", "sm_mhz");

	if (!(less >= SLOWER) || !isfinite(less))
		return false;
	a->number = less;
	a->hours = less / 2 * m->used_hours; /* it came by and by */
	if (mhz1 < (1 - SLOWER) * mhz0)
		SAY(a,
		    "it became %.0f%% slower as clocks fell from %.0f to "
		    "%.0f MHz: tell your admins",
		    100 * less, mhz0, mhz1);
	else
		SAY(a,
		    "it became %.0f%% slower at the same clocks: look at "
		    "what grows in the program",
		    100 * less);
	return true;
}

static const struct {
	const char *code;
	rule_f *rule;
} rules[] = {
	{ "hardware_fault", hardware_fault },
	{ "out_of_memory", out_of_memory },
	{ "time_limit", time_limit },
	{ "idle_gpus", idle_gpus },
	{ "slow_gpu", slow_gpu },
	{ "throttled", throttled },
	{ "input_cpu", input_cpu },
	{ "storage", storage },
	{ "communication", communication },
	{ "small_kernels", small_kernels },
	{ "slowed_down", slowed_down },
	{ "idle_time", idle_time },
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

static struct matter matter_of(const struct sheet *s, const json_t *record)
{
	struct matter m = { .sheet = s,
			    .record = record,
			    .shares = sheet_shares(s),
			    .elapsed_s = sheet_elapsed_s(s),
			    .hours = sheet_gpu_hours(s),
			    .state = sheet_state(s) };
	int i;

	for (i = 0; i < s->gpus; i++)
		m.used += gpu_is_used(&s->gpu[i]);
	if (s->gpus)
		m.used_hours = m.hours * m.used / s->gpus;
	return m;
}

static void insert(struct advice *list, int *n, const struct advice *a)
{
	int at = (*n)++;

	for (; at > 0 && list[at - 1].hours < a->hours; at--)
		list[at] = list[at - 1];
	list[at] = *a;
}

json_t *section_advice(const struct sheet *s, const json_t *record)
{
	struct matter m = matter_of(s, record);
	struct advice list[RULES], a;
	json_t *out = json_array();
	int n = 0, i;
	size_t r;

	for (r = 0; r < RULES && m.elapsed_s >= JOB_MIN_S; r++) {
		memset(&a, 0, sizeof(a));
		a.code = rules[r].code;
		if (rules[r].rule(&m, &a) && a.hours >= WORTH * m.hours)
			insert(list, &n, &a);
	}
	for (i = 0; i < n; i++)
		json_array_append_new(
			out, json_pack("{s:s, s:s, s:o, s:o}", "code",
				       list[i].code, "text", list[i].text,
				       "gpu_hours", number_json(list[i].hours),
				       "number", number_json(list[i].number)));
	return out;
}
