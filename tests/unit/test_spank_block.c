/* SPDX-License-Identifier: Apache-2.0
 * When the report's lines are printed, and which of them. */
#include "config.h"
#include "spank/block.h"

#include <sys/stat.h>

#include "tests/unit/rundirs.h"

#define NOW 1000000

static int lines(struct rundirs *d, enum choice_report report)
{
	struct block b;

	block_read(d->dir, &(struct choice){ report }, NOW, &b);
	return b.count;
}

static void only_what_looks_like_it(void **state)
{
	struct rundirs d;
	struct block b;
	char text[2000] = "# assay first\n# assay\n#assay x\nplain\n\n"
			  "# assay \033[2J\n# assay caf\303\251\n"
			  " # assay indented\n# assay tab\there\n"
			  "# assay %s%n is text\n";
	char want[BLOCK_COLUMNS + 1];

	(void)state;
	rundirs_open(&d);
	memset(want, 'x', BLOCK_COLUMNS);
	memcpy(want, "# assay ", 8);
	want[BLOCK_COLUMNS] = '\0';
	strcat(strcat(text, want), "\n");
	strcat(strcat(text, want), "y\n");
	rundirs_put(&d, BLOCK_FILE, strcat(text, "# assay not finished"));
	block_read(d.dir, &(struct choice){ REPORT_UNSAID }, NOW, &b);
	assert_int_equal(b.count, 3);
	assert_string_equal(b.line[0], "# assay first");
	assert_string_equal(b.line[1], "# assay %s%n is text");
	assert_string_equal(b.line[2], want);
	rundirs_close(&d);
}

static void twelve_at_most(void **state)
{
	struct rundirs d;
	struct block b;
	char text[2000] = "";
	int i;

	(void)state;
	rundirs_open(&d);
	for (i = 1; i <= 20; i++)
		sprintf(text + strlen(text), "# assay line %d\n", i);
	rundirs_put(&d, BLOCK_FILE, text);
	block_read(d.dir, &(struct choice){ REPORT_UNSAID }, NOW, &b);
	assert_int_equal(b.count, BLOCK_LINES);
	assert_string_equal(b.line[11], "# assay line 12");
	rundirs_close(&d);
}

static void a_huge_block_ends_somewhere(void **state)
{
	struct rundirs d;
	char *text = calloc(1, 100001);

	(void)state;
	assert_non_null(text);
	rundirs_open(&d);
	memset(text, '\n', 100000);
	memcpy(text, "# assay a\n", 10);
	memcpy(text + 99000, "# assay b\n", 10);
	rundirs_put(&d, BLOCK_FILE, text);
	assert_int_equal(lines(&d, REPORT_UNSAID), 1);
	free(text);
	rundirs_close(&d);
}

static void who_wants_it(void **state)
{
	struct rundirs d;

	(void)state;
	rundirs_open(&d);
	assert_int_equal(lines(&d, REPORT_YES), 0);
	rundirs_put(&d, BLOCK_FILE, "# assay a\n");
	assert_int_equal(lines(&d, REPORT_UNSAID), 1);
	assert_int_equal(lines(&d, REPORT_YES), 1);
	assert_int_equal(lines(&d, REPORT_NO), 0);
	rundirs_put(&d, BLOCK_NONE_FILE, "");
	assert_int_equal(lines(&d, REPORT_UNSAID), 0);
	assert_int_equal(lines(&d, REPORT_YES), 1);
	assert_int_equal(lines(&d, REPORT_NO), 0);
	rundirs_close(&d);
}

static void started(struct rundirs *d, const char *mark, int want)
{
	rundirs_put(d, BLOCK_JOB_FILE, mark);
	assert_int_equal(lines(d, REPORT_YES), want);
}

static void not_for_short_jobs(void **state)
{
	struct rundirs d;

	(void)state;
	rundirs_open(&d);
	rundirs_put(&d, BLOCK_FILE, "# assay a\n");
	started(&d, "{\"start\": 999401, \"job\": 12}", 0);
	started(&d, "{\"start\": 999400, \"job\": 12}", 1);
	started(&d, "{\"job\":12,\"start\":999999}", 0);
	started(&d, "{\"user\":\"\\\"start\\\":1\",\n \"start\" : 999999}", 0);
	started(&d, "{\"start\": 2000000}", 0);
	/* how short, the mark may say */
	started(&d, "{\"start\": 999990, \"block_after_s\": 10}", 1);
	started(&d, "{\"start\": 999991, \"block_after_s\": 10}", 0);
	started(&d, "{\"start\": 999000, \"block_after_s\": 3600}", 0);
	started(&d, "{\"start\": 999400, \"block_after_s\": null}", 1);
	/* a mark that tells no start says nothing */
	started(&d, "{\"start\": null}", 1);
	started(&d, "{\"start\"}", 1);
	started(&d, "", 1);
	rundirs_close(&d);
}

static void nobody_elses(void **state)
{
	struct rundirs d;
	char full[1024];

	(void)state;
	rundirs_open(&d);
	rundirs_put(&d, BLOCK_FILE, "# assay a\n");
	assert_int_equal(chmod(fixture_path(&d.x, "12/" BLOCK_FILE, full),
			       0666), 0);
	assert_int_equal(lines(&d, REPORT_YES), 0);
	fixture_unlink(&d.x, "12/" BLOCK_FILE);
	fixture_file(&d.x, "other", "# assay a\n");
	fixture_link(&d.x, "12/" BLOCK_FILE, "../other");
	assert_int_equal(lines(&d, REPORT_YES), 0);
	rundirs_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_looks_like_it),
		cmocka_unit_test(twelve_at_most),
		cmocka_unit_test(a_huge_block_ends_somewhere),
		cmocka_unit_test(who_wants_it),
		cmocka_unit_test(not_for_short_jobs),
		cmocka_unit_test(nobody_elses),
	};

	umask(022);
	return cmocka_run_group_tests_name("spank_block", tests, NULL, NULL);
}
