/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/steps.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

#include "tests/unit/fixture.h"

#define BEGIN(step, more) \
	"{\"event\":\"begin\",\"step\":\"" step "\"" more "}\n"
#define TASK(step, more) \
	"{\"event\":\"task\",\"step\":\"" step "\"" more "}\n"
#define END(step, more) "{\"event\":\"end\",\"step\":\"" step "\"" more "}\n"
#define USED(cpu_us, bytes) \
	",\"rusage\":{\"cpu_us\":" #cpu_us ",\"max_rss_bytes\":" #bytes "}"
#define NO_CGROUP ",\"cgroup\":null,\"cpus\":4"

/* What a file of steps.jsonl, and one of steps.dropped, come to. */
static struct steps read_of(const char *text, const char *dropped)
{
	struct fixture x;
	struct steps s;
	int dir;

	fixture_open(&x);
	if (text)
		fixture_file(&x, "steps.jsonl", text);
	if (dropped)
		fixture_file(&x, "steps.dropped", dropped);
	dir = open(x.dir, O_RDONLY | O_DIRECTORY);
	assert_true(dir >= 0);
	steps_read(dir, &s);
	close(dir);
	fixture_close(&x);
	return s;
}

static void waited_is(const char *text, const char *dropped, double us,
		      double bytes)
{
	struct steps s = read_of(text, dropped);

	if (isnan(us))
		assert_true(isnan(steps_waited_us(&s)));
	else
		assert_true(steps_waited_us(&s) == us);
	if (isnan(bytes))
		assert_true(isnan(steps_largest_bytes(&s)));
	else
		assert_true(steps_largest_bytes(&s) == bytes);
	steps_fini(&s);
}

/* Each task's end tells of all before it, too; the step's of all of them. */
static void what_was_waited_for(void **state)
{
	(void)state;
	waited_is(BEGIN("batch", NO_CGROUP)
		  BEGIN("0", NO_CGROUP)
		  TASK("0", NO_CGROUP USED(100, 7000))
		  TASK("0", NO_CGROUP USED(250, 9000))
		  END("0", USED(251, 9000))
		  TASK("batch", NO_CGROUP USED(30, 4000))
		  END("batch", USED(31, 4000)),
		  NULL, 282, 9000);
}

static void not_of_some_of_them(void **state)
{
	(void)state;
	/* one still runs */
	waited_is(BEGIN("0", NO_CGROUP) END("0", USED(251, 9000))
		  BEGIN("batch", NO_CGROUP), NULL, NAN, NAN);
	/* one could not be told */
	waited_is(END("0", USED(251, 9000)) END("batch", ""), NULL, NAN, NAN);
	/* some had no place */
	waited_is(END("0", USED(251, 9000)), "\n", NAN, NAN);
	waited_is(END("0", USED(251, 9000)), NULL, 251, 9000);
	/* none was noted, or nothing at all */
	waited_is("", NULL, NAN, NAN);
	waited_is(NULL, NULL, NAN, NAN);
}

static void what_cgroups_counted(void **state)
{
	struct steps s = read_of(
		BEGIN("0", ",\"cgroup\":{\"v2\":\"/x\"},\"cpu_us\":1")
		TASK("0", ",\"cgroup\":{\"v2\":\"/x\"},\"cpu_us\":70,"
			  "\"mem_peak_bytes\":50" USED(65, 20))
		END("0", USED(66, 20))
		TASK("batch", ",\"cgroup\":{\"v2\":\"/y\"},\"cpu_us\":5,"
			      "\"mem_peak_bytes\":60")
		"{\"torn", NULL);

	(void)state;
	assert_int_equal(json_object_size(s.last), 2);
	assert_true(steps_sum(&s, "cpu_us") == 75);
	assert_true(steps_most(&s, "mem_peak_bytes") == 60);
	assert_true(isnan(steps_sum(&s, "oom_kills")));
	assert_int_equal(steps_count(&s), 2);
	steps_fini(&s);
}

/* A job of very many steps: only the first have a place. */
static void no_sum_of_some_of_them(void **state)
{
	struct steps s = read_of(
		TASK("0", ",\"cgroup\":{\"v2\":\"/x\"},\"cpu_us\":70,"
			  "\"mem_limit_bytes\":50"),
		"\n");

	(void)state;
	assert_true(isnan(steps_sum(&s, "cpu_us")));
	assert_int_equal(steps_count(&s), -1);
	assert_true(steps_most(&s, "mem_limit_bytes") == 50);
	steps_fini(&s);
}

static void alloc_is(const char *text, double want)
{
	struct steps s = read_of(text, NULL);
	double got = steps_alloc_bytes(&s);

	assert_true(isnan(want) ? isnan(got) : got == want);
	steps_fini(&s);
}

static void what_was_allocated(void **state)
{
	(void)state;
	alloc_is(BEGIN("0", ",\"mem_alloc_bytes\":5,"
			    "\"job\":{\"mem_alloc_bytes\":9}")
		 BEGIN("1", ",\"mem_alloc_bytes\":7,"
			    "\"job\":{\"mem_alloc_bytes\":9}"), 9);
	alloc_is(BEGIN("0", ",\"mem_alloc_bytes\":5,"
			    "\"job\":{\"mem_alloc_bytes\":null}")
		 BEGIN("1", ",\"mem_alloc_bytes\":7"), 7);
	alloc_is(BEGIN("0", ",\"mem_alloc_bytes\":null"), NAN);
}

static void what_the_job_is(void **state)
{
	struct steps s = read_of(
		BEGIN("batch", ",\"array_job\":12,\"array_task\":0,"
			       "\"leaf\":null")
		TASK("batch", NO_CGROUP)
		BEGIN("0", ",\"array_job\":12,\"array_task\":0,"
			   "\"leaf\":\"leaf7\""), NULL);

	(void)state;
	assert_int_equal(steps_job_number(&s, "array_job"), 12);
	assert_int_equal(steps_job_number(&s, "array_task"), 0);
	assert_string_equal(steps_leaf(&s), "leaf7");
	steps_fini(&s);
	s = read_of(BEGIN("0", ",\"array_job\":-3,\"array_task\":4294967294,"
			       "\"leaf\":7"), NULL);
	assert_int_equal(steps_job_number(&s, "array_job"), -1);
	assert_int_equal(steps_job_number(&s, "array_task"), -1);
	assert_null(steps_leaf(&s));
	steps_fini(&s);
}

static void a_job_without_a_directory(void **state)
{
	struct steps s;

	(void)state;
	steps_read(-1, &s);
	assert_int_equal(json_object_size(s.last), 0);
	assert_true(isnan(steps_waited_us(&s)));
	assert_true(isnan(steps_alloc_bytes(&s)));
	steps_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_waited_for),
		cmocka_unit_test(not_of_some_of_them),
		cmocka_unit_test(what_cgroups_counted),
		cmocka_unit_test(no_sum_of_some_of_them),
		cmocka_unit_test(what_was_allocated),
		cmocka_unit_test(what_the_job_is),
		cmocka_unit_test(a_job_without_a_directory),
	};

	return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
