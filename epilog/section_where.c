/* SPDX-License-Identifier: Apache-2.0
 * Where the time went, in words: the largest share, and the numbers for it.
 */
#include "config.h"
#include "epilog/sections.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bound by the arithmetic: this much of the time, with tensor cores at work
 * this much. Large matrix products reach 60 to 90%, good training 30 to 50%. */
#define LIMIT_SHARE 0.6
#define LIMIT_TENSOR_PCT 25.0
#define NEXT_SHARE 0.2 /* is worth its numbers too */
#define GPU(m) offsetof(struct gpu_row, m)
#define NODE(m) offsetof(struct node_row, m)

struct words {
	char text[200];
	size_t from; /* where the part that is being said begins */
};

static void __attribute__((format(printf, 2, 3)))
put(struct words *w, const char *fmt, ...)
{
	size_t len = strlen(w->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->text + len, sizeof(w->text) - len, fmt, ap);
	va_end(ap);
}

static const char *comma(const struct words *w)
{
	return w->text[w->from] ? ", " : "";
}

/* A number in words, or nothing where it is not known. */
static void add(struct words *w, const char *before, double v, const char *after)
{
	if (isfinite(v))
		put(w, "%s%s %.0f%s", comma(w), before, v, after);
}

static void add_rate(struct words *w, const char *of, double gbps,
		     const char *each)
{
	if (isfinite(gbps))
		put(w, "%s%s %.1f GB/s %s", comma(w), of, gbps, each);
}

static double gpu_mean(const struct sheet *s, size_t member)
{
	struct total t = gpu_total(s, member, GPUS_USED);

	return total_mean(&t);
}

static void say_active(const struct sheet *s, struct words *w)
{
	add(w, "SMs active", gpu_mean(s, GPU(sm)), "%");
	add(w, "tensor cores", gpu_mean(s, GPU(tensor)), "%");
}

static void say_memory(const struct sheet *s, struct words *w)
{
	add(w, "GPU memory busy", gpu_mean(s, GPU(dram)), "%");
	add(w, "tensor cores", gpu_mean(s, GPU(tensor)), "%");
}

static void say_traffic(const struct sheet *s, struct words *w)
{
	struct total port = port_total(s, offsetof(struct port_row, mean));

	add(w, "kernels resident with SMs active", gpu_mean(s, GPU(sm)), "%");
	add_rate(w, "NVLink", gpu_mean(s, GPU(nvlink_mean)), "a GPU");
	add_rate(w, "fabric", total_mean(&port), "a port");
}

static void say_cpu(const struct sheet *s, struct words *w)
{
	double elapsed = sheet_elapsed_s(s), seconds = 0, cores = 0;
	const struct node_row *r;
	int i;

	for (i = 0; i < s->nodes; i++) {
		r = &s->node[i];
		if (!number_is_known(&r->cpu) || !number_is_known(&r->cores))
			continue;
		seconds += r->cpu.v;
		cores += r->cores.v;
	}
	if (cores > 0 && elapsed > 0)
		put(w, "GPUs idle while %.1f of %.0f cores worked",
		    seconds / elapsed, cores);
}

static void say_storage(const struct sheet *s, struct words *w)
{
	struct total rd = node_total(s, NODE(read));
	struct total wr = node_total(s, NODE(write));
	double bytes = rd.sum + wr.sum;
	json_t *c;
	size_t i;

	json_array_foreach(s->clients, i, c)
		bytes += json_number_value(json_object_get(c, "read_bytes")) +
			 json_number_value(json_object_get(c, "write_bytes"));
	put(w, "GPUs idle, %.1f %s read and written",
	    bytes / (bytes < 1e12 ? 1e9 : 1e12), bytes < 1e12 ? "GB" : "TB");
}

static void say_held(const struct sheet *s, struct words *w)
{
	struct total lost = gpu_total(s, GPU(lost), GPUS_USED);

	add(w, "clocks held down, worth", lost.sum, " GPU seconds");
}

static void say_idle(const struct sheet *s, struct words *w)
{
	put(w, "no kernel ran, and no more than %s",
	    node_total(s, NODE(cpu)).told ? "one core worked"
					  : "is known of the CPU");
}

static void say_unknown(const struct sheet *s, struct words *w)
{
	struct total sm = gpu_total(s, GPU(sm), GPUS_USED);

	if (!sm.told && sm.why == STORY_UNSUPPORTED)
		put(w, "this GPU does not tell its SM activity");
	else if (!sm.told)
		put(w, "SM activity: %s", why_text(sm.why));
	else
		add(w, "kernels resident with SMs active", total_mean(&sm), "%");
}

/* How each verdict is justified. */
static void (*const say[PARTS])(const struct sheet *, struct words *) = {
	[PART_COMPUTE] = say_active,
	[PART_MEMORY] = say_memory,
	[PART_COMMUNICATION] = say_traffic,
	[PART_INPUT_CPU] = say_cpu,
	[PART_STORAGE] = say_storage,
	[PART_THROTTLED] = say_held,
	[PART_IDLE] = say_idle,
	[PART_UNKNOWN] = say_unknown,
};

/* The largest share, of those that are not among the taken. */
static enum part most_of(const struct shares *sh, unsigned int taken)
{
	enum part most = PARTS;
	int p;

	for (p = 0; p < PARTS; p++)
		if (!(taken & 1U << p) &&
		    (most == PARTS || sh->part[p] > sh->part[most]))
			most = (enum part)p;
	return most;
}

/* These have numbers of their own; those of the others are the same. */
static bool waits(enum part p)
{
	return p == PART_INPUT_CPU || p == PART_STORAGE ||
	       p == PART_THROTTLED || p == PART_IDLE;
}

/* Is it the arithmetic that the job waits for? */
static bool is_at_limit(const struct sheet *s, const struct shares *sh)
{
	return sh->part[PART_COMPUTE] >= LIMIT_SHARE &&
	       gpu_mean(s, GPU(tensor)) >= LIMIT_TENSOR_PCT;
}

/* The numbers for the largest share, and for the next where it is large. */
static void justify(const struct sheet *s, const struct shares *sh,
		    struct words *w)
{
	enum part most = most_of(sh, 0), next = most_of(sh, 1U << most);

	say[most](s, w);
	if (most == PART_COMPUTE && is_at_limit(s, sh)) {
		put(w, ": the hardware is the limit, tuning will not help much");
	} else if (sh->part[next] >= NEXT_SHARE && (waits(most) || waits(next))) {
		put(w, "%s", w->text[0] ? "; " : "");
		w->from = strlen(w->text);
		say[next](s, w);
	}
}

static void put_unknown(json_t *o, const struct sheet *s)
{
	struct total busy = gpu_total(s, GPU(busy), GPUS_ALL);
	int p;

	for (p = 0; p < PARTS; p++)
		if (s->gpus)
			number_put(o, part_name((enum part)p),
				   number_unknown(busy.why ? busy.why
							   : STORY_SHORT));
		else
			json_object_set_new(o, part_name((enum part)p),
					    json_null());
	json_object_set_new(o, "verdict", json_string("cannot tell"));
	json_object_set_new(o, "text",
			    member_text_json(!s->gpus	? "the job had no GPU"
					     : busy.why ? why_text(busy.why)
							: why_text(STORY_SHORT)));
}

json_t *section_where(const struct sheet *s)
{
	struct total used = gpu_total(s, GPU(used), GPUS_ALL);
	struct shares sh = sheet_shares(s);
	enum part most = most_of(&sh, 0);
	json_t *o = json_object();
	struct words w = { .text = "" };
	int p;

	json_object_set_new(o, "gpu_seconds", number_json(sh.seconds));
	if (sh.seconds <= 0) {
		put_unknown(o, s);
		return o;
	}
	partial_put(o, "gpu_seconds", &used);
	for (p = 0; p < PARTS; p++)
		json_object_set_new(o, part_name((enum part)p),
				    number_json(sh.part[p]));
	justify(s, &sh, &w);
	json_object_set_new(o, "verdict",
			    json_string(most == PART_UNKNOWN ? "cannot tell"
							     : part_name(most)));
	json_object_set_new(o, "text", member_text_json(w.text));
	return o;
}
