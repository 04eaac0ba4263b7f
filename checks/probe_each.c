/* SPDX-License-Identifier: Apache-2.0
 * What the judges of probes share. */
#include "config.h"
#include "checks/probe_each.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "checks/gpu_each.h"
#include "checks/places.h"
#include "checks/probe_fault.h"
#include "checks/rdma_fault.h"
#include "lib/nvml.h"

const struct probe_shot *probe_shot(const struct check_env *env,
				    enum probe probe, int place, int shot)
{
	struct facts_probes *p = (struct facts_probes *)env->probes;

	return &probe_results(p, place)[probe].shot[shot];
}

bool probe_chosen(const struct check_env *env, int place)
{
	return place_is_port(place) ?
		       env->probes->port[place - PROBE_GPUS_MAX].chosen :
		       env->probes->gpu[place].chosen;
}

int probe_next(const struct check_env *env, enum probe probe, int i)
{
	do
		i = place_next(env->facts, probe, i);
	while (i >= 0 && !probe_chosen(env, i));
	return i;
}

static bool is_mig(const struct check_env *env, int place)
{
	return !place_is_port(place) && env->probes->gpu[place].mig;
}

bool probe_done(const struct check_env *env, enum probe probe, int place,
		int shot)
{
	const struct probe_shot *s = probe_shot(env, probe, place, 0);

	return probe_chosen(env, place) && !is_mig(env, place) &&
	       s[0].end == PROBE_DONE && s[shot].end == PROBE_DONE;
}

/* ---- how it ended --------------------------------------------------------- */

static const char *reason(const struct probe_look *l, int place,
			  const struct probe_shot *s)
{
	if (is_mig(l->env, place))
		return "in MIG mode";
	if (s->why[0])
		return s->why;
	return s->end == PROBE_NONE ? "not measured this time" :
				      "cannot be measured";
}

static void add_fault(struct probe_look *l, int place,
		      const struct probe_shot *s)
{
	bool rdma = probe_rc_is_rdma(s);
	const struct probe_fault *fault = rdma ? rdma_fault_of(s->rc) :
						 probe_fault(s->rc);
	struct finding *f;

	if (rdma)
		f = place_finding(l->r, fault->status, "fault", l->env, place,
				  "%s", s->why[0] ? s->why : fault->text);
	else
		f = place_finding(l->r, fault->status, "fault", l->env, place,
				  "%s (CUDA %d%s%s)", fault->text, s->rc,
				  s->call[0] ? " of " : "", s->call);
	if (!f)
		return;
	f->value = s->rc;
	f->remedy = fault->remedy;
	f->at_most = ACTION_DRAIN_AFTER;
	/* Not a figure but an event: each boot's is new. */
	gpu_evidence_boot(f, l->env, "rc=%d", s->rc);
}

/* What went wrong in a shot, as a finding. */
static void tell(struct probe_look *l, int place, const struct probe_shot *s)
{
	switch (s->end) {
	case PROBE_FAULT:
		add_fault(l, place, s);
		break;
	case PROBE_TIMEOUT:
		place_finding(l->r, STATUS_SKIP, "timeout", l->env, place,
			      "no answer in time%s%s",
			      s->call[0] ? ", in " : "", s->call);
		break;
	case PROBE_BROKEN:
		place_finding(l->r, STATUS_ERROR, "broken", l->env, place, "%s",
			      s->why[0] ? s->why : "the probe broke");
		break;
	default:
		break;
	}
}

/* Of the first. */
static void note_why(struct probe_look *l, int place, const char *why)
{
	char name[PLACE_SIZE];

	if (!l->why[0])
		snprintf(l->why, sizeof(l->why), "%s: %s",
			 place_name(l->env->facts, place, name), why);
}

bool probe_measured(struct probe_look *l, int place)
{
	const struct probe_shot *s = probe_shot(l->env, l->probe, place, 0);
	int i;

	for (i = 0; !is_mig(l->env, place) && i < PROBE_SHOTS; i++)
		tell(l, place, &s[i]);
	if (probe_done(l->env, l->probe, place, 0)) {
		l->measured++;
		return true;
	}
	if (is_mig(l->env, place) || s->end == PROBE_NONE ||
	    s->end == PROBE_UNABLE) {
		note_why(l, place, reason(l, place, s));
		l->missed++;
	}
	return false;
}

void probe_left_out(struct probe_look *l, int place)
{
	const struct probe_shot *s = probe_shot(l->env, l->probe, place, 0);

	if (s->end == PROBE_NONE && s->why[0])
		note_why(l, place, s->why);
}

static void note_missed(struct probe_look *l)
{
	char more[24] = "";

	if (l->missed > 1)
		snprintf(more, sizeof(more), " (and %d more)", l->missed - 1);
	snprintf(l->r->note, sizeof(l->r->note), "not measured: %.110s%s",
		 l->why, more);
}

int probe_end(struct probe_look *l)
{
	const char *why = l->env->probes->why;

	if (l->measured && l->missed && !l->r->note[0])
		note_missed(l);
	if (l->measured || l->r->count || l->r->check->also_state)
		return 0;
	if (probe_is_of_ports(l->probe))
		why = "no port was to be measured";
	else if (!why[0])
		why = "no GPU was to be measured";
	return result_skip(l->r, "%s", l->why[0] ? l->why : why);
}

/* ---- conditions ------------------------------------------------------------ */

static bool power_is_limited(const struct probe_conditions *c)
{
	return c->throttle > 0 && (c->throttle & NVML_REASON_SW_POWER_CAP) &&
	       c->power_limit_w > 0 && c->power_limit_w < c->power_default_w;
}

/* Newer parts have no application clocks, but can be locked all the same. */
static int32_t usual_clock(const struct probe_conditions *c)
{
	return c->app_mhz_default > 0 ? c->app_mhz_default : c->sm_mhz_max;
}

/* By application clocks, or locked to less than their default. */
static int32_t set_clock(const struct probe_conditions *c)
{
	if (c->app_mhz > 0 && c->app_mhz < usual_clock(c))
		return c->app_mhz;
	if (c->throttle > 0 && (c->throttle & NVML_REASON_SET_CLOCKS) &&
	    c->sm_mhz > 0 && c->sm_mhz < usual_clock(c))
		return c->sm_mhz;
	return 0;
}

static bool is_far(const struct probe_conditions *c)
{
	return c->numa_node >= 0 && c->numa_wanted >= 0 &&
	       c->numa_node != c->numa_wanted;
}

bool probe_excuse(const struct probe_shot *s, bool host, char *buf, size_t size)
{
	const struct probe_conditions *c = &s->cond;

	buf[0] = '\0';
	if (c->others > 0)
		snprintf(buf, size, "another process on it");
	else if (power_is_limited(c))
		snprintf(buf, size, "power limit %d<%d W", c->power_limit_w,
			 c->power_default_w);
	else if (set_clock(c))
		snprintf(buf, size, "clock set to %d<%d MHz", set_clock(c),
			 usual_clock(c));
	else if (host && c->confidential > 0)
		snprintf(buf, size, "confidential computing");
	else if (host && is_far(c))
		snprintf(buf, size, "buffer on NUMA node %d, not %d",
			 c->numa_node, c->numa_wanted);
	return buf[0] != '\0';
}

const char *probe_slowdown(const struct probe_shot *s)
{
	/* The most exact name: the generic bit comes with the others. */
	static const struct {
		int64_t bit;
		const char *text;
	} table[] = {
		{ NVML_REASON_HW_POWER_BRAKE, "held down by HW power brake" },
		{ NVML_REASON_HW_THERMAL, "held down by HW thermal slowdown" },
		{ NVML_REASON_HW_SLOWDOWN, "held down by HW slowdown" },
		{ NVML_REASON_SW_THERMAL, "held down by thermal slowdown" },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (s->cond.throttle > 0 && (s->cond.throttle & table[i].bit))
			return table[i].text;
	return NULL;
}

bool probe_is_fair(const struct probe_shot *s, bool host)
{
	char buf[80];

	return !probe_excuse(s, host, buf, sizeof(buf)) && !probe_slowdown(s);
}

/* ---- for the record ---------------------------------------------------------- */

static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
#define NUMBER(m) { #m, offsetof(struct probe_conditions, m) }
	NUMBER(sm_mhz),	      NUMBER(sm_mhz_max),
	NUMBER(mem_mhz),      NUMBER(mem_mhz_max),
	NUMBER(app_mhz),      NUMBER(app_mhz_default),
	NUMBER(temp_c),	      NUMBER(power_w),
	NUMBER(power_limit_w), NUMBER(power_default_w),
	NUMBER(pcie_gen),     NUMBER(pcie_width),
	NUMBER(numa_node),    NUMBER(numa_wanted),
	NUMBER(others),	      NUMBER(confidential),
	NUMBER(samples),
#undef NUMBER
};

static void set_text(json_t *obj, const char *key, const char *text)
{
	if (text[0])
		json_object_set_new(obj, key, json_string(text));
}

static void add_number(json_t *obj, const struct probe_conditions *c, size_t i)
{
	int32_t v;

	memcpy(&v, (const char *)c + numbers[i].offset, sizeof(v));
	if (v >= 0)
		json_object_set_new(obj, numbers[i].key, json_integer(v));
}

static json_t *conditions(const struct check_env *env, int place,
			  const struct probe_shot *s)
{
	json_t *obj = json_object();
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		add_number(obj, &s->cond, i);
	if (s->cond.throttle >= 0)
		json_object_set_new(obj, "throttle",
				    json_integer(s->cond.throttle));
	if (place_is_port(place)) {
		set_text(obj, "driver", place_hca(env->facts, place)->driver);
		set_text(obj, "firmware", place_hca(env->facts, place)->fw);
	} else {
		set_text(obj, "driver", env->facts->gpus.driver);
	}
	set_text(obj, "kernels", env->probes->build_id);
	return obj;
}

json_t *probe_report(const struct check_env *env, enum probe probe, int place,
		     int shot)
{
	static const char *const end[] = { "none",   "done",  "unable",
					   "broken", "fault", "timeout" };
	const struct probe_shot *s = probe_shot(env, probe, place, shot);
	json_t *obj = json_object();
	char name[PLACE_SIZE];

	if (!shot)
		set_text(obj, "subject", place_name(env->facts, place, name));
	if (s->end != PROBE_DONE) {
		set_text(obj, "end", end[s->end]);
		set_text(obj, "why", s->why);
	} else {
		json_object_set_new(obj, "conditions",
				    conditions(env, place, s));
	}
	if (s->partial)
		json_object_set_new(obj, "partial", json_true());
	return obj;
}

void probe_record(struct check_result *r, json_t *obj)
{
	if (!r->measured)
		r->measured = json_array();
	json_array_append_new(r->measured, obj);
}

void probe_figure(json_t *obj, const char *key, double v)
{
	if (isfinite(v))
		json_object_set_new(obj, key, json_real(round(1e3 * v) / 1e3));
}
