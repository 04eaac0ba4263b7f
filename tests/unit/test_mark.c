/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/mark.h"

#include <fcntl.h>

#include "tests/unit/fixture.h"

#define BOOT "11111111-2222-3333-4444-555555555555"

static struct fixture fx;
static int run;

static int set_up(void **state)
{
	(void)state;
	fixture_open(&fx);
	run = open(fx.dir, O_RDONLY | O_DIRECTORY);
	return run < 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(run);
	fixture_close(&fx);
	return 0;
}

static struct mark a_mark(uint32_t job)
{
	struct mark m = { .job = job,
			  .restart = 2,
			  .uid = 1000,
			  .gid = 100,
			  .start_s = 1700000000,
			  .start_up_s = -3,
			  .array_job = -1,
			  .array_task = -1,
			  .user = "alice",
			  .partition = "gpu",
			  .node = "n1",
			  .boot_id = BOOT,
			  .nodes = 4,
			  .owned = true,
			  .watch = MARK_WANTED,
			  .gpu_count = 1 };

	m.gpu[0] = (struct mark_gpu){ "GPU-1", "0000:1b:00.0", "H100", 3, 5 };
	m.snapshot = json_pack("{s:{s:i}}", "gpus", "GPU-1", 7);
	return m;
}

static void write_mark(struct mark m)
{
	char dir[16];

	snprintf(dir, sizeof(dir), "%u", m.job);
	fixture_dir(&fx, dir);
	assert_int_equal(mark_write(run, &m), 0);
	mark_fini(&m);
}

static void what_is_written_is_read(void **state)
{
	struct mark m;

	(void)state;
	write_mark(a_mark(12));
	assert_int_equal(mark_read(run, 12, &m), 0);
	assert_int_equal(m.job, 12);
	assert_int_equal(m.restart, 2);
	assert_int_equal(m.uid, 1000);
	assert_int_equal(m.start_s, 1700000000);
	assert_int_equal(m.start_up_s, -3);
	assert_int_equal(m.limit_end_s, 0);
	assert_int_equal(m.array_task, -1);
	assert_string_equal(m.user, "alice");
	assert_string_equal(m.account, "");
	assert_int_equal(m.nodes, 4);
	assert_true(m.owned);
	assert_int_equal(m.watch, MARK_WANTED);
	assert_int_equal(m.gpu_count, 1);
	assert_string_equal(m.gpu[0].uuid, "GPU-1");
	assert_int_equal(m.gpu[0].minor, 5);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(m.snapshot, "gpus"), "GPU-1")),
			 7);
	mark_fini(&m);
}

/* A job's time goes on as it began, whoever sets the clock. */
static void a_jobs_time(void **state)
{
	struct mark m = a_mark(12);
	struct instant now = { .wall_s = 1700000000 + 7200, .up_s = 997 };

	(void)state;
	assert_int_equal(mark_time_s(&m, 997), 1700001000);
	mark_settle(&m, &now, true);
	assert_int_equal(m.start_up_s, -3);
	/* Where boots differ, or nobody noted it, the clock is all there is. */
	mark_settle(&m, &now, false);
	assert_int_equal(mark_time_s(&m, 997), 1700007200);
	m.start_up_s = INT64_MIN;
	mark_settle(&m, &now, true);
	assert_int_equal(mark_time_s(&m, 997), 1700007200);
	mark_fini(&m);
}

static void unreadable(const char *text)
{
	struct mark m;

	fixture_file(&fx, "12/job.json", text);
	assert_int_equal(mark_read(run, 12, &m), -1);
	assert_int_equal(errno, EINVAL);
}

static void what_is_no_mark_is_not_read(void **state)
{
	struct mark m;
	char path[1024];

	(void)state;
	assert_int_equal(mark_read(run, 12, &m), -1);
	assert_int_equal(errno, ENOENT);
	unreadable("");
	unreadable("{");
	unreadable("[]");
	unreadable("{\"job\": 12}");
	unreadable("{\"schema\": \"assay.mark/2\", \"job\": 12}");
	unreadable("{\"schema\": \"assay.mark/1\"}");
	unreadable("{\"schema\": \"assay.mark/1\", \"job\": 13}");
	fixture_unlink(&fx, "12/job.json");
	fixture_file(&fx, "elsewhere",
		     "{\"schema\": \"assay.mark/1\", \"job\": 12}");
	fixture_link(&fx, "12/job.json", "../elsewhere");
	assert_int_equal(mark_read(run, 12, &m), -1);
	fixture_unlink(&fx, "12/job.json");
	assert_int_equal(mkfifo(fixture_path(&fx, "12/job.json", path), 0600),
			 0);
	assert_int_equal(mark_read(run, 12, &m), -1);
}

/* Of wrong types or with no end: as if not told. */
static void nonsense_is_unknown(void **state)
{
	struct mark m;

	(void)state;
	fixture_file(&fx, "12/job.json",
		     "{\"schema\": \"assay.mark/1\", \"job\": 12, \"user\": 7,"
		     " \"start\": \"x\", \"watch\": \"often\", \"gpus\":"
		     " [1, {\"uuid\": \"a\\u0001b\"}], \"node\": null}");
	assert_int_equal(mark_read(run, 12, &m), 0);
	assert_string_equal(m.user, "");
	assert_int_equal(m.start_s, -1);
	assert_int_equal(m.watch, MARK_DISABLED);
	assert_string_equal(m.gpu[m.gpu_count - 1].uuid, "a?b");
	assert_int_equal(m.gpu[0].index, -1);
	mark_fini(&m);
}

static void who_is_alive(void **state)
{
	uint32_t list[4];
	struct mark other = a_mark(14);
	struct mark old = a_mark(15);

	(void)state;
	assert_int_equal(mark_alive(run, BOOT, list, 4), 0);
	write_mark(a_mark(12));
	other.watch = MARK_SHORT;
	write_mark(other);
	snprintf(old.boot_id, sizeof(old.boot_id), "another");
	write_mark(old);
	fixture_dir(&fx, "16");
	fixture_dir(&fx, "watch");
	fixture_dir(&fx, "012");
	fixture_dir(&fx, "99999999999");
	assert_int_equal(mark_alive(run, BOOT, list, 4), 1);
	assert_int_equal(list[0], 12);
	assert_int_equal(mark_alive(run, NULL, list, 4), 2);
	assert_int_equal(mark_over(run, 12), 0);
	assert_int_equal(mark_over(run, 12), 0);
	assert_int_equal(mark_alive(run, BOOT, list, 4), 0);
	write_mark(a_mark(13));
	assert_int_equal(mark_alive(run, BOOT, list, 4), 1);
	fixture_file(&fx, "13/ended", "");
	assert_int_equal(mark_alive(run, BOOT, list, 4), 0);
	assert_int_equal(mark_over(run, 4711), -1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_written_is_read),
		TEST(a_jobs_time),
		TEST(what_is_no_mark_is_not_read),
		TEST(nonsense_is_unknown),
		TEST(who_is_alive),
	};

	return cmocka_run_group_tests_name("mark", tests, NULL, NULL);
}
