/* SPDX-License-Identifier: Apache-2.0
 * GPUs and power.
 */
#include "config.h"
#include "epilog/sections.h"

#include <math.h>
#include <string.h>

#define IDLE_NAMES_MAX 256
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OF(m) offsetof(struct gpu_row, m)

struct figure {
	const char *name;
	size_t member;
};

static const struct figure means[] = {
	{ "busy_pct", OF(busy) },
	{ "sm_active_pct", OF(sm) },
	{ "tensor_active_pct", OF(tensor) },
	{ "tensor_clock_pct", OF(tensor_clock) },
	{ "dram_active_pct", OF(dram) },
};

/* The model of all, "" where they differ. */
static const char *model_of(const struct sheet *s)
{
	int i;

	for (i = 1; i < s->gpus; i++)
		if (strcmp(s->gpu[i].model, s->gpu[0].model))
			return "";
	return s->gpus ? s->gpu[0].model : "";
}

static json_t *idle_names(const struct sheet *s)
{
	json_t *list = json_array();
	char name[DEVICE_MAX];
	int i;

	for (i = 0; i < s->gpus; i++)
		if (number_is_known(&s->gpu[i].used) && !gpu_is_used(&s->gpu[i]) &&
		    json_array_size(list) < IDLE_NAMES_MAX)
			json_array_append_new(
				list, json_string(gpu_name(&s->gpu[i], name)));
	return list;
}

json_t *section_gpus(const struct sheet *s)
{
	struct total used = gpu_total(s, OF(used), GPUS_ALL);
	struct total peak = gpu_total(s, OF(mem_peak), GPUS_ALL), t;
	json_t *o = json_object();
	size_t i;

	json_object_set_new(o, "allocated", json_integer(s->gpus));
	if (s->gpus)
		total_put(o, "used", &used);
	else
		json_object_set_new(o, "used", json_integer(0));
	json_object_set_new(o, "idle", idle_names(s));
	json_object_set_new(o, "model", member_text_json(model_of(s)));
	for (i = 0; i < COUNT(means); i++) {
		t = gpu_total(s, means[i].member, GPUS_ALL);
		mean_put(o, means[i].name, &t);
	}
	most_put(o, "mem_peak_bytes", &peak);
	if (peak.most_at >= 0)
		number_put(o, "mem_total_bytes", s->gpu[peak.most_at].mem_total);
	else if (s->gpus)
		number_put(o, "mem_total_bytes", s->gpu[0].mem_total);
	else
		json_object_set_new(o, "mem_total_bytes", json_null());
	return o;
}

/* What being held down has cost this GPU; without samples, how long it was. */
static double held_s(const struct gpu_row *r)
{
	double held = 0;

	if (number_is_known(&r->lost))
		return r->lost.v;
	held += number_is_known(&r->held_power) ? r->held_power.v : 0;
	held += number_is_known(&r->held_thermal) ? r->held_thermal.v : 0;
	held += number_is_known(&r->held_hw) ? r->held_hw.v : 0;
	return held;
}

/* The GPU that was held down most; NULL: none was for a second. */
static const struct gpu_row *worst_of(const struct sheet *s)
{
	const struct gpu_row *worst = NULL;
	int i;

	for (i = 0; i < s->gpus; i++)
		if (held_s(&s->gpu[i]) >= 1 &&
		    (!worst || held_s(&s->gpu[i]) > held_s(worst)))
			worst = &s->gpu[i];
	return worst;
}

static json_t *third(const struct sheet *s, const size_t member[3])
{
	static const char *const names[] = { "rate", "sm_mhz", "temp_c" };
	json_t *o = json_object();
	struct total t;
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		t = gpu_total(s, member[i], GPUS_USED);
		if (!t.of) /* for the reason */
			t = gpu_total(s, member[i], GPUS_ALL);
		mean_put(o, names[i], &t);
	}
	return o;
}

static const size_t first_third[] = { OF(rate_first), OF(mhz_first),
				      OF(temp_first) };
static const size_t last_third[] = { OF(rate_last), OF(mhz_last), OF(temp_last) };

static json_t *held_json(const struct sheet *s)
{
	struct total power = gpu_total(s, OF(held_power), GPUS_ALL);
	struct total thermal = gpu_total(s, OF(held_thermal), GPUS_ALL);
	struct total hw = gpu_total(s, OF(held_hw), GPUS_ALL);
	json_t *o = json_object();

	total_put(o, "power", &power);
	total_put(o, "thermal", &thermal);
	total_put(o, "hw", &hw);
	return o;
}

json_t *section_power(const struct sheet *s)
{
	struct total energy = gpu_total(s, OF(energy), GPUS_ALL);
	struct total watts = gpu_total(s, OF(power_mean), GPUS_ALL);
	struct total lost = gpu_total(s, OF(lost), GPUS_ALL);
	const struct gpu_row *worst = worst_of(s);
	char name[DEVICE_MAX];
	json_t *o = json_object();

	total_put(o, "energy_j", &energy);
	mean_put(o, "mean_w", &watts);
	json_object_set_new(o, "throttle_s", held_json(s));
	total_put(o, "lost_s", &lost);
	json_object_set_new(o, "worst",
			    worst ? json_string(gpu_name(worst, name))
				  : json_null());
	json_object_set_new(o, "first", third(s, first_third));
	json_object_set_new(o, "last", third(s, last_third));
	return o;
}
