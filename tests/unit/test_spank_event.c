/* SPDX-License-Identifier: Apache-2.0
 * Lines of steps.jsonl, read back as JSON. */
#include "config.h"
#include "spank/event.h"

#include <jansson.h>

#include "spank/jsonw.h"
#include "tests/unit/fixture.h"

#define JOB "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_1"

static struct event_number told(uint64_t n)
{
	return (struct event_number){ true, n };
}

static struct event an_event(enum event_kind kind)
{
	return (struct event){ .kind = kind, .step = "batch",
			       .time_ms = 1764546000007, .task = told(3),
			       .ntasks = told(4), .ended = told(4),
			       .cpus = told(16), .step_mem_mb = told(1),
			       .job_mem_mb = told(2), .has_status = true,
			       .array_job = told(8), .array_task = told(0),
			       .leaf = "leaf7", .status = 7 << 8 };
}

static json_t *line(const struct event *e, const struct roots *r,
		    const struct event_place *place)
{
	char buf[EVENT_BYTES];
	json_t *o;

	assert_int_equal(event_format(e, r, place, buf), 0);
	assert_string_equal(strchr(buf, '\n'), "\n");
	o = json_loads(buf, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(o);
	return o;
}

static json_t *at(json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	assert_non_null(v);
	return v;
}

static void number(json_t *o, const char *key, long long want)
{
	assert_true(json_is_integer(at(o, key)));
	assert_int_equal(json_integer_value(at(o, key)), want);
}

static void unknown(json_t *o, const char *key, const char *why)
{
	assert_true(json_is_null(at(o, key)));
	assert_string_equal(json_string_value(at(at(o, "why"), key)), why);
}

static void a_task(void **state)
{
	struct event e = an_event(EVENT_TASK);
	struct event_place p = { .job.dir = { JOB },
				 .step.dir = { JOB "/step_0" } };
	struct fixture x;
	json_t *o;

	(void)state;
	fixture_open(&x);
	fixture_file(&x, JOB "/cpu.stat", "usage_usec 70\n");
	fixture_file(&x, JOB "/step_0/cpu.stat", "usage_usec 60\n");
	fixture_file(&x, JOB "/step_0/memory.peak", "50\n");
	o = line(&e, &x.roots, &p);
	assert_string_equal(json_string_value(at(o, "event")), "task");
	assert_string_equal(json_string_value(at(o, "step")), "batch");
	assert_true(json_real_value(at(o, "time")) == 1764546000.007);
	number(at(o, "exit"), "code", 7);
	number(at(o, "exit"), "signal", 0);
	number(o, "task", 3);
	number(o, "ntasks", 4);
	number(o, "cpus", 16);
	number(o, "mem_alloc_bytes", 1 << 20);
	assert_string_equal(json_string_value(at(at(o, "cgroup"), "v2")),
			    JOB "/step_0");
	number(o, "cpu_us", 60);
	number(o, "mem_peak_bytes", 50);
	unknown(o, "io_read_bytes", CGROUP_NOT_USED);
	number(at(o, "job"), "cpu_us", 70);
	number(at(o, "job"), "mem_alloc_bytes", 2 << 20);
	unknown(at(o, "job"), "mem_peak_bytes", CGROUP_NOT_USED);
	assert_null(json_object_get(o, "rusage"));
	assert_null(json_object_get(o, "ended"));
	json_decref(o);
	fixture_close(&x);
}

static void nothing_is_known(void **state)
{
	struct event e = { .kind = EVENT_TASK, .step = "0" };
	struct event_place p = { 0 };
	struct fixture x;
	json_t *o;

	(void)state;
	fixture_open(&x);
	o = line(&e, &x.roots, &p);
	unknown(o, "exit", "not told by Slurm");
	unknown(o, "task", "not told by Slurm");
	unknown(o, "cpus", "not told by Slurm");
	unknown(o, "mem_alloc_bytes", "not told by Slurm");
	unknown(o, "cgroup", CGROUP_NO_CGROUP);
	assert_null(json_object_get(o, "cpu_us"));
	unknown(at(o, "job"), "cgroup", CGROUP_NO_CGROUP);
	json_decref(o);
	fixture_close(&x);
}

static void beginning_and_end(void **state)
{
	struct event e = an_event(EVENT_BEGIN);
	struct event_place p = { 0 };
	struct fixture x;
	json_t *o;

	(void)state;
	fixture_open(&x);
	o = line(&e, &x.roots, &p);
	assert_string_equal(json_string_value(at(o, "event")), "begin");
	assert_null(json_object_get(o, "exit"));
	assert_null(json_object_get(o, "task"));
	number(o, "array_job", 8);
	number(o, "array_task", 0);
	assert_string_equal(json_string_value(at(o, "leaf")), "leaf7");
	json_decref(o);
	e.array_job = told(0);	/* of none */
	e.leaf_why = LEAF_NONE;
	o = line(&e, &x.roots, &p);
	assert_null(json_object_get(o, "array_job"));
	assert_null(json_object_get(o, "array_task"));
	unknown(o, "leaf", "no switches");
	json_decref(o);
	e.array_job.known = e.array_task.known = false;
	o = line(&e, &x.roots, &p);
	unknown(o, "array_job", "not told by Slurm");
	unknown(o, "array_task", "not told by Slurm");
	json_decref(o);
	e = an_event(EVENT_END);
	e.status = 9;
	e.has_usage = true;
	e.usage = (struct rusage){ .ru_utime = { 1, 5 }, .ru_stime = { 0, 6 },
				   .ru_maxrss = 3, .ru_inblock = 2,
				   .ru_oublock = 1 };
	o = line(&e, &x.roots, NULL);
	assert_string_equal(json_string_value(at(o, "event")), "end");
	number(at(o, "exit"), "code", 0);
	number(at(o, "exit"), "signal", 9);
	number(o, "ended", 4);
	number(at(o, "rusage"), "cpu_us", 1000011);
	number(at(o, "rusage"), "max_rss_bytes", 3072);
	number(at(o, "rusage"), "io_read_bytes", 1024);
	number(at(o, "rusage"), "io_write_bytes", 512);
	assert_null(json_object_get(o, "cgroup"));
	assert_null(json_object_get(o, "job"));
	assert_null(json_object_get(o, "why"));
	json_decref(o);
	fixture_close(&x);
}

/* Node names and slices are in these paths, as long as they may be. */
static void the_longest_line_fits(void **state)
{
	struct event e = { .kind = EVENT_TASK, .step = "4294967295",
			   .has_usage = true };
	struct event_place p;
	struct fixture x;
	int i;

	(void)state;
	fixture_open(&x);
	memset(&p, 'x', sizeof(p));
	for (i = 0; i < CGROUP_TREES; i++) {
		p.job.dir[i][CGROUP_PATH_BYTES - 1] = '\0';
		p.step.dir[i][CGROUP_PATH_BYTES - 1] = '\0';
	}
	json_decref(line(&e, &x.roots, &p));
	fixture_close(&x);
}

static void odd_bytes_are_escaped(void **state)
{
	char buf[100];
	struct jsonw j;
	json_t *o;

	(void)state;
	jsonw_init(&j, buf, sizeof(buf));
	jsonw_text(&j, "a", "\"\\\n\033\xff%s");
	jsonw_open(&j, "b");
	jsonw_close(&j);
	jsonw_seconds(&j, "c", 12001);
	jsonw_null(&j, "d");
	jsonw_u64(&j, "e", UINT64_MAX);
	assert_int_equal(jsonw_done(&j), 0);
	assert_string_equal(buf, "{\"a\":\"\\\"\\\\\\u000a\\u001b\\u00ff%s\","
				 "\"b\":{},\"c\":12.001,\"d\":null,"
				 "\"e\":18446744073709551615}\n");
	o = json_loads("{\"a\":\"\\u00ff\"}", 0, NULL);
	assert_non_null(o);
	json_decref(o);
}

static void what_does_not_fit_is_told(void **state)
{
	char buf[16];
	struct jsonw j;

	(void)state;
	jsonw_init(&j, buf, sizeof(buf));
	jsonw_text(&j, "a", "12345");
	assert_int_equal(jsonw_done(&j), 0);
	assert_string_equal(buf, "{\"a\":\"12345\"}\n");
	jsonw_init(&j, buf, sizeof(buf));
	jsonw_text(&j, "a", "1234567");
	jsonw_null(&j, "b");
	assert_int_equal(jsonw_done(&j), -1);
	assert_true(strlen(buf) < sizeof(buf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task),
		cmocka_unit_test(nothing_is_known),
		cmocka_unit_test(beginning_and_end),
		cmocka_unit_test(the_longest_line_fits),
		cmocka_unit_test(odd_bytes_are_escaped),
		cmocka_unit_test(what_does_not_fit_is_told),
	};

	return cmocka_run_group_tests_name("spank_event", tests, NULL, NULL);
}
