/* SPDX-License-Identifier: Apache-2.0
 * What jobs did as metrics: that the text is one that a scraper takes, that it
 * says what the records say, and of which jobs. */
#include "config.h"
#include "epilog/job_metrics.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/fixture.h"

static const char golden[] =
	"{\"schema\":\"assay.job/1\",\"kind\":\"node\",\"job\":{\"id\":7,"
	"\"restart\":1,\"user\":\"u\\\"1\\\\\",\"account\":\"ml\","
	"\"partition\":\"gpu\",\"state\":\"completed\",\"elapsed_s\":600,"
	"\"node\":\"n1\"},"
	"\"stalls\":{\"total_s\":12.5},"
	"\"node\":[{\"node\":\"n1\",\"cpu_seconds\":1200.25,"
	"\"cores_alloc\":4,\"mem_peak_bytes\":null,"
	"\"why\":{\"mem_peak_bytes\":\"not readable\"}}],"
	"\"gpu\":[{\"node\":\"n1\",\"index\":3,\"uuid\":\"GPU-a\","
	"\"busy_pct\":87.5,\"energy_j\":1234567,\"sm_active_pct\":null,"
	"\"throttle_s\":{\"power\":null,\"thermal\":30,\"hw\":0},"
	"\"ecc_corr\":2,\"temp_c\":{\"max\":71}},"
	"{\"node\":\"n1\",\"index\":4,\"uuid\":\"GPU-b\",\"busy_pct\":0}],"
	"\"fabric\":{\"port\":[{\"node\":\"n1\",\"name\":\"mlx5_0\","
	"\"rx_bytes\":5000000000,\"error_count\":3,\"downs\":0}]},"
	"\"faults\":[{\"kind\":\"xid\"},{\"kind\":\"xid\"},"
	"{\"kind\":\"link_down\"}]}";

static json_t *record_of(int job, int restart)
{
	json_t *record = json_loads(golden, 0, NULL);
	json_t *o = json_object_get(record, "job");

	assert_non_null(record);
	json_object_set_new(o, "id", json_integer(job));
	json_object_set_new(o, "restart", json_integer(restart));
	return record;
}

static char *text_of(json_t *records)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	job_metrics_print(f, records);
	assert_int_equal(fclose(f), 0);
	return text;
}

static char *text_of_one(void)
{
	json_t *records = json_array();
	char *text;

	json_array_append_new(records, record_of(7, 1));
	text = text_of(records);
	json_decref(records);
	return text;
}

#define assert_line(text, line) assert_non_null(strstr(text, line "\n"))
#define assert_no(text, part) assert_null(strstr(text, part))

static void the_figures_of_a_record(void **state)
{
	char *text = text_of_one();

	(void)state;
	assert_line(text, "assay_job_info{jobid=\"7\",restart=\"1\","
			  "user=\"u\\\"1\\\\\",account=\"ml\","
			  "partition=\"gpu\",state=\"completed\"} 1");
	assert_line(text, "assay_job_duration_seconds{jobid=\"7\"} 600");
	assert_line(text, "assay_job_stall_seconds_total{jobid=\"7\"} 12.5");
	assert_line(text, "assay_job_cpu_seconds_total{jobid=\"7\"} 1200.25");
	assert_line(text, "assay_job_gpu_busy_ratio{jobid=\"7\",gpu=\"3\","
			  "uuid=\"GPU-a\"} 0.875");
	assert_line(text, "assay_job_gpu_energy_joules_total{jobid=\"7\","
			  "gpu=\"3\",uuid=\"GPU-a\"} 1234567");
	assert_line(text, "assay_job_gpu_throttle_seconds_total{jobid=\"7\","
			  "gpu=\"3\",uuid=\"GPU-a\",reason=\"thermal\"} 30");
	assert_line(text, "assay_job_gpu_ecc_errors_total{jobid=\"7\",gpu=\"3\","
			  "uuid=\"GPU-a\",kind=\"corrected\"} 2");
	assert_line(text, "assay_job_gpu_temperature_max_celsius{jobid=\"7\","
			  "gpu=\"3\",uuid=\"GPU-a\"} 71");
	assert_line(text, "assay_job_port_receive_bytes_total{jobid=\"7\","
			  "port=\"mlx5_0\"} 5000000000");
	assert_line(text, "assay_job_port_errors_total{jobid=\"7\","
			  "port=\"mlx5_0\"} 3");
	assert_line(text, "assay_job_faults_total{jobid=\"7\",kind=\"xid\"} 2");
	assert_line(text,
		    "assay_job_faults_total{jobid=\"7\",kind=\"link_down\"} 1");
	free(text);
}

/* 0 is a figure, unknown is none. */
static void what_is_not_known_has_no_series(void **state)
{
	char *text = text_of_one();

	(void)state;
	assert_line(text, "assay_job_gpu_busy_ratio{jobid=\"7\",gpu=\"4\","
			  "uuid=\"GPU-b\"} 0");
	assert_no(text, "assay_job_gpu_sm_active_ratio");
	assert_no(text, "assay_job_memory_peak_bytes");
	assert_no(text, "reason=\"power\"");
	assert_no(text, "assay_job_gpu_energy_joules_total{jobid=\"7\",gpu=\"4\"");
	assert_no(text, "nan");
	free(text);
}

/* ---- as a scraper reads it ------------------------------------------------------ */

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

/* Name and type of the family, when its lines begin. */
static void is_head(const char *line, char *family, json_t *seen)
{
	char name[128], type[32];

	if (sscanf(line, "# HELP %127s", name) == 1) {
		assert_null(json_object_get(seen, name));
		json_object_set_new(seen, name, json_true());
		strcpy(family, name);
		return;
	}
	assert_int_equal(sscanf(line, "# TYPE %127s %31s", name, type), 2);
	assert_string_equal(name, family);
	assert_int_equal(!strcmp(type, "counter"), ends_with(name, "_total"));
}

static void is_sample(const char *line, const char *family, json_t *seen)
{
	size_t name = strcspn(line, "{");
	const char *close = strrchr(line, '}');
	char *end;

	assert_int_equal(name, strlen(family));
	assert_memory_equal(line, family, name);
	assert_true(close && close[1] == ' ');
	strtod(close + 2, &end);
	assert_true(end != close + 2 && !*end);
	/* No series twice. */
	char *series = strndup(line, (size_t)(close + 1 - line));
	assert_null(json_object_get(seen, series));
	json_object_set_new(seen, series, json_true());
	free(series);
}

static void is_exposition(char *text)
{
	json_t *seen = json_object();
	char family[128] = "";
	char *line, *rest = text;

	assert_true(ends_with(text, "\n"));
	while ((line = strsep(&rest, "\n")) && rest) {
		if (*line == '#')
			is_head(line, family, seen);
		else
			is_sample(line, family, seen);
	}
	json_decref(seen);
}

static void families_stand_together(void **state)
{
	json_t *records = json_array();
	char *text;
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		json_array_append_new(records, record_of(7 + i, 0));
	text = text_of(records);
	is_exposition(text);
	free(text);
	json_decref(records);
}

static void a_record_may_be_anything(void **state)
{
	static const char *const odd[] = {
		"{}",
		"{\"gpu\":3,\"node\":{},\"fabric\":[]}",
		"{\"job\":{\"id\":\"7\",\"user\":7}}",
		"{\"faults\":[1,{\"kind\":\"a\\nb\\\"\"}]}",
		"{\"gpu\":[{\"uuid\":1,\"busy_pct\":1e300,\"index\":null}]}",
	};
	json_t *records;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		records = json_array();
		json_array_append_new(records, json_loads(odd[i], 0, NULL));
		text = text_of(records);
		is_exposition(text);
		free(text);
		json_decref(records);
	}
}

/* ---- from the spool ------------------------------------------------------------- */

#define NOW 1796000000

static void spooled(struct fixture *x, int job, int restart, int age_s)
{
	struct timespec t[2] = { { .tv_sec = NOW - age_s },
				 { .tv_sec = NOW - age_s } };
	json_t *record = record_of(job, restart);
	char *text = json_dumps(record, 0);
	char name[64], path[1024];

	snprintf(name, sizeof(name), "spool/%d.%d.n1.json", job, restart);
	fixture_file(x, name, text);
	assert_int_equal(utimensat(AT_FDCWD, fixture_path(x, name, path), t, 0),
			 0);
	free(text);
	json_decref(record);
}

static char *written(struct fixture *x)
{
	char spool[128], dir[128], path[1024], *text = NULL;
	struct err e = { "" };
	size_t room = 0;
	FILE *f;

	snprintf(spool, sizeof(spool), "%s/spool", x->dir);
	snprintf(dir, sizeof(dir), "%s/metrics", x->dir);
	assert_int_equal(job_metrics_write(spool, dir, NOW, &e), 0);
	f = fopen(fixture_path(x, "metrics/assay-jobs.prom", path), "r");
	if (!f)
		return NULL;
	assert_true(getdelim(&text, &room, 0, f) > 0);
	fclose(f);
	return text;
}

static void jobs_of_the_last_hour(void **state)
{
	struct fixture x;
	char *text;

	(void)state;
	fixture_open(&x);
	fixture_dir(&x, "metrics");
	spooled(&x, 7, 0, 100);
	spooled(&x, 7, 1, 50);
	spooled(&x, 8, 0, JOB_METRICS_AGE_S + 1);
	spooled(&x, 9, 0, JOB_METRICS_AGE_S - 1);
	fixture_file(&x, "spool/10.0.n1.json", "{");
	fixture_file(&x, "spool/pending", "x");
	text = written(&x);
	assert_non_null(strstr(text, "assay_job_info{jobid=\"7\",restart=\"1\""));
	assert_non_null(strstr(text, "assay_job_info{jobid=\"9\","));
	assert_no(text, "restart=\"0\",user=\"u\\\"1\\\\\",account=\"ml\","
			"partition=\"gpu\",state=\"completed\"} 1\n"
			"assay_job_info{jobid=\"7\"");
	assert_no(text, "jobid=\"8\"");
	assert_no(text, "jobid=\"10\"");
	is_exposition(text);
	free(text);
	/* When the last of them is too old, the file goes. */
	fixture_unlink(&x, "spool/7.0.n1.json");
	fixture_unlink(&x, "spool/7.1.n1.json");
	fixture_unlink(&x, "spool/9.0.n1.json");
	fixture_unlink(&x, "spool/10.0.n1.json");
	assert_null(written(&x));
	assert_null(written(&x));
	fixture_close(&x);
}

static void they_are_bounded(void **state)
{
	struct fixture x;
	char *text, *p;
	int i, n = 0;

	(void)state;
	fixture_open(&x);
	fixture_dir(&x, "metrics");
	for (i = 1; i <= JOB_METRICS_MAX + 20; i++)
		spooled(&x, i, 0, i);
	text = written(&x);
	for (p = text; (p = strstr(p, "assay_job_info{")); p++)
		n++;
	assert_int_equal(n, JOB_METRICS_MAX);
	/* The newest. */
	assert_non_null(strstr(text, "jobid=\"1\""));
	assert_no(text, "jobid=\"84\"");
	free(text);
	fixture_close(&x);
}

static void nowhere_to_write(void **state)
{
	struct err e = { "" };

	(void)state;
	assert_int_equal(job_metrics_write("/nonexistent", "", NOW, &e), 0);
	assert_int_equal(
		job_metrics_write("/nonexistent", "/nonexistent", NOW, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_figures_of_a_record),
		cmocka_unit_test(what_is_not_known_has_no_series),
		cmocka_unit_test(families_stand_together),
		cmocka_unit_test(a_record_may_be_anything),
		cmocka_unit_test(jobs_of_the_last_hour),
		cmocka_unit_test(they_are_bounded),
		cmocka_unit_test(nowhere_to_write),
	};

	return cmocka_run_group_tests_name("job_metrics", tests, NULL, NULL);
}
