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

static struct event event(int64_t time_s, int number, const char *device)
{
	struct event ev = { .time_s = time_s,
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

static bool add(int64_t time_s, int number, const char *device)
{
	struct event ev = event(time_s, number, device);

	return events_add(&e, &ev);
}

static int all(struct event *out, int max)
{
	struct events_query q = { 0, INT64_MAX, max, false };

	return events_read(dir, &q, out);
}

static void a_clock_that_was_set_back_hides_nothing(void **state)
{
	(void)state;
	assert_true(add(100000, 79, "GPU1"));
	assert_false(add(100010, 79, "GPU1"));
	assert_true(add(96400, 79, "GPU1"));
	assert_false(add(96410, 79, "GPU1"));
}

static void what_is_written_is_read(void **state)
{
	struct event got[4];

	(void)state;
	assert_int_equal(all(got, 4), -1);
	assert_true(add(1000, 79, "GPU3"));
	assert_int_equal(all(got, 4), 1);
	assert_int_equal(got[0].time_s, 1000);
	assert_int_equal(got[0].kind, EVENT_XID);
	assert_int_equal(got[0].number, 79);
	assert_int_equal(got[0].pid, 42);
	assert_int_equal(got[0].job, 7);
	assert_int_equal(got[0].seq, 900);
	assert_int_equal(got[0].count, 1);
	assert_string_equal(got[0].device, "GPU3");
	assert_string_equal(got[0].text, "a \"text\"");
}

static void storms_are_folded(void **state)
{
	struct event got[8];
	int i;

	(void)state;
	assert_true(add(1000, 13, "GPU3"));
	for (i = 0; i < 100; i++)
		assert_false(add(1001, 13, "GPU3"));
	assert_true(add(1001, 13, "GPU4"));
	assert_true(add(1001, 31, "GPU3"));
	assert_true(add(1060, 13, "GPU3"));
	assert_int_equal(all(got, 8), 4);
	assert_int_equal(got[3].count, 101);
}

static void of_a_time(void **state)
{
	struct events_query q = { 1100, 1300, 8, false };
	struct event got[8];

	(void)state;
	add(1000, 1, "a");
	add(1200, 2, "a");
	add(1300, 3, "a");
	add(1400, 4, "a");
	assert_int_equal(events_read(dir, &q, got), 2);
	assert_int_equal(got[0].number, 2);
	assert_false(q.cut);
	q.max = 1;
	assert_int_equal(events_read(dir, &q, got), 1);
	assert_true(q.cut);
}

static void nonsense_is_left_out(void **state)
{
	struct event got[8];

	(void)state;
	fixture_file(&fx, EVENTS_FILE,
		     "\n{\n[]\n{\"kind\": \"war\"}\n{\"kind\": 7}\n"
		     "{\"kind\": \"ecc\", \"time\": \"x\", \"device\": "
		     "\"a\\u001b[31mb\"}\n{\"kind\": \"xid\", \"tim");
	assert_int_equal(all(got, 8), 1);
	assert_int_equal(got[0].kind, EVENT_ECC);
	assert_int_equal(got[0].time_s, 0);
	assert_string_equal(got[0].device, "a?[31mb");
	fixture_unlink(&fx, EVENTS_FILE);
	fixture_link(&fx, EVENTS_FILE, "/etc/passwd");
	assert_int_equal(all(got, 8), -1);
	assert_true(add(1000, 1, "a"));	/* follows no link either */
	assert_int_equal(all(got, 8), -1);
}

static void a_flood_is_bounded(void **state)
{
	static struct event got[2 * EVENTS_LINES];
	int i;

	(void)state;
	for (i = 0; i < EVENTS_LINES + 50; i++)
		add(1000 + i, i, "GPU3");
	assert_true(e.cut);
	assert_int_equal(all(got, 2 * EVENTS_LINES), EVENTS_LINES);
	events_open(&e, dir, false);
	assert_int_equal(all(got, 8), 8);
	events_open(&e, dir, true);
	assert_int_equal(all(got, 8), -1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_clock_that_was_set_back_hides_nothing),
		TEST(what_is_written_is_read), TEST(storms_are_folded),
		TEST(of_a_time),	       TEST(nonsense_is_left_out),
		TEST(a_flood_is_bounded),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
