/* SPDX-License-Identifier: Apache-2.0
 * The sampler's reader of the kernel log: when a line was written. */
#include "config.h"
#include "watch/kernel.h"

#include "tests/unit/kmsgs.h"

#define WALL 1700000000

static struct {
	struct event ev[8];
	int count;
} got;

static void on_fault(struct event *ev, const struct fault *f, void *arg)
{
	(void)f;
	(void)arg;
	assert_in_range(got.count, 0, 7);
	got.ev[got.count++] = *ev;
}

/* At a time since boot, with a wall clock that was set by so much. */
static int look(struct kernel *k, int64_t up_s, int64_t set_s)
{
	struct instant now = { WALL + set_s + up_s, up_s, up_s * 1000000 };

	got.count = 0;
	assert_false(kernel_read(k, &now, on_fault, NULL));
	return got.count;
}

static void open_log(struct kernel *k)
{
	kmsgs_log("4,10,100000000,-;NVRM: Xid (PCI:0000:4e:00): 79, pid=1, a\n"
		  "4,11,130000000,-;NVRM: Xid (PCI:0000:4e:00): 48, pid=1, b\n");
	assert_int_equal(kernel_open(k, &kmsgs_roots, 10), 0);
}

static void a_line_has_its_time(void **state)
{
	struct kernel k;

	(void)state;
	open_log(&k);
	assert_int_equal(look(&k, 140, 0), 2);
	assert_int_equal(got.ev[0].up_s, 100);
	assert_int_equal(got.ev[0].time_s, WALL + 100);
	assert_int_equal(got.ev[1].up_s, 130);
	assert_int_equal(got.ev[1].number, 48);
	assert_int_equal(look(&k, 150, 0), 0);
	kernel_close(&k);
}

static void the_clock_is_set(int64_t by_s)
{
	struct kernel k;

	open_log(&k);
	assert_int_equal(look(&k, 120, 0), 2);
	kmsgs_log("4,12,150000000,-;NVRM: Xid (PCI:0000:4e:00): 94, pid=1, c\n");
	kernel_close(&k);
	assert_int_equal(kernel_open(&k, &kmsgs_roots, 12), 0);
	k.seen_up_s = 120;
	assert_int_equal(look(&k, 160, by_s), 1);
	assert_int_equal(got.ev[0].up_s, 150);
	assert_int_equal(got.ev[0].time_s, WALL + by_s + 150);
	kernel_close(&k);
}

static void a_clock_that_is_set_moves_no_line(void **state)
{
	(void)state;
	the_clock_is_set(7200);
	the_clock_is_set(-7200);
}

/* The log's clock and ours are not the same: at most that much is believed. */
static void what_cannot_be_is_now(void **state)
{
	struct kernel k;

	(void)state;
	open_log(&k);
	/* In the future; and before a look that did not see it. */
	assert_int_equal(look(&k, 110, 0), 2);
	assert_int_equal(got.ev[1].up_s, 110);
	kernel_close(&k);
	open_log(&k);
	k.seen_up_s = 125;
	assert_int_equal(look(&k, 140, 0), 2);
	assert_int_equal(got.ev[0].up_s, 140);
	assert_int_equal(got.ev[1].up_s, 130);
	kernel_close(&k);
}

/* A read that had no time goes on with the next one, and takes what comes
 * then for what it is. */
static void a_read_may_be_short(void **state)
{
	struct kernel k;

	(void)state;
	open_log(&k);
	k.time_ms = -1;
	assert_int_equal(look(&k, 140, 0), 0);
	k.time_ms = 0;
	assert_int_equal(look(&k, 150, 0), 2);
	assert_int_equal(got.ev[0].up_s, 100);
	kernel_close(&k);
}

/* A ring that was overrun is told once. */
static void what_was_lost_is_told(void **state)
{
	struct instant now = { WALL + 140, 140, 140000000 };
	struct kernel k;

	(void)state;
	open_log(&k);
	k.log.gap = true;
	assert_true(kernel_read(&k, &now, on_fault, NULL));
	assert_false(kernel_read(&k, &now, on_fault, NULL));
	kernel_close(&k);
	assert_false(kernel_read(&k, &now, on_fault, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_its_time),
		cmocka_unit_test(a_clock_that_is_set_moves_no_line),
		cmocka_unit_test(what_cannot_be_is_now),
		cmocka_unit_test(a_read_may_be_short),
		cmocka_unit_test(what_was_lost_is_told),
	};

	return cmocka_run_group_tests_name("kernel_events", tests, kmsgs_setup,
					   kmsgs_teardown);
}
