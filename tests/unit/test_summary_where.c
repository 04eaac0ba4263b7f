/* SPDX-License-Identifier: Apache-2.0
 * Each rule of the table of epilog/summary_where.c fires and stays silent. */
#include "config.h"

#include "tests/unit/told.h"

#define LIMIT "the hardware is the limit, tuning will not help much"

static const char *const parts[] = {
	"compute", "memory",	"communication", "input_cpu",
	"storage", "throttled", "idle",		 "unknown",
};

static void adds_up(const json_t *r)
{
	const json_t *where = told(r, "where");
	double sum = 0, x;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		x = told_number(where, parts[i]);
		assert_true(x >= 0 && x <= 1);
		sum += x;
	}
	assert_true(fabs(sum - 1) < 1e-5);
}

typedef void change_f(struct track_sample *t);

static struct stories *changed(int gpus, change_f *change)
{
	struct stories *b = stories_new("n1", gpus, 120);
	int i, k;

	for (i = 0; i < gpus; i++)
		for (k = 0; k < 120; k++)
			change(&b->sample[i][k]);
	return b;
}

static json_t *where_of(struct stories *b)
{
	json_t *r = told_of(b);

	adds_up(r);
	return r;
}

static void leave(struct track_sample *t)
{
	(void)t;
}

static void half_idle(struct track_sample *t)
{
	t->busy = 0.5F;
	t->sm = 0.5F;
	t->idle_s = STEP_S / 2.0F;
}

static void by_memory(struct track_sample *t)
{
	t->tensor = 0.05F;
	t->dram = 0.7F;
}

static void waits_for_others(struct track_sample *t)
{
	t->sm = 0.15F;
	t->tensor = 0.05F;
	t->dram = 0.1F;
}

static void waits_alone(struct track_sample *t)
{
	waits_for_others(t);
	t->nvlink_mb = 0;
}

static void at_half_clock(struct track_sample *t)
{
	t->sm_mhz = 990;
	t->held_thermal_s = STEP_S;
}

static void capped(struct track_sample *t)
{
	t->sm_mhz = 1782; /* nine tenths */
	t->held_power_s = STEP_S;
}

static void dark(struct track_sample *t)
{
	t->sm = t->tensor = t->dram = NAN;
}

static void no_tensor_cores(struct track_sample *t)
{
	t->tensor = 0.01F;
}

static void compute_is_the_limit(void **state)
{
	json_t *r = where_of(changed(8, leave));

	(void)state;
	is_text(r, "where.verdict", "compute");
	is_number(r, "where.compute", 0.9);
	is_number(r, "where.communication", 0.1);
	is_number(r, "where.gpu_seconds", 8 * 3600);
	is_text(r, "where.text", "SMs active 90%, tensor cores 55%: " LIMIT);
	assert_true(told_line(r, "mostly compute: SMs active 90%"));
	json_decref(r);
}

static void compute_without_tensor_cores_is_not(void **state)
{
	json_t *r = where_of(changed(8, no_tensor_cores));

	(void)state;
	is_text(r, "where.verdict", "compute");
	is_text(r, "where.text", "SMs active 90%, tensor cores 1%");
	json_decref(r);
}

static void memory_is_the_limit(void **state)
{
	json_t *r = where_of(changed(8, by_memory));

	(void)state;
	is_text(r, "where.verdict", "memory");
	is_number(r, "where.memory", 0.9);
	is_number(r, "where.compute", 0);
	json_decref(r);
}

static void kernels_that_wait_while_data_moves(void **state)
{
	json_t *r = where_of(changed(8, waits_for_others));

	(void)state;
	is_text(r, "where.verdict", "communication");
	is_number(r, "where.communication", 0.85);
	json_decref(r);
}

static void kernels_that_wait_and_no_data_moves(void **state)
{
	struct stories *b = changed(8, waits_alone);
	json_t *r;

	(void)state;
	b->s.port_count = 0;
	r = where_of(b);
	is_text(r, "where.verdict", "cannot tell");
	is_number(r, "where.unknown", 0.85);
	is_number(r, "where.communication", 0);
	json_decref(r);
}

static void ports_are_data_that_moves(void **state)
{
	json_t *r = where_of(changed(8, waits_alone));

	(void)state;
	is_number(r, "where.communication", 0.85);
	json_decref(r);
}

static void one_gpu_talks_to_nobody(void **state)
{
	/* its ports carry a file system's traffic */
	json_t *r = where_of(changed(1, waits_alone));

	(void)state;
	is_number(r, "where.communication", 0);
	is_number(r, "where.unknown", 0.85);
	json_decref(r);
}

static void idle_while_cores_work(void **state)
{
	struct stories *b = changed(8, half_idle);
	json_t *r;
	int k;

	(void)state;
	b->s.host.cpu_busy = b->cpu_busy;
	b->s.host.cpu_samples = 120;
	for (k = 0; k < 120; k++) /* 16 cores in the first half */
		b->cpu_busy[k] = k < 60 ? 0.25F : 0;
	b->s.host.read_bytes = b->s.host.write_bytes = is(0);
	r = where_of(b);
	is_number(r, "where.input_cpu", 0.25);
	is_number(r, "where.idle", 0.25);
	json_decref(r);
}

static void one_core_is_serial_code(void **state)
{
	struct stories *b = changed(8, half_idle);
	json_t *r;

	(void)state;
	b->s.host.cpu_s = is(3600); /* one of 64 cores all the time */
	r = where_of(b);
	is_number(r, "where.input_cpu", 0.5);
	is_text(r, "where.verdict", "compute");
	json_decref(r);
	b = changed(8, half_idle);
	b->s.host.cpu_s = is(360);
	r = where_of(b);
	is_number(r, "where.input_cpu", 0);
	is_number(r, "where.idle", 0.5);
	json_decref(r);
}

static void idle_while_much_is_read(void **state)
{
	struct stories *b = changed(8, half_idle);
	json_t *r;

	(void)state;
	b->s.host.cpu_s = is(100);
	b->s.host.read_bytes = is(1800 * 0.25 * GB);
	r = where_of(b);
	is_number(r, "where.storage", 0.5);
	json_decref(r);
	b = changed(8, half_idle);
	b->s.host.cpu_s = is(100);
	b->s.host.read_bytes = is(1800 * 0.1 * GB);
	r = where_of(b);
	is_number(r, "where.storage", 0);
	is_number(r, "where.idle", 0.5);
	json_decref(r);
}

static void clients_count_where_the_node_is_ours(void **state)
{
	struct stories *b = changed(8, half_idle);
	json_t *r, *clients;

	(void)state;
	clients = json_pack("[{s:s, s:s, s:f, s:f}]", "kind", "lustre", "mount",
			    "/scratch", "read_bytes", 900 * GB, "write_bytes",
			    0.0);
	b->s.host.cpu_s = is(100);
	b->s.host.clients = clients;
	stories_sum(b);
	r = summary_node(&b->s);
	is_number(r, "where.storage", 0.5);
	is_number(r, "storage.clients.0.read_bytes", 900 * GB);
	json_decref(r);
	b->s.job.owned = false;
	r = summary_node(&b->s);
	is_number(r, "where.storage", 0);
	is_unknown(r, "storage.clients.0.read_bytes", "shared node");
	json_decref(r);
	json_decref(clients);
	free(b);
}

static void what_being_held_down_costs(void **state)
{
	json_t *r = where_of(changed(8, at_half_clock));

	(void)state;
	is_number(r, "where.throttled", 0.5);
	is_number(r, "where.compute", 0.5);
	is_number(r, "gpu.0.throttle_s.thermal", 3600);
	is_number(r, "gpu.0.lost_s", 1800);
	json_decref(r);
	r = where_of(changed(8, capped));
	is_number(r, "where.throttled", 0.1);
	json_decref(r);
}

static void no_activity_is_not_told(void **state)
{
	struct stories *b = changed(8, dark);
	json_t *r;

	(void)state;
	b->s.gpu[0].activity_why = STORY_UNSUPPORTED;
	r = where_of(b);
	is_number(r, "where.unknown", 1);
	is_text(r, "where.verdict", "cannot tell");
	is_text(r, "where.text", "this GPU does not tell its SM activity");
	json_decref(r);
}

static void idle_gpus_are_not_in_it(void **state)
{
	struct stories *b = changed(2, leave);
	json_t *r;
	int k;

	(void)state;
	for (k = 0; k < 120; k++) {
		b->sample[1][k].busy = b->sample[1][k].sm = 0;
		b->sample[1][k].idle_s = STEP_S;
	}
	r = where_of(b);
	is_number(r, "where.idle", 0);
	is_number(r, "where.gpu_seconds", 3600);
	json_decref(r);
}

static void a_job_without_gpus(void **state)
{
	json_t *r = told_of(stories_new("n1", 0, 120));

	(void)state;
	is_null(r, "where.compute");
	is_text(r, "where.text", "the job had no GPU");
	is_number(r, "gpus.used", 0);
	is_number(r, "stalls.count", 0);
	json_decref(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compute_is_the_limit),
		cmocka_unit_test(compute_without_tensor_cores_is_not),
		cmocka_unit_test(memory_is_the_limit),
		cmocka_unit_test(kernels_that_wait_while_data_moves),
		cmocka_unit_test(kernels_that_wait_and_no_data_moves),
		cmocka_unit_test(ports_are_data_that_moves),
		cmocka_unit_test(one_gpu_talks_to_nobody),
		cmocka_unit_test(idle_while_cores_work),
		cmocka_unit_test(one_core_is_serial_code),
		cmocka_unit_test(idle_while_much_is_read),
		cmocka_unit_test(clients_count_where_the_node_is_ours),
		cmocka_unit_test(what_being_held_down_costs),
		cmocka_unit_test(no_activity_is_not_told),
		cmocka_unit_test(idle_gpus_are_not_in_it),
		cmocka_unit_test(a_job_without_gpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
