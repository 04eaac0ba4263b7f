/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fixture.h"

static struct check_result results[] = { { .name = "gpu_remap" },
					 { .name = "kmsg_xid" } };

/* One run more, in which this was done because of that result. */
static void run(json_t *doc, const char *dir, const char *action, int result)
{
	struct verdict v = { .result = result };
	struct record r = { .verdict = &v,
			    .action = action,
			    .results = results,
			    .count = 2,
			    .time_s = 1000,
			    .elapsed_us = 1500 };
	struct err e = { "" };

	assert_int_equal(metrics_write(doc, dir, &r, &e), 0);
}

static char *text_in(struct fixture *x)
{
	char path[1024], *text = NULL;
	size_t room = 0;
	FILE *f = fopen(fixture_path(x, "assay.prom", path), "r");

	assert_non_null(f);
	assert_true(getdelim(&text, &room, 0, f) > 0);
	fclose(f);
	return text;
}

#define assert_line(text, line) assert_non_null(strstr(text, line "\n"))

static void drains_by_their_check(void **state)
{
	json_t *doc = json_object();
	struct fixture x;
	char *text;

	(void)state;
	fixture_open(&x);
	run(doc, x.dir, "run", -1);
	text = text_in(&x);
	assert_null(strstr(text, "assay_drains_total"));
	free(text);
	run(doc, x.dir, "drain", 0);
	run(doc, "", "drain-after", 0);
	run(doc, x.dir, "drain", 1);
	/* Somebody else had drained the node; or it only would have. */
	run(doc, x.dir, "refuse", 0);
	run(doc, x.dir, "run", 0);
	text = text_in(&x);
	assert_line(text, "assay_drains_total{check=\"gpu_remap\"} 2");
	assert_line(text, "assay_drains_total{check=\"kmsg_xid\"} 1");
	assert_line(text, "# TYPE assay_drains_total counter");
	assert_line(text, "assay_gate_runs_total{verdict=\"drain\"} 2");
	assert_line(text, "assay_gate_runs_total{verdict=\"drain-after\"} 1");
	assert_line(text, "assay_gate_runs_total{verdict=\"refuse\"} 1");
	assert_line(text, "assay_gate_runs_total{verdict=\"run\"} 2");
	assert_line(text, "assay_gate_duration_seconds 0.001500");
	free(text);
	json_decref(doc);
	fixture_close(&x);
}

static void a_verdict_without_a_headline(void **state)
{
	json_t *doc = json_object();

	(void)state;
	run(doc, "", "drain", -1);
	run(doc, "", "drain", 2);
	assert_null(json_object_get(doc, "drains"));
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drains_by_their_check),
		cmocka_unit_test(a_verdict_without_a_headline),
	};

	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
