/* SPDX-License-Identifier: Apache-2.0
 * fake_verbs - a port of the stand-in for libibverbs, and what its probes say of
 * it. Each scenario is played in a child, whose checks count here. */
#ifndef ASSAY_TESTS_FAKE_VERBS_H
#define ASSAY_TESTS_FAKE_VERBS_H

#include <math.h>
#include <string.h>

#include "lib/clock.h"
#include "probes/crew.h"
#include "probes/rdma.h"
#include "tests/unit/fixture.h"

#define FAKE_LIBRARY "libibverbs.so.1"
#include "tests/unit/fake.h"

#define SYS "sys/class/infiniband/mlx5_0/ports/1/"
#define DEVICE(more) \
	"{\"verbs\": {\"devices\": [{\"name\": \"mlx5_0\", " \
	"\"write_gbps\": 10, \"latency_us\": 5" more "}]}}"

static struct fixture x;
static struct facts_fabric fabric;
static struct crew_plan plan;
static struct probe_progress progress;
static struct port_probes out;
static struct probe_shot shot;
static struct rdma_port port;
static int budget_ms = 8000;

static inline int verbs_setup(void **state)
{
	fixture_open(&x);
	memset(&fabric, 0, sizeof(fabric));
	memset(&plan, 0, sizeof(plan));
	fabric.hca_count = 1;
	snprintf(fabric.hca[0].name, sizeof(fabric.hca[0].name), "mlx5_0");
	snprintf(fabric.hca[0].driver, sizeof(fabric.hca[0].driver),
		 "mlx5_core");
	fabric.hca[0].port_count = 1;
	fabric.hca[0].port[0].number = 1;
	plan.roots = &x.roots;
	plan.fabric = &fabric;
	plan.port[0].number = 1;
	fixture_file(&x, SYS "gids/0",
		     "fe80:0000:0000:0000:5054:00ff:fe00:0001\n");
	fixture_file(&x, SYS "gids/1",
		     "0000:0000:0000:0000:0000:ffff:0a62:0001\n");
	fixture_file(&x, SYS "gid_attrs/types/0", "RoCE v2\n");
	fixture_file(&x, SYS "gid_attrs/types/1", "RoCE v2\n");
	fixture_file(&x, SYS "counters/symbol_error", "7\n");
	budget_ms = 8000;
	if (fake_set_up(state) < 0)
		return -1;
	plan.verbs_path = library;
	return 0;
}

static inline int verbs_teardown(void **state)
{
	fixture_close(&x);
	return fake_tear_down(state);
}

#define V(f) cmocka_unit_test_setup_teardown(f, verbs_setup, verbs_teardown)

/* ---- in the child ---------------------------------------------------------- */

#define TOLD(word) \
	do { \
		if (!strstr(shot.why, word)) { \
			fprintf(stderr, "# line %d: it says \"%s\"\n", \
				__LINE__, shot.why); \
			_exit(1); \
		} \
	} while (0)
#define BETWEEN(v, low, high) \
	do { \
		double v_ = (v); \
		if (!(v_ >= (low) && v_ <= (high))) { \
			fprintf(stderr, "# line %d: %s is %g\n", __LINE__, \
				#v, v_); \
			_exit(1); \
		} \
	} while (0)

/* Nothing may be open when all is over. */
static inline void left_nothing(void)
{
	static const char *const kinds[] = { "context", "pd", "mr", "channel",
					     "cq", "qp" };
	int (*count)(const char *) = (int (*)(const char *))dlsym(
		so, "fake_verbs_open");
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (count(kinds[i]) == 0)
			continue;
		fprintf(stderr, "# %d %s left open\n", count(kinds[i]),
			kinds[i]);
		_exit(1);
	}
}

static inline int open_port(void)
{
	memset(&port, 0, sizeof(port));
	memset(&out, 0, sizeof(out));
	port.progress = &progress;
	measure_begin(NULL, &shot);
	return rdma_open(&port, &plan, 0, &shot);
}

/* Open the port, measure once, and close it again. */
static inline enum probe_end measured(measure_port_f f)
{
	if (open_port() == 0) {
		port.until_ms = clock_mono_ms() + budget_ms;
		f(&port, &out, &shot, 0);
		rdma_close(&port);
	}
	SAME(progress.call[0], 0);
	left_nothing();
	return shot.end;
}

/* The clock is this machine's, which may be busy: the right figure comes out of
 * one of a few measurements, a wrong one of none. */
#define TRIES 5
#define IS_ABOUT(v, what) ((v) > 0.9 * (what) && (v) < 1.1 * (what))

static inline enum probe_end measured_about(measure_port_f f, double figure)
{
	enum probe_end end = measured(f);
	int i;

	for (i = 1; i < TRIES && end == PROBE_DONE &&
		    !IS_ABOUT(shot.figure[0], figure); i++)
		end = measured(f);
	BETWEEN(shot.figure[0], 0.9 * figure, 1.1 * figure);
	return end;
}

#endif
