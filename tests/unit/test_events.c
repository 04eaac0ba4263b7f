/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/events.h"

#include <fcntl.h>

#include "tests/unit/fixture.h"

static struct fixture fx;
static struct events e;
static int dir;

static int set_up(void **state)
{
	(void)state;
	fixture_open(&fx);
	dir = open(fx.dir, O_RDONLY | O_DIRECTORY);
	events_open(&e, dir, false);
	return dir < 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(dir);
	fixture_close(&fx);
	return 0;
}

/* The wall clock: far from the time since boot. */
static int64_t wall_s = 1700000000;

static struct event event(int64_t up_s, int number, const char *device)
{
	struct event ev = { .time_s = wall_s + up_s,
			    .up_s = up_s,
			    .kind = EVENT_XID,
			    .number = number,
			    .pid = 42,
			    .job = 7,
			    .seq = 900,
			    .count = 1,
			    .text = "a \"text\"" };

	snprintf(ev.device, sizeof(ev.device), "%s", device);
	return ev;
}

static bool add(int64_t up_s, int number, const char *device)
{
	struct event ev = event(up_s, number, device);

	return events_add(&e, &ev);
}

static struct {
	struct event ev[2 * EVENTS_LINES];
	int count;
} got;

static void on_event(const struct event *ev, void *arg)
{
	(void)arg;
	assert_in_range(got.count, 0, 2 * EVENTS_LINES - 1);
	got.ev[got.count++] = *ev;
}

/* How many there are; -1: no file. */
static int all(void)
{
	got.count = 0;
	return events_read(dir, on_event, NULL) < 0 ? -1 : got.count;
}

static bool is_there(int number, const char *device)
{
	int i, n = all();

	for (i = 0; i < n; i++)
		if (got.ev[i].number == number &&
		    !strcmp(got.ev[i].device, device))
			return true;
	return false;
}

/* Set forward or back by hours: neither hides what comes nor tells it twice. */
static void the_clock_is_set(int64_t by_s)
{
	wall_s = 1700000000;
	events_open(&e, dir, true);
	assert_true(add(100000, 79, "GPU1"));
	wall_s += by_s;
	assert_false(add(100010, 79, "GPU1"));
	assert_true(add(100070, 79, "GPU1"));
	assert_int_equal(all(), 2);
	assert_int_equal(got.ev[1].count, 2);
	assert_int_equal(got.ev[1].up_s, 100070);
	assert_int_equal(got.ev[1].time_s, 1700000000 + by_s + 100070);
	wall_s = 1700000000;
}

static void nobody_is_fooled_by_a_clock_that_is_set(void **state)
{
	(void)state;
	the_clock_is_set(7200);
	the_clock_is_set(-7200);
	the_clock_is_set(30);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	assert_int_equal(all(), -1);
	assert_true(add(1000, 79, "GPU3"));
	assert_int_equal(all(), 1);
	assert_int_equal(got.ev[0].time_s, wall_s + 1000);
	assert_int_equal(got.ev[0].up_s, 1000);
	assert_int_equal(got.ev[0].kind, EVENT_XID);
	assert_int_equal(got.ev[0].number, 79);
	assert_int_equal(got.ev[0].pid, 42);
	assert_int_equal(got.ev[0].job, 7);
	assert_int_equal(got.ev[0].seq, 900);
	assert_int_equal(got.ev[0].count, 1);
	assert_string_equal(got.ev[0].device, "GPU3");
	assert_string_equal(got.ev[0].text, "a \"text\"");
}

static void storms_are_folded(void **state)
{
	int i;

	(void)state;
	assert_true(add(1000, 13, "GPU3"));
	for (i = 0; i < 100; i++)
		assert_false(add(1001, 13, "GPU3"));
	assert_true(add(1001, 13, "GPU4"));
	assert_true(add(1001, 31, "GPU3"));
	assert_true(add(1060, 13, "GPU3"));
	assert_int_equal(all(), 4);
	assert_int_equal(got.ev[3].count, 101);
	assert_int_equal(e.cut_up_s, 0);
}

/* Each number is another one: most are dropped, and that is said; no other
 * device and no later time is touched. */
static void a_storm_of_numbers_is_bounded(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 10000; i++)
		assert_true(add(1000 + i / 200, i, "GPU3") ==
			    (i < EVENTS_EACH));
	assert_int_equal(all(), EVENTS_EACH);
	assert_int_equal(e.cut_up_s, 1049);
	assert_true(add(1049, 79, "GPU4"));
	assert_true(add(1049, -1, "mlx5_0"));
	assert_true(add(1061, 48, "GPU3"));
	assert_int_equal(all(), EVENTS_EACH + 3);
}

/* The kernel's log is read behind a device that was looked at since: what is
 * dropped of it is older than what has been dropped before. */
static void what_was_lost_stays_lost(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < EVENTS_EACH; i++)
		add(1000, i, "GPU3");
	assert_false(add(1040, EVENTS_EACH, "GPU3"));
	assert_int_equal(e.cut_up_s, 1040);
	assert_false(add(1030, EVENTS_EACH + 1, "GPU3"));
	assert_int_equal(e.cut_up_s, 1040);
	events_lost(&e, 1020);
	assert_int_equal(e.cut_up_s, 1040);
	events_lost(&e, 1050);
	assert_int_equal(e.cut_up_s, 1050);
}

static void a_new_job_is_told_anew(void **state)
{
	struct event again;

	(void)state;
	assert_true(add(1000, 13, "GPU3"));
	again = event(1005, 13, "GPU3");
	assert_true(events_folds(&e, &again));
	assert_false(add(1005, 13, "GPU3"));
	events_part(&e, 1000);
	again.up_s = 1010;
	assert_false(events_folds(&e, &again));
	assert_true(add(1010, 13, "GPU3"));
	assert_int_equal(all(), 2);
	assert_int_equal(got.ev[1].count, 2);
}

static void nonsense_is_left_out(void **state)
{
	(void)state;
	fixture_file(&fx, EVENTS_FILE,
		     "\n{\n[]\n{\"kind\": \"war\"}\n{\"kind\": 7}\n"
		     "{\"kind\": \"ecc\", \"time\": \"x\", \"device\": "
		     "\"a\\u001b[31mb\"}\n{\"kind\": \"xid\", \"tim");
	assert_int_equal(all(), 1);
	assert_int_equal(got.ev[0].kind, EVENT_ECC);
	assert_int_equal(got.ev[0].time_s, 0);
	assert_string_equal(got.ev[0].device, "a?[31mb");
	/* Half a line of a killed writer swallows no other. */
	events_open(&e, dir, false);
	assert_true(add(1000, 1, "a"));
	assert_int_equal(all(), 2);
	fixture_unlink(&fx, EVENTS_FILE);
	fixture_link(&fx, EVENTS_FILE, "/etc/passwd");
	assert_int_equal(all(), -1);
	assert_true(add(1000, 2, "a"));	/* follows no link either */
	assert_int_equal(e.cut_up_s, 1000);
	assert_int_equal(all(), -1);
}

/* Nobody needs what is before the oldest job: it goes when the file is full,
 * and nothing is said. */
static void what_no_job_needs_makes_room(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < EVENTS_LINES; i++)
		assert_true(add(1000 + 60 * i, 13, "GPU3"));
	assert_int_equal(all(), EVENTS_LINES);
	events_part(&e, 1000 + 60 * (EVENTS_LINES - 10));
	for (i = EVENTS_LINES; i < EVENTS_LINES + 20; i++)
		assert_true(add(1000 + 60 * i, 13, "GPU3"));
	assert_int_equal(all(), 10 + 20);
	assert_int_equal(got.ev[0].up_s, 1000 + 60 * (EVENTS_LINES - 10));
	assert_int_equal(e.cut_up_s, 0);
}

/* All of it is one job's, for months: it stays bounded and goes on, what is
 * new is there, and up to where it was cut is known. */
static void a_flood_is_bounded_and_goes_on(void **state)
{
	const int many = 5 * EVENTS_LINES;
	int64_t last_up_s = 1000 + 60 * (many - 1);
	int i;

	(void)state;
	events_part(&e, 1000);
	for (i = 0; i < many; i++)
		assert_true(add(1000 + 60 * i, i % 100, "GPU3"));
	assert_true(add(last_up_s, -1, "mlx5_0"));
	assert_true(is_there(-1, "mlx5_0"));
	assert_in_range(got.count, EVENTS_LINES / 2, EVENTS_LINES);
	assert_int_equal(got.ev[got.count - 2].up_s, last_up_s);
	assert_int_equal(e.cut_up_s, got.ev[0].up_s - 60);
}

/* A sampler after this one does not begin to count anew. */
static void another_sampler_keeps_the_bound(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < EVENTS_LINES - 1; i++)
		add(1000 + 60 * i, 13, "GPU3");
	for (i = 0; i < 3; i++) {
		events_open(&e, dir, false);
		events_part(&e, 0);
		add(1000 + 60 * (EVENTS_LINES + i), 13, "GPU3");
		assert_in_range(all(), 1, EVENTS_LINES);
	}
	assert_int_equal(all(), EVENTS_LINES / 2 + 2);
	events_open(&e, dir, true);
	assert_int_equal(all(), -1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_is_fooled_by_a_clock_that_is_set),
		TEST(what_is_written_is_read),
		TEST(storms_are_folded),
		TEST(a_storm_of_numbers_is_bounded),
		TEST(what_was_lost_stays_lost),
		TEST(a_new_job_is_told_anew),
		TEST(nonsense_is_left_out),
		TEST(what_no_job_needs_makes_room),
		TEST(a_flood_is_bounded_and_goes_on),
		TEST(another_sampler_keeps_the_bound),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
