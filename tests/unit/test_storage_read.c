/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_storage_read;

#define PATH "path = /data/file\n"

static struct probes *reading(const char *config)
{
	struct probes *t = probes_healthy(&check_storage_read, 2);

	probes_config(t, config);
	return t;
}

static struct probe_shot *shot(struct probes *t)
{
	return &t->p.storage.shot[0];
}

static void unset_is_skipped(void **state)
{
	struct probes *t = reading("");

	(void)state;
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "no path configured");
	probes_free(t);
}

static void what_is_not_expected_is_not_judged(void **state)
{
	struct probes *t = reading(PATH);
	const json_t *o;

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_int_equal(t->s->r.count, 0);
	o = json_array_get(t->s->r.measured, 0);
	assert_true(json_number_value(json_object_get(o, "mbps")) == 5500);
	assert_true(json_number_value(json_object_get(o, "p99_ms")) == 12);
	assert_true(json_is_true(json_object_get(o, "direct")));
	assert_null(t->s->r.memory);
	probes_free(t);
}

static void slow_warns(void **state)
{
	struct probes *t = reading(PATH "expected_mbps = 6000\n"
					"max_p99_ms = 20\n");

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	shot(t)->figure[0] = 5.3;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "storage_read.rate", "/data/file");
	assert_string_equal(probes_finding(t, 0)->text, "5300<5400 MB/s");
	t->p.storage_direct = false;
	probes_run(t);
	assert_string_equal(probes_finding(t, 0)->text,
			    "5300<5400 MB/s (through the page cache)");
	shot(t)->figure[0] = 5.5;
	shot(t)->figure[1] = 31.2;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "storage_read.latency", "/data/file");
	assert_string_equal(probes_finding(t, 0)->text,
			    "p99 31>20 ms a block");
	probes_free(t);
}

static void trouble_never_fails(void **state)
{
	struct probes *t = reading(PATH);

	(void)state;
	*shot(t) = (struct probe_shot){ .end = PROBE_FAULT,
					.rc = 5,
					.why = "read: Input/output error" };
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_only(t->s, "storage_read.broken", "/data/file");
	*shot(t) = (struct probe_shot){ .end = PROBE_UNABLE,
					.why = "open /data/file: No such file" };
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "open /data/file: No such file");
	*shot(t) = (struct probe_shot){ .end = PROBE_BROKEN, .why = "died" };
	assert_int_equal(probes_run(t), STATUS_ERROR);
	assert_int_equal(check_storage_read.scope, SCOPE_SITE);
	assert_int_equal(check_storage_read.def, ACTION_WARN);
	probes_free(t);
}

static void a_hanging_reader_is_remembered(void **state)
{
	struct probes *t = reading(PATH);
	const json_t *stuck;

	(void)state;
	*shot(t) = (struct probe_shot){ .end = PROBE_TIMEOUT };
	assert_int_equal(probes_run(t), STATUS_TIMEOUT);
	assert_string_equal(probes_finding(t, 0)->text, "does not answer");
	t->p.storage_pid = 4711;
	t->p.storage_start = 815;
	assert_int_equal(probes_run(t), STATUS_TIMEOUT);
	assert_string_equal(probes_finding(t, 0)->text,
			    "does not answer, a process hangs in it");
	stuck = json_object_get(t->s->r.memory, "stuck");
	assert_int_equal(json_integer_value(json_object_get(stuck, "pid")),
			 4711);
	assert_int_equal(json_integer_value(json_object_get(stuck, "start")),
			 815);
	/* It has ended. */
	t->p.storage_pid = 0;
	probes_shot_done(shot(t), 5.5, 12);
	assert_int_equal(probes_next(t), STATUS_PASS);
	assert_non_null(t->s->r.memory);
	assert_null(json_object_get(t->s->r.memory, "stuck"));
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unset_is_skipped),
		cmocka_unit_test(what_is_not_expected_is_not_judged),
		cmocka_unit_test(slow_warns),
		cmocka_unit_test(trouble_never_fails),
		cmocka_unit_test(a_hanging_reader_is_remembered),
	};

	return cmocka_run_group_tests_name("storage_read", tests, NULL, NULL);
}
