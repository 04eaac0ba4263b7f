/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/metrics.h"
#include "checks/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static struct check_result result = { .name = "gpu_pcie",
				      .status = STATUS_FAIL,
				      .elapsed_us = 12 };
static struct verdict verdict = { .would = ACTION_DRAIN_AFTER,
				  .act = ACTION_RUN, .cause = CAUSE_FAIL };
static struct record record = {
	.node = "n1", .job = 7, .restart = 1, .mode = "observe",
	.time_s = 0, .elapsed_us = 5000, .verdict = &verdict, .action = "run",
	.reason = "assay:gpu_pcie GPU6", .results = &result, .count = 1,
};

static int one_finding(void **state)
{
	struct finding *f;

	(void)state;
	f = result_add(&result, STATUS_FAIL, "width", "GPU6", "x8<x16 lanes");
	f->value = 8;
	f->limit = 16;
	strcpy(f->unit, "lanes");
	f->remedy = REMEDY_SERVICE;
	return 0;
}

static int no_finding(void **state)
{
	(void)state;
	result_fini(&result);
	return 0;
}

static const char *str(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void the_record_has_its_members(void **state)
{
	json_t *doc = record_json(&record);
	json_t *v = json_object_get(doc, "verdict");
	json_t *c = json_array_get(json_object_get(doc, "checks"), 0);
	json_t *f = json_array_get(json_object_get(c, "findings"), 0);

	(void)state;
	assert_non_null(doc);
	assert_string_equal(str(doc, "schema"), "assay.check/1");
	assert_string_equal(str(doc, "time"), "1970-01-01T00:00:00Z");
	assert_string_equal(str(v, "action"), "run");
	assert_string_equal(str(v, "would"), "drain-after");
	assert_string_equal(str(v, "cause"), "fail");
	assert_string_equal(str(c, "status"), "FAIL");
	assert_string_equal(str(f, "code"), "gpu_pcie.width");
	assert_string_equal(str(f, "action"), "service");
	assert_int_equal(json_integer_value(json_object_get(f, "value")), 8);
	assert_true(json_is_null(json_object_get(f, "evidence")));
	json_decref(doc);
}

static void unknown_numbers_are_null(void **state)
{
	json_t *doc, *f;

	(void)state;
	result.finding[0].value = 0.0 / 0.0;
	result.finding[0].limit = 2.5;
	doc = record_json(&record);
	f = json_array_get(
		json_object_get(json_array_get(json_object_get(doc, "checks"),
					       0),
				"findings"),
		0);
	assert_true(json_is_null(json_object_get(f, "value")));
	assert_true(json_real_value(json_object_get(f, "limit")) == 2.5);
	json_decref(doc);
}

static void written_aside_and_renamed(void **state)
{
	char dir[] = "/tmp/assay-record.XXXXXX";
	json_t *doc = record_json(&record);
	json_t *back;
	struct err e;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(record_write(doc, fd, "verdict.json", &e), 0);
	assert_int_equal(record_write(doc, fd, "verdict.json", &e), 0);
	assert_int_equal(faccessat(fd, ".verdict.json", F_OK, 0), -1);
	back = json_loadfd(openat(fd, "verdict.json", O_RDONLY), 0, NULL);
	assert_true(json_equal(doc, back));
	unlinkat(fd, "verdict.json", 0);
	/* A link that somebody laid there is not followed. */
	assert_int_equal(symlinkat("/etc/passwd", fd, "verdict.json"), 0);
	assert_int_equal(record_write(doc, fd, "verdict.json", &e), 0);
	unlinkat(fd, "verdict.json", 0);
	rmdir(dir);
	assert_int_equal(record_write(doc, fd, "verdict.json", &e), -1);
	close(fd);
	json_decref(back);
	json_decref(doc);
}

static void metrics_count_and_show(void **state)
{
	char dir[] = "/tmp/assay-metrics.XXXXXX";
	char path[64], text[4096];
	json_t *doc = json_object();
	struct err e;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	verdict.blind = true;
	assert_int_equal(metrics_write(doc, dir, &record, &e), 0);
	verdict.blind = false;
	record.time_s = 1234;
	assert_int_equal(metrics_write(doc, dir, &record, &e), 0);
	snprintf(path, sizeof(path), "%s/assay.prom", dir);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_non_null(strstr(text, "assay_gate_runs_total{verdict=\"run\"} 2\n"));
	assert_non_null(strstr(text, "assay_check_status{check=\"gpu_pcie\"} 5\n"));
	assert_non_null(strstr(text, "assay_gate_blind 0\n"));
	assert_non_null(strstr(text, "assay_gate_duration_seconds 0.005000\n"));
	assert_non_null(
		strstr(text,
		       "assay_gate_last_success_timestamp_seconds 1234\n"));
	unlink(path);
	rmdir(dir);
	assert_int_equal(metrics_write(doc, dir, &record, &e), -1);
	assert_int_equal(metrics_write(doc, "", &record, &e), 0);
	json_decref(doc);
}

static void metrics_keep_what_was_measured(void **state)
{
	char dir[] = "/tmp/assay-metrics.XXXXXX";
	struct check_result r = { .name = "gpu_membw" };
	struct record some = record;
	char path[64], text[4096];
	json_t *doc = json_object();
	struct err e;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	r.measured = json_pack("[{s:s, s:f, s:s, s:{s:i}}]", "subject", "GPU3",
			       "read_gbps", 2970.5, "end", "done", "conditions",
			       "sm_mhz", 1980);
	some.results = &r;
	some.count = 1;
	assert_int_equal(metrics_write(doc, dir, &some, &e), 0);
	assert_int_equal(metrics_write(doc, dir, &record, &e), 0);
	snprintf(path, sizeof(path), "%s/assay.prom", dir);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_non_null(strstr(text, "assay_measured{check=\"gpu_membw\","
				     "subject=\"GPU3\",figure=\"read_gbps\"} "
				     "2970.5\n"));
	assert_null(strstr(text, "sm_mhz"));
	assert_null(strstr(text, "figure=\"end\""));
	unlink(path);
	rmdir(dir);
	json_decref(r.measured);
	json_decref(doc);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, one_finding, no_finding)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_record_has_its_members),
		TEST(unknown_numbers_are_null),
		TEST(written_aside_and_renamed),
		TEST(metrics_count_and_show),
		TEST(metrics_keep_what_was_measured),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
