/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/accounting_row.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/unit.h"

#define ROW(id, name, state, start, comment) \
	id "|" name "|lab|" state "|" start "|90|2|8|billing=8,cpu=8," \
	   "gres/gpu:h100=4,gres/gpu=4,mem=62.50G,node=2|n[1-2]|" comment "\n"
#define NOON "2026-07-01T12:00:00"

static struct accounting_row row;

static int parse(const char *lines, uint32_t job)
{
	accounting_row_fini(&row);
	return accounting_row_parse(&row, lines, job);
}

static int done(void **state)
{
	(void)state;
	accounting_row_fini(&row);
	return 0;
}

static int zone(void **state)
{
	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	return 0;
}

static void what_a_row_says(void **state)
{
	(void)state;
	assert_int_equal(parse(ROW("7", "7", "COMPLETED", NOON, ""), 7), 0);
	assert_int_equal(row.id, 7);
	assert_string_equal(row.job, "7");
	assert_string_equal(row.cluster, "lab");
	assert_string_equal(row.state, "COMPLETED");
	/* noon is ten o'clock of UTC there in summer */
	assert_int_equal(row.start_s, 1782900000);
	assert_int_equal(row.elapsed_s, 90);
	assert_int_equal(row.nodes, 2);
	assert_int_equal(row.cpus, 8);
	assert_int_equal(row.gpus, 4);
	assert_int_equal(row.mem_bytes, (int64_t)(62.5 * (1 << 30)));
	assert_string_equal(row.nodelist, "n[1-2]");
	assert_string_equal(row.comment, "");
}

static void what_it_does_not_say_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(parse("7|7|lab|PENDING|Unknown|x||-1|cpu=1||\n", 7), 0);
	assert_int_equal(row.start_s, 0);
	assert_int_equal(row.elapsed_s, -1);
	assert_int_equal(row.nodes, -1);
	assert_int_equal(row.cpus, -1);
	assert_int_equal(row.gpus, -1);
	assert_int_equal(row.mem_bytes, -1);
	assert_false(accounting_row_has(&row, 1782900000));
	/* without a unit: bytes */
	assert_int_equal(parse("7|7|l|F|U|1|1|1|mem=4096,gres/gpu=0|n1|\n", 7),
			 0);
	assert_int_equal(row.mem_bytes, 4096);
	assert_int_equal(row.gpus, 0);
}

/* The array's own id is that of its last task, too. */
static void of_an_array_the_task_of_that_number(void **state)
{
	static const char lines[] = ROW("5", "4_1", "COMPLETED", NOON, "first")
		ROW("4", "4_2", "FAILED", NOON, "second");

	(void)state;
	assert_int_equal(parse(lines, 4), 0);
	assert_string_equal(row.job, "4_2");
	assert_string_equal(row.comment, "second");
	assert_int_equal(parse(lines, 5), 0);
	assert_string_equal(row.job, "4_1");
	assert_int_equal(parse(lines, 6), -1);
	assert_int_equal(errno, ENOENT);
}

static void a_part_of_a_heterogeneous_job(void **state)
{
	(void)state;
	assert_int_equal(parse(ROW("9", "8+1", "COMPLETED", NOON, ""), 9), 0);
	assert_string_equal(row.job, "9");
}

static void the_last_run_counts(void **state)
{
	(void)state;
	assert_int_equal(parse(ROW("7", "7", "REQUEUED", NOON, "a")
				       ROW("7", "7", "RUNNING", NOON, "b"),
			       7),
			 0);
	assert_string_equal(row.comment, "b");
}

/* A comment may be anything, several lines and bars among it. */
static void comments_of_others(void **state)
{
	(void)state;
	assert_int_equal(parse(ROW("7", "7", "COMPLETED", NOON, "a|b|c"), 7), 0);
	assert_string_equal(row.comment, "a|b|c");
	assert_int_equal(parse(ROW("7", "7", "COMPLETED", NOON, "\n8|9\nend")
				       ROW("8", "8", "COMPLETED", NOON, ""),
			       7),
			 0);
	assert_string_equal(row.comment, "\n8|9\nend");
	assert_int_equal(row.id, 7);
}

static void what_is_no_row(void **state)
{
	static const char *const none[] = { "",
					    "\n",
					    "sacct: error: x\n",
					    "|7|lab|||||||||\n",
					    "7\n",
					    "7|7|lab|COMPLETED\n",
					    "17" ROW("", "7", "F", NOON, "") };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_int_equal(parse(none[i], 7), -1);
		assert_int_equal(errno, ENOENT);
	}
}

static bool is_over(const char *state)
{
	char line[200];

	snprintf(line, sizeof(line), "7|7|lab|%s|%s|1|1|1||n1|\n", state, NOON);
	assert_int_equal(parse(line, 7), 0);
	return accounting_row_is_over(&row);
}

static void over_or_not(void **state)
{
	(void)state;
	assert_true(is_over("COMPLETED"));
	assert_true(is_over("CANCELLED by 1000"));
	assert_true(is_over("OUT_OF_MEMORY"));
	assert_true(is_over("NODE_FAIL"));
	assert_false(is_over("RUNNING"));
	assert_false(is_over("PENDING"));
	assert_false(is_over("REQUEUED"));
	assert_false(is_over("SUSPENDED"));
	assert_false(is_over(""));
}

static void which_run_began_then(void **state)
{
	(void)state;
	parse(ROW("7", "7", "COMPLETED", NOON, ""), 7);
	assert_true(accounting_row_has(&row, row.start_s));
	assert_true(accounting_row_has(&row, row.start_s + 90));
	assert_false(accounting_row_has(&row, row.start_s - 60));
	assert_false(accounting_row_has(&row, row.start_s + 200));
	/* When the clock goes back there is an hour twice. */
	parse(ROW("7", "7", "COMPLETED", "2026-10-25T02:30:00", ""), 7);
	assert_true(accounting_row_has(&row, 1792888200));
	assert_true(accounting_row_has(&row, 1792888200 + 3600));
	assert_false(accounting_row_has(&row, 1792888200 + 7300));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_row_says),
		cmocka_unit_test(what_it_does_not_say_is_unknown),
		cmocka_unit_test(of_an_array_the_task_of_that_number),
		cmocka_unit_test(a_part_of_a_heterogeneous_job),
		cmocka_unit_test(the_last_run_counts),
		cmocka_unit_test(comments_of_others),
		cmocka_unit_test(what_is_no_row),
		cmocka_unit_test(over_or_not),
		cmocka_unit_test(which_run_began_then),
	};

	return cmocka_run_group_tests_name("accounting_row", tests, zone, done);
}
