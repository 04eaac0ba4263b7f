/* SPDX-License-Identifier: Apache-2.0
 * crews - a crew and three GPUs that answer from a scenario, by the stand-ins
 * for the vendor's libraries. */
#ifndef ASSAY_TESTS_CREWS_H
#define ASSAY_TESTS_CREWS_H

#include <math.h>
#include <stdlib.h>

#include "probes/crew.h"
#include "probes/kernels.h"
#include "tests/unit/fixture.h"
#include "tests/unit/unit.h"

#define GPUS 3

static struct fixture x;
static struct facts_gpus gpus;
static struct facts_probes out;
static struct crew_plan plan;
static char cuda[512], nvml[512], empty[128];
static const char *nvml_more;	/* members of GPU 1's entry there, NULL none */

/* Rates that differ from GPU to GPU; more: members of GPU 1's entry, which may
 * have its own gemm_tflops; rest: sections beside those of the GPUs. */
static inline void scenario_with(const char *more, const char *rest)
{
	static char text[4096];
	char path[1024];
	size_t n = 0;
	int i;

	n += (size_t)sprintf(text + n, "{\"nvml\": {\"gpus\": [");
	for (i = 0; i < GPUS; i++)
		n += (size_t)sprintf(text + n,
				     "%s{\"like\": \"H100-SXM5\", \"GetUUID\": "
				     "\"%.60s\", \"GetPciInfo_v3\": {\"busId\": "
				     "\"00000000:%02X:00.0\"}%s%.200s}",
				     i ? ", " : "", gpus.gpu[i].uuid, 0x1b + i,
				     i == 1 && nvml_more ? ", " : "",
				     i == 1 && nvml_more ? nvml_more : "");
	n += (size_t)sprintf(text + n, "]}, \"cuda\": {\"gpus\": [");
	for (i = 0; i < GPUS; i++)
		n += (size_t)sprintf(
			text + n,
			"%s{\"hbm_gbps\": %d, %s\"sdc_ms\": 5, "
			"\"mem_mib\": 96, \"h2d_gbps\": %d, "
			"\"d2h_gbps\": 50, \"p2p_gbps\": {"
			"\"0\": 370, \"1\": 380, \"2\": 390}%s%s}",
			i ? ", " : "", 2900 + i,
			i == 1 && strstr(more, "gemm_tflops") ?
				"" :
				"\"gemm_tflops\": 600, ",
			52 + i,
			i == 1 && *more ? ", " : "", i == 1 ? more : "");
	sprintf(text + n, "]}%s}", rest);
	fixture_file(&x, "scenario.json", text);
	setenv("ASSAY_SCENARIO", fixture_path(&x, "scenario.json", path), 1);
}

static inline void scenario(const char *more)
{
	scenario_with(more, "");
}

/* All probes of the quick tier. */
static inline int setup(void **state)
{
	char path[1024];
	int i;

	(void)state;
	fixture_open(&x);
	memset(&plan, 0, sizeof(plan));
	memset(&gpus, 0, sizeof(gpus));
	gpus.count = GPUS;
	for (i = 0; i < GPUS; i++) {
		snprintf(gpus.gpu[i].bus_id, sizeof(gpus.gpu[i].bus_id),
			 "0000:%02x:00.0", 0x1b + i);
		snprintf(gpus.gpu[i].uuid, sizeof(gpus.gpu[i].uuid),
			 "GPU-0000000%d-0000-0000-0000-000000000000", i);
		plan.chosen[i] = true;
		plan.order[i] = i;
	}
	for (i = 0; i < PROBE_COUNT; i++)
		plan.probe[i] = i <= PROBE_peer;
	snprintf(cuda, sizeof(cuda), "%s/tests/fake/.libs/libcuda.so.1",
		 getenv("BUILD"));
	snprintf(nvml, sizeof(nvml), "%s/tests/fake/.libs/libnvidia-ml.so.1",
		 getenv("BUILD"));
	snprintf(empty, sizeof(empty), "%.100s",
		 fixture_path(&x, "empty", path));
	plan.gpus = &gpus;
	plan.roots = &x.roots;
	plan.cuda_path = cuda;
	plan.nvml_path = nvml;
	plan.empty_dir = empty;
	plan.budget_ms = 20000;
	nvml_more = NULL;
	scenario("");
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	fixture_close(&x);
	return 0;
}

static inline const struct probe_shot *shot(int gpu, enum probe p, int n)
{
	return &out.gpu[gpu].probe[p].shot[n];
}

static inline void run(int rc)
{
	assert_int_equal(crew_run(&plan, &out), rc);
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 0.005 * (b))

/* Kernel probes need a build with nvcc. */
static inline void assert_kernels(int gpu, enum probe p, double figure)
{
	const struct probe_shot *s = shot(gpu, p, 0);

	if (!kernels_fatbin) {
		assert_int_equal(s->end, PROBE_UNABLE);
		assert_non_null(strstr(s->why, "nvcc"));
		return;
	}
	assert_int_equal(s->end, PROBE_DONE);
	assert_false(s->corrupt);
	NEAR(s->figure[0], figure);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
