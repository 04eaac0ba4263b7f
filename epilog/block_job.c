/* SPDX-License-Identifier: Apache-2.0
 * The lines on the job, its GPUs and their time.
 */
#include "config.h"
#include "epilog/block_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a state is called in a sentence. */
static const struct {
	const char *state, *text;
} states[] = {
	{ "running", "running for" },
	{ "completed", "completed after" },
	{ "failed", "failed after" },
	{ "cancelled", "was cancelled after" },
	{ "timeout", "ran into its time limit after" },
	{ "oom", "ran out of memory after" },
	{ "node_fail", "lost a node after" },
};

static void say_state(struct block_line *l, const json_t *r)
{
	double code = block_number(r, "job", "exit_code");
	double signal = block_number(r, "job", "signal");
	const char *text = "ended after";
	char after[SHORT_MAX];
	size_t i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (block_is(r, "job", "state", states[i].state))
			text = states[i].text;
	block_duration(block_number(r, "job", "elapsed_s"), after);
	block_add(l, " ", "%s %s", text, after);
	if (signal > 0)
		block_add(l, " ", "(signal %.0f)", signal);
	else if (code > 0)
		block_add(l, " ", "(exit %.0f)", code);
}

static void say_job(struct block_line *l, const json_t *r)
{
	double array = block_number(r, "job", "array_job");
	double restart = block_number(r, "job", "restart");
	double task = block_number(r, "job", "array_task");

	if (array > 0 && task >= 0)
		block_add(l, "", "%.0f_%.0f", array, task);
	else
		block_add(l, "", "%.0f", fmax(block_number(r, "job", "id"), 0));
	if (restart > 0)
		block_add(l, " ", "(restart %.0f)", restart);
	say_state(l, r);
}

static double gpu_hours(const json_t *r)
{
	return block_number(r, "gpus", "allocated") *
	       block_number(r, "job", "elapsed_s") / 3600;
}

void block_line_job(struct block_line *l, const json_t *r)
{
	double gpus = block_number(r, "gpus", "allocated");
	double nodes = block_number(r, "nodes", "expected");
	const char *model = block_text(r, "gpus", "model");
	const char *node = block_text(r, "job", "node");
	double joules = block_number(r, "power", "energy_j");
	const json_t *some = member_at(r, "power", "partial");
	char buf[SHORT_MAX];
	double told;

	block_begin(l, "job ");
	say_job(l, r);
	if (gpus > 0)
		block_add(l, ": ", "%.0f GPU%s%s%s%s", gpus, gpus > 1 ? "s" : "",
			  *model ? " (" : "", model, *model ? ")" : "");
	if (nodes > 1 && *node)
		block_add(l, " ", "of node %s, one of %.0f", node, nodes);
	else if (nodes > 1)
		block_add(l, " ", "on %.0f nodes", nodes);
	if (gpu_hours(r) >= 0.05)
		block_add(l, ", ", "%.1f GPU hours", gpu_hours(r));
	if (!isfinite(joules))
		return;
	block_add(l, ", ", "%s", block_energy(joules, buf));
	told = block_number(some, "energy_j", "told");
	if (told > 0)
		block_add(l, " ", "(of %.0f GPU%s)", told, told > 1 ? "s" : "");
}

/* Up to three names of a list. */
static void say_names(struct block_line *l, const json_t *r, const char *what,
		      const json_t *list)
{
	size_t n = json_array_size(list), i;
	char names[160] = "", more[32] = "";

	for (i = 0; i < n && i < 3; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 "%s%.40s", i ? ", " : "",
			 block_device(r, block_item(list, i)));
	if (n > 3)
		snprintf(more, sizeof(more), " and %zu more", n - 3);
	if (n)
		block_add(l, " ", "(%s: %s%s)", what, names, more);
}

static const struct {
	const char *state, *text;
} watches[] = {
	{ "none", "not sampled: only counters of begin and end" },
	{ "ended", "sampling ended before the job" },
	{ "late", "sampling began after the job" },
};

/* What the figures below do not know. */
void block_line_seen(struct block_line *l, const json_t *r)
{
	double expected = block_number(r, "nodes", "expected");
	double reported = block_number(r, "nodes", "reported");
	const json_t *why = member_at(r, "power", "why");
	size_t i;

	block_begin(l, "seen: ");
	if (reported < expected && reported >= 0 &&
	    block_is(r, NULL, "kind", "job"))
		block_add(l, "", "%.0f of %.0f nodes reported", reported,
			  expected);
	say_names(l, r, "missing", member_at(r, "nodes", "missing"));
	for (i = 0; i < sizeof(watches) / sizeof(watches[0]); i++)
		if (block_is(r, "watch", "state", watches[i].state))
			block_add(l, "; ", "%s", watches[i].text);
	if (block_is(why, NULL, "energy_j", "MIG"))
		block_add(l, "; ", "MIG: what is the whole board's is left out");
	if (json_is_false(member_at(r, "job", "owned")))
		block_add(l, "; ", "shared node: ports are not the job's");
}

static void say_percent(struct block_line *l, const json_t *r, const char *what,
			const char *name)
{
	double pct = block_number(r, "gpus", name);

	if (isfinite(pct))
		block_add(l, ", ", "%s %.0f%%", what, pct);
}

static void say_activity(struct block_line *l, const json_t *r)
{
	double clocked = block_number(r, "gpus", "tensor_clock_pct");
	double tensor = block_number(r, "gpus", "tensor_active_pct");
	const json_t *why = member_at(r, "gpus", "why");
	const char *text = block_text(why, NULL, "sm_active_pct");

	say_percent(l, r, "SMs active", "sm_active_pct");
	say_percent(l, r, "tensor cores", "tensor_active_pct");
	if (isfinite(clocked) && round(clocked) < round(tensor))
		block_add(l, " ", "(%.0f%% clock-corrected)", clocked);
	if (!strcmp(text, why_text(STORY_UNSUPPORTED)))
		block_add(l, ", ", "SM activity not available on this GPU");
	else if (*text && !block_is(r, "watch", "state", "none"))
		block_add(l, ", ", "SM activity unknown (%s)", text);
}

void block_line_gpus(struct block_line *l, const json_t *r)
{
	double held = block_number(r, "gpus", "allocated");
	double used = block_number(r, "gpus", "used");
	double peak = block_number(r, "gpus", "mem_peak_bytes");
	double total = block_number(r, "gpus", "mem_total_bytes");

	block_begin(l, "GPUs: ");
	if (!(held > 0))
		return;
	if (isfinite(used))
		block_add(l, "", "%.0f of %.0f used", used, held);
	else
		block_add(l, "", "%.0f held, use unknown", held);
	say_names(l, r, "idle", member_at(r, "gpus", "idle"));
	say_percent(l, r, "busy", "busy_pct");
	say_activity(l, r);
	if (isfinite(peak) && isfinite(total))
		block_add(l, ", ", "memory peak %.*f of %.0f GB",
			  peak < 9.95e9 ? 1 : 0, peak / 1e9, total / 1e9);
}

static const struct {
	const char *name, *text;
} shares[] = {
	{ "compute", "compute" },
	{ "memory", "memory" },
	{ "communication", "communication" },
	{ "input_cpu", "input/CPU" },
	{ "storage", "storage" },
	{ "throttled", "throttled" },
	{ "idle", "idle" },
	{ "unknown", "cannot tell" },
};

#define SHARES (sizeof(shares) / sizeof(shares[0]))

/* From the largest to what is still a percent. */
void block_line_time(struct block_line *l, const json_t *r)
{
	bool told[SHARES] = { false };
	double share, most;
	size_t i, k, best;

	block_begin(l, "time: ");
	for (k = 0; k < SHARES; k++) {
		most = 0.01;
		best = SHARES;
		for (i = 0; i < SHARES; i++) {
			share = block_number(r, "where", shares[i].name);
			if (!told[i] && share >= most) {
				most = share;
				best = i;
			}
		}
		if (best == SHARES)
			return;
		told[best] = true;
		block_add(l, ", ", "%s %.0f%%", shares[best].text, 100 * most);
	}
}

void block_line_mostly(struct block_line *l, const json_t *r)
{
	const char *verdict = block_text(r, "where", "verdict");
	const char *text = block_text(r, "where", "text");
	bool mostly = false;
	size_t i;

	block_begin(l, "");
	if (!(block_number(r, "where", "gpu_seconds") > 0))
		return;
	for (i = 0; i < SHARES; i++)
		if (!strcmp(shares[i].name, verdict)) {
			mostly = block_number(r, "where", verdict) >= 0.5;
			verdict = shares[i].text;
			break;
		}
	if (i < SHARES)
		block_add(l, "", "%s %s: %s", mostly ? "mostly" : "above all",
			  verdict, text);
	else if (*verdict)
		block_add(l, "", "%s: %s", verdict, text);
}

void block_line_stalls(struct block_line *l, const json_t *r)
{
	double count = block_number(r, "stalls", "count");
	double total = block_number(r, "stalls", "total_s");
	double longest = block_number(r, "stalls", "longest_s");
	double when = block_number(r, "stalls", "longest_at") -
		      block_number(r, "job", "start");
	char buf[SHORT_MAX];

	block_begin(l, "stalls: ");
	if (!(count > 0 && total >= 0 && longest >= 0))
		return;
	block_add(l, "", "all GPUs idle at once %.0f time%s, %.0f s in all",
		  count, count > 1 ? "s" : "", total);
	block_add(l, ", ", "longest %.0f s", longest);
	if (isfinite(when))
		block_add(l, " ", "at %s", block_duration(when, buf));
}
