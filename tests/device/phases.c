/* SPDX-License-Identifier: Apache-2.0
 * phases - what a worker of the quick tier spends its time with, step by
 * step, in a process that has not met the driver yet. */
#include "config.h"
#include "tests/device/rig.h"

#include "lib/clock.h"
#include "probes/measure.h"
#include "probes/pinned.h"

#define PIN_BYTES (64UL << 20)

static struct pinned pinned;

static int load(struct rig *r)
{
	return device_libs_open(&r->libs, r->cuda_path, r->nvml_path,
				&r->shot);
}

static int context(struct rig *r)
{
	return device_open(&r->gpu, &r->libs, 0, &r->facts, &r->shot);
}

static int pin(struct rig *r)
{
	return pinned_open(&pinned, &r->gpu, &r->shot, PIN_BYTES);
}

static int unpin(struct rig *r)
{
	pinned_close(&pinned, &r->gpu);
	return 0;
}

static int probe(struct rig *r, measure_f measure)
{
	measure_begin(&r->gpu, &r->shot);
	measure(&r->gpu, &r->facts, &r->shot, 0);
	return r->shot.end == PROBE_DONE ? 0 : -1;
}

static int pcie(struct rig *r)
{
	return probe(r, measure_pcie_bw);
}

static int membw(struct rig *r)
{
	return probe(r, measure_membw);
}

static int gemm(struct rig *r)
{
	return probe(r, measure_gemm);
}

static int teardown(struct rig *r)
{
	device_close(&r->gpu);
	return 0;
}

static const struct phase {
	const char *name;
	int (*run)(struct rig *r);
	bool needed;		/* without it there is no next one */
} phases[] = {
	{ "load and cuInit", load, true },
	{ "context and kernels", context, true },
	{ "pin 64 MiB", pin, false },
	{ "unpin", unpin, false },
	{ "pcie_bw", pcie, false },
	{ "membw", membw, false },
	{ "gemm", gemm, false },
	{ "teardown", teardown, false },
};

int rig_phases(struct rig *r)
{
	json_t *list = json_array();
	int64_t began;
	size_t i;
	int rc;

	rig_put(r, "phases", list);
	for (i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		began = clock_mono_us();
		rc = phases[i].run(r);
		if (rc < 0 && phases[i].needed)
			return rig_none("%s", r->shot.why);
		json_array_append_new(
			list,
			json_pack("{s:s, s:o, s:s}", "phase", phases[i].name,
				  "ms",
				  rc < 0 ? json_null() :
					   rig_number((double)(clock_mono_us() -
							       began) / 1e3, 3),
				  "why", rc < 0 ? r->shot.why : ""));
	}
	rig_put(r, "left_bytes", json_integer(r->gpu.held_bytes));
	return RIG_OK;
}
