/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/conditions.h"

#include <unistd.h>

#define PROCS_MAX 64

void conditions_init(struct probe_conditions *c)
{
	*c = (struct probe_conditions){
		.sm_mhz = -1, .sm_mhz_max = -1, .mem_mhz = -1,
		.mem_mhz_max = -1, .app_mhz = -1, .app_mhz_default = -1,
		.throttle = -1, .temp_c = -1, .power_w = -1,
		.power_limit_w = -1, .power_default_w = -1, .pcie_gen = -1,
		.pcie_width = -1, .numa_node = -1, .numa_wanted = -1,
		.others = -1, .confidential = -1,
	};
}

typedef int (*number_f)(struct nvml_device *, unsigned int *);
typedef int (*keyed_f)(struct nvml_device *, unsigned int, unsigned int *);

/* A number of NVML in units of unit, or -1. */
static int32_t ask(struct probe_device *d, number_f fn, unsigned int unit)
{
	unsigned int v;

	if (!fn)
		return -1;
	device_enter(d->libs, "NVML");
	return fn(d->nvml, &v) == NVML_RC_OK ? (int32_t)(v / unit) : -1;
}

static int32_t ask_keyed(struct probe_device *d, keyed_f fn, unsigned int key)
{
	unsigned int v;

	if (!fn)
		return -1;
	device_enter(d->libs, "NVML");
	return fn(d->nvml, key, &v) == NVML_RC_OK ? (int32_t)v : -1;
}

static void keep_lowest(int32_t *slot, int32_t v)
{
	if (v >= 0 && (*slot < 0 || v < *slot))
		*slot = v;
}

static void keep_highest(int32_t *slot, int32_t v)
{
	if (v > *slot)
		*slot = v;
}

static void look_at_reasons(struct probe_device *d, struct probe_conditions *c)
{
	const struct devlibs_nvml *n = &d->libs->nvml;
	int (*fn)(struct nvml_device *, unsigned long long *) =
		n->event_reasons ? n->event_reasons : n->throttle_reasons;
	unsigned long long bits;

	if (!fn)
		return;
	device_enter(d->libs, "NVML");
	if (fn(d->nvml, &bits) != NVML_RC_OK)
		return;
	c->throttle = (c->throttle < 0 ? 0 : c->throttle) | (int64_t)bits;
}

void conditions_look(struct probe_device *d, struct probe_conditions *c)
{
	const struct devlibs_nvml *n = &d->libs->nvml;

	c->samples++;
	if (!d->nvml)
		return;
	look_at_reasons(d, c);
	keep_lowest(&c->sm_mhz, ask_keyed(d, n->clock, NVML_CLOCK_SM_DOMAIN));
	keep_lowest(&c->mem_mhz, ask_keyed(d, n->clock, NVML_CLOCK_MEM_DOMAIN));
	keep_highest(&c->temp_c, ask_keyed(d, n->temperature, NVML_TEMP_GPU));
	keep_highest(&c->power_w, ask(d, n->power_usage, 1000));
	keep_lowest(&c->pcie_gen, ask(d, n->pcie_gen, 1));
	keep_lowest(&c->pcie_width, ask(d, n->pcie_width, 1));
	device_enter(d->libs, "");
}

static bool is_ours(const struct probe_device *d, pid_t pid)
{
	const pid_t *crew = d->libs->crew;
	int i;

	for (i = 0; crew && i < PROBE_GPUS_MAX; i++)
		if (crew[i] == pid)
			return true;
	return pid == getpid();
}

/* Foreign processes on the GPU. */
static int32_t count_others(struct probe_device *d)
{
	static struct nvml_process proc[PROCS_MAX];
	unsigned int n = PROCS_MAX;
	int32_t others = 0;
	unsigned int i;

	if (!d->libs->nvml.processes)
		return -1;
	device_enter(d->libs, "NVML");
	if (d->libs->nvml.processes(d->nvml, &n, proc) != NVML_RC_OK)
		return -1;
	for (i = 0; i < n && i < PROCS_MAX; i++)
		others += !is_ours(d, (pid_t)proc[i].pid);
	return others;
}

int32_t conditions_confidential(struct probe_libs *l)
{
	struct nvml_cc_state state = { 0 };
	int rc;

	if (!l->have_nvml || !l->nvml.cc_state)
		return -1;
	device_enter(l, devlibs_nvml_names.cc_state);
	rc = l->nvml.cc_state(&state);
	device_enter(l, "");
	return rc == NVML_RC_OK ? state.feature == 1 : -1;
}

void conditions_fixed(struct probe_device *d, struct probe_conditions *c)
{
	const struct devlibs_nvml *n = &d->libs->nvml;

	c->confidential = conditions_confidential(d->libs);
	if (!d->nvml)
		return;
	c->sm_mhz_max = ask_keyed(d, n->clock_max, NVML_CLOCK_SM_DOMAIN);
	c->mem_mhz_max = ask_keyed(d, n->clock_max, NVML_CLOCK_MEM_DOMAIN);
	c->app_mhz = ask_keyed(d, n->app_clock, NVML_CLOCK_SM_DOMAIN);
	c->app_mhz_default = ask_keyed(d, n->app_clock_default,
				       NVML_CLOCK_SM_DOMAIN);
	c->power_limit_w = ask(d, n->power_enforced, 1000);
	c->power_default_w = ask(d, n->power_default, 1000);
	c->others = count_others(d);
	device_enter(d->libs, "");
}
