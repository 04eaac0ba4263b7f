/* SPDX-License-Identifier: Apache-2.0
 * From records in a shared directory to a comment, with an accounting that is
 * a script: it keeps the comment in a file, and notes how it was called. */
#include "config.h"
#include "epilog/comment.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epilog/js1.h"
#include "epilog/js1_private.h"
#include "lib/clock.h"
#include "lib/fdio.h"
#include "tests/unit/fixture.h"

#define START 1782900000 /* 2026-07-01T10:00:00 of UTC */

static struct fixture x;
static char sacct[128], sacctmgr[128], shared[128];
static struct comments p;
static struct err e;

/* ---- the accounting ----------------------------------------------------------- */

static const char sacct_text[] =
	"#!/bin/sh\n"
	"cd \"${0%/*}\"\n"
	"[ ! -e down ] || { echo 'Connection refused' >&2; exit 1; }\n"
	"echo \"sacct $SLURM_CONF $*\" >> calls\n"
	"[ \"$7\" = AdminComment ] || cat row\n"
	"cat comment\n"
	"echo\n";

/* The comment is what stands behind "AdminComment=" in the 8th argument. */
static const char sacctmgr_text[] =
	"#!/bin/sh\n"
	"cd \"${0%/*}\"\n"
	"echo \"sacctmgr $SLURM_CONF $1 $2 $3 $4 $5 $6 $7 ${8%%=*}\" >> calls\n"
	"date +%s%3N >> times\n"
	"[ ! -e denied ] || { echo 'Nothing modified'; exit 1; }\n"
	"c=${8#AdminComment=}\n"
	"[ ! -e small ] || c=$(echo \"$c\" | tr A-Z a-z)\n"
	"[ ! -e rival ] || c=rival\n"
	"printf %s \"$c\" > comment\n";

static void script(char *path, const char *name, const char *text)
{
	char full[1024];

	fixture_file(&x, name, text);
	fixture_path(&x, name, full);
	assert_int_equal(chmod(full, 0700), 0);
	strcpy(path, full);
}

/* The row without its comment: the job's, of this state, begun then. */
static void accounting_row(const char *id, const char *name, const char *state,
			   const char *start)
{
	char row[300];

	snprintf(row, sizeof(row),
		 "%s|%s|lab|%s|%s|600|2|8|cpu=8,gres/gpu=2,mem=64G|n[1-2]|", id,
		 name, state, start);
	fixture_file(&x, "row", row);
}

static const char *text_of(const char *name)
{
	static char text[70000];
	char full[1024];
	int fd = open(fixture_path(&x, name, full), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : fdio_read(fd, text, sizeof(text) - 1);

	assert_true(n >= 0);
	text[n] = '\0';
	fdio_close(fd);
	return text;
}

static int lines_of(const char *name)
{
	const char *s;
	int n = 0;

	for (s = text_of(name); (s = strchr(s, '\n')); s++)
		n++;
	return n;
}

/* ---- records ------------------------------------------------------------------ */

static void node_record(int restart, const char *node, const char *state,
			int64_t start_s)
{
	char name[100];
	json_t *r;
	char *text;

	r = json_pack("{s:s, s:s, s:{s:i, s:i, s:s, s:i, s:I, s:I, s:i, s:s}, "
		      "s:{s:i, s:i, s:[]}, "
		      "s:[{s:s, s:i, s:i, s:s, s:s, s:b, s:f, s:I, s:I}], "
		      "s:[{s:s, s:s, s:s, s:I, s:I, s:f, s:i, s:I, s:I}]}",
		      "schema", "assay.job/1", "kind", "node", "job", "id", 7,
		      "restart", restart, "node", node, "nodes", 2, "start",
		      (json_int_t)start_s, "end", (json_int_t)start_s + 600,
		      "elapsed_s", 600, "state", state, "nodes", "expected", 2,
		      "reported", 1, "missing", "gpu", "node", node, "index", 0,
		      "minor", 0, "uuid", "GPU-1", "model", "H100", "used", 1,
		      "busy_pct", 80.0, "mem_peak_bytes", (json_int_t)4 << 30,
		      "mem_total_bytes", (json_int_t)80 << 30, "node", "node",
		      node, "state", state, "watch", "whole", "start",
		      (json_int_t)start_s, "end", (json_int_t)start_s + 600,
		      "cpu_seconds", 1200.0, "cores_alloc", 4, "mem_peak_bytes",
		      (json_int_t)1 << 30, "mem_limit_bytes",
		      (json_int_t)8 << 30);
	text = json_dumps(r, JSON_COMPACT);
	assert_non_null(text);
	snprintf(name, sizeof(name), "shared/jobs/7.%d/%s.json", restart, node);
	fixture_file(&x, name, text);
	free(text);
	json_decref(r);
}

static void both_nodes(void)
{
	node_record(0, "n1", "completed", START);
	node_record(0, "n2", "completed", START + 1);
}

static int setup(void **state)
{
	(void)state;
	fixture_open(&x);
	script(sacct, "sacct", sacct_text);
	script(sacctmgr, "sacctmgr", sacctmgr_text);
	fixture_file(&x, "comment", "");
	fixture_dir(&x, "shared");
	fixture_dir(&x, "shared/jobs");
	snprintf(shared, sizeof(shared), "%s/shared", x.dir);
	accounting_row("7", "7", "COMPLETED", "2026-07-01T10:00:00");
	p = (struct comments){
		.shared_dir = shared,
		.owner = geteuid(),
		.accounting = { .sacct = sacct,
				.sacctmgr = sacctmgr,
				.conf = "/etc/s.conf",
				.deadline_ms = 5000 },
		.max = JS1_COMMENT_MAX,
		.wait_s = 60,
		.until_ms = clock_mono_ms() + 60000,
	};
	memset(&e, 0, sizeof(e));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_close(&x);
	return 0;
}

static int utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	return 0;
}

#define assert_result(age, wanted) \
	assert_int_equal(comment_job(&p, 7, age, &e), wanted)
#define assert_why(words) assert_non_null(strstr(e.text, words))

static json_t *comment(void)
{
	json_t *js1 = js1_decode(text_of("comment"), &e);

	if (!js1)
		fail_msg("%s", e.text);
	return js1;
}

static int64_t reported(void)
{
	json_t *js1 = comment();
	int64_t n = js1_reported(js1);

	json_decref(js1);
	return n;
}

static size_t nodes_in(const json_t *js1)
{
	return json_object_size(json_object_get(js1, "nodes"));
}

/* ---- tests -------------------------------------------------------------------- */

static void a_finished_job_gets_its_comment(void **state)
{
	json_t *js1;

	(void)state;
	both_nodes();
	assert_result(0, COMMENT_DONE);
	js1 = comment();
	assert_int_equal(nodes_in(js1), 2);
	assert_true(js1_is_own(js1));
	assert_int_equal(js1_reported(js1), 2);
	/* What the accounting knows counts. */
	assert_int_equal(json_integer_value(json_object_get(js1, "total_time")),
			 600);
	assert_int_equal(json_integer_value(json_object_get(js1, "gpus")), 2);
	json_decref(js1);
	assert_string_equal(
		text_of("calls"),
		"sacct /etc/s.conf -n -P -X -j 7 -o JobIDRaw,JobID,Cluster,State,"
		"Start,ElapsedRaw,NNodes,AllocCPUS,AllocTRES,NodeList,"
		"AdminComment\n"
		"sacctmgr /etc/s.conf -i update job where jobid=7 cluster=lab "
		"set AdminComment\n"
		"sacct /etc/s.conf -n -P -X -j 7 -o AdminComment\n");
}

/* The array's own id stands for all its tasks. */
static void a_task_goes_by_the_arrays_name(void **state)
{
	(void)state;
	both_nodes();
	accounting_row("7", "5_2", "COMPLETED", "2026-07-01T10:00:00");
	assert_result(0, COMMENT_DONE);
	assert_non_null(strstr(text_of("calls"), " jobid=5_2 cluster=lab "));
	assert_null(strstr(text_of("calls"), "jobid=7"));
}

/* A record that knows saves sacct the list of all tasks. */
static void a_task_is_asked_for_alone(void **state)
{
	char path[1024];
	json_t *record;

	(void)state;
	both_nodes();
	fixture_path(&x, "shared/jobs/7.0/n1.json", path);
	record = json_load_file(path, 0, NULL);
	json_object_set_new(json_object_get(record, "job"), "array_job",
			    json_integer(5));
	json_object_set_new(json_object_get(record, "job"), "array_task",
			    json_integer(2));
	json_dump_file(record, path, 0);
	json_decref(record);
	fixture_unlink(&x, "shared/jobs/7.0/n2.json");
	accounting_row("7", "5_2", "COMPLETED", "2026-07-01T10:00:00");
	assert_result(60, COMMENT_DONE);
	assert_non_null(strstr(text_of("calls"), " -j 5_2 -o JobIDRaw,"));
}

static void nodes_are_waited_for(void **state)
{
	json_t *js1, *missing;

	(void)state;
	assert_result(59, COMMENT_LATER);
	node_record(0, "n2", "completed", START);
	assert_result(59, COMMENT_LATER);
	assert_why("1 of 2 nodes");
	assert_int_equal(lines_of("calls"), 0);
	/* Not for ever: who is missing is named. */
	assert_result(60, COMMENT_DONE);
	js1 = comment();
	assert_int_equal(js1_reported(js1), 1);
	missing = json_object_get(
		json_object_get(json_object_get(js1, "assay"), "nodes"),
		"missing");
	assert_int_equal(json_array_size(missing), 1);
	assert_string_equal(json_string_value(json_array_get(missing, 0)), "n1");
	json_decref(js1);
	/* And comes late: what is there is our own, and tells less. */
	node_record(0, "n1", "completed", START);
	assert_result(600, COMMENT_DONE);
	js1 = comment();
	assert_int_equal(js1_reported(js1), 2);
	json_decref(js1);
	assert_result(600, COMMENT_KEPT);
	assert_why("already");
}

static void a_running_record_is_waited_for(void **state)
{
	(void)state;
	node_record(0, "n1", "completed", START);
	node_record(0, "n2", "running", START);
	assert_result(10, COMMENT_LATER);
	assert_why("running");
	assert_result(60, COMMENT_DONE);
}

static void nobody_told(void **state)
{
	(void)state;
	assert_result(10, COMMENT_LATER);
	assert_result(60, COMMENT_NOTHING);
	assert_int_equal(lines_of("calls"), 0);
	/* Unless the site wants to know that, too. */
	p.all = true;
	assert_result(60, COMMENT_DONE);
	assert_string_equal(text_of("comment"), "JS1:None");
}

static void short_jobs(void **state)
{
	(void)state;
	fixture_file(&x, "row",
		     "7|7|lab|COMPLETED|2026-07-01T10:00:00|59|2|8||n[1-2]|");
	both_nodes();
	assert_result(0, COMMENT_NOTHING);
	assert_string_equal(text_of("comment"), "");
	p.all = true;
	assert_result(0, COMMENT_DONE);
	assert_string_equal(text_of("comment"), "JS1:Short");
}

static void comments_of_others_stay(void **state)
{
	static const char *const others[] = { "ticket 4711", "JS1:None",
					      "JS1:Short",   "JS1:H4sIxx==",
					      "\nsecond",    "js1:h4si" };
	size_t i;

	(void)state;
	both_nodes();
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		fixture_file(&x, "comment", others[i]);
		assert_result(600, COMMENT_KEPT);
		assert_string_equal(text_of("comment"), others[i]);
	}
	assert_null(strstr(text_of("calls"), "sacctmgr"));
}

/* The key that is ours is not in it: jobstats' own. */
static void a_comment_of_jobstats_stays(void **state)
{
	json_t *js1;
	char *json, *text;

	(void)state;
	both_nodes();
	assert_result(0, COMMENT_DONE);
	js1 = comment();
	json_object_del(js1, "assay");
	json = json_dumps(js1, JSON_COMPACT);
	text = js1_pack(json, strlen(json));
	fixture_file(&x, "comment", text);
	assert_result(600, COMMENT_KEPT);
	assert_why("another writer");
	assert_string_equal(text_of("comment"), text);
	free(text);
	free(json);
	json_decref(js1);
}

static void the_accounting_is_late(void **state)
{
	(void)state;
	both_nodes();
	accounting_row("7", "7", "RUNNING", "2026-07-01T10:00:00");
	assert_result(600, COMMENT_LATER);
	assert_why("RUNNING");
	accounting_row("8", "8", "COMPLETED", "2026-07-01T10:00:00");
	assert_result(600, COMMENT_LATER);
	/* It knows the run before this one only. */
	accounting_row("7", "7", "NODE_FAIL", "2026-07-01T09:00:00");
	assert_result(600, COMMENT_LATER);
	assert_string_equal(text_of("comment"), "");
}

/* A requeued job: the records of each run are its own. */
static void the_last_run_counts(void **state)
{
	json_t *js1;

	(void)state;
	both_nodes();
	node_record(1, "n1", "completed", START + 3600);
	node_record(1, "n2", "completed", START + 3600);
	accounting_row("7", "7", "COMPLETED", "2026-07-01T11:00:00");
	assert_result(0, COMMENT_DONE);
	js1 = comment();
	assert_int_equal(js1_restart(js1), 1);
	json_decref(js1);
}

static void the_last_run_told_nothing(void **state)
{
	(void)state;
	both_nodes();
	accounting_row("7", "7", "COMPLETED", "2026-07-01T11:00:00");
	assert_result(10, COMMENT_LATER);
	assert_result(60, COMMENT_NOTHING);
	assert_string_equal(text_of("comment"), "");
}

/* The first run's comment is not the second's. */
static void an_own_comment_of_an_earlier_run(void **state)
{
	json_t *js1;

	(void)state;
	both_nodes();
	assert_result(0, COMMENT_DONE);
	node_record(1, "n1", "completed", START + 3600);
	accounting_row("7", "7", "COMPLETED", "2026-07-01T11:00:00");
	assert_result(60, COMMENT_DONE);
	js1 = comment();
	assert_int_equal(js1_restart(js1), 1);
	json_decref(js1);
}

static void an_accounting_that_is_down(void **state)
{
	(void)state;
	both_nodes();
	fixture_file(&x, "down", "");
	assert_result(0, COMMENT_DOWN);
	assert_why("Connection refused");
	fixture_unlink(&x, "down");
	fixture_file(&x, "denied", "");
	assert_result(0, COMMENT_LATER);
	assert_why("Nothing modified");
	fixture_unlink(&x, "denied");
	p.accounting.sacct = "/nonexistent/sacct";
	assert_result(0, COMMENT_DOWN);
}

static void small_letters_are_no_comment(void **state)
{
	(void)state;
	both_nodes();
	fixture_file(&x, "small", "");
	assert_result(0, COMMENT_REFUSED);
	assert_why("assay-sacctmgr");
	assert_string_equal(text_of("comment"), "");
	assert_int_equal(lines_of("times"), 2);
}

static void somebody_else_was_faster(void **state)
{
	(void)state;
	both_nodes();
	fixture_file(&x, "rival", "");
	assert_result(0, COMMENT_LATER);
	assert_string_equal(text_of("comment"), "rival");
	assert_result(0, COMMENT_KEPT);
}

/* Only shared_user's files count, whatever their names say. */
static void forged_records(void **state)
{
	char from[256], to[256];

	(void)state;
	p.owner = geteuid() + 1;
	both_nodes();
	assert_result(600, COMMENT_NOTHING);
	p.owner = geteuid();
	snprintf(from, sizeof(from), "%s/n2.json", x.dir);
	snprintf(to, sizeof(to), "%s/jobs/7.0/n2.json", shared);
	assert_int_equal(rename(to, from), 0);
	assert_int_equal(symlink(from, to), 0);
	assert_result(600, COMMENT_DONE);
	assert_int_equal(reported(), 1);
	unlink(to);
	assert_int_equal(mkfifo(to, 0600), 0);
	fixture_file(&x, "comment", "");
	assert_result(600, COMMENT_DONE);
	unlink(to);
	fixture_file(&x, "shared/jobs/7.0/n2.json", "{\"schema\": 1");
	fixture_file(&x, "comment", "");
	assert_result(600, COMMENT_DONE);
	/* One that says that it is of another run. */
	node_record(5, "n2", "completed", START);
	snprintf(from, sizeof(from), "%s/jobs/7.5/n2.json", shared);
	assert_int_equal(rename(from, to), 0);
	snprintf(from, sizeof(from), "%s/jobs/7.5", shared);
	assert_int_equal(rmdir(from), 0);
	fixture_file(&x, "comment", "");
	assert_result(600, COMMENT_DONE);
	assert_int_equal(reported(), 1);
}

static void no_directory_to_read(void **state)
{
	(void)state;
	p.shared_dir = "/nonexistent/shared";
	assert_result(600, COMMENT_LATER);
	assert_why("/nonexistent/shared/jobs");
}

/* ---- the queue ---------------------------------------------------------------- */

static void queue_of(struct queue *q, const uint32_t *jobs, int n)
{
	char path[256];
	int i;

	snprintf(path, sizeof(path), "%s/queue", x.dir);
	assert_int_equal(queue_open(q, path, &e), 0);
	assert_true(queue_lock(q));
	for (i = 0; i < n; i++)
		assert_int_equal(queue_add(q, jobs[i], &e), 0);
}

/* Each with its own job's row: the script has one only, so one job again. */
static void at_the_pace_that_is_set(void **state)
{
	static const uint32_t jobs[] = { 7 };
	struct queue q;
	int64_t began;
	int i;

	(void)state;
	both_nodes();
	p.gap_ms = 300;
	queue_of(&q, jobs, 1);
	began = clock_mono_ms();
	for (i = 0; i < 3; i++) {
		fixture_file(&x, "comment", "");
		queue_add(&q, 7, &e);
		assert_int_equal(comment_run(&p, &q, false), 0);
	}
	assert_int_equal(lines_of("times"), 3);
	assert_true(clock_mono_ms() - began >= 2 * p.gap_ms);
	assert_false(queue_has(&q, 7));
	queue_close(&q);
}

static void what_waits_stays(void **state)
{
	static const uint32_t jobs[] = { 7, 8 };
	struct queue q;

	(void)state;
	both_nodes();
	queue_of(&q, jobs, 2);
	assert_int_equal(comment_run(&p, &q, false), 1);
	assert_false(queue_has(&q, 7));
	assert_true(queue_has(&q, 8));
	queue_close(&q);
}

static void one_that_stays_waits_for_it(void **state)
{
	static const uint32_t jobs[] = { 7 };
	struct queue q;
	pid_t pid;

	(void)state;
	node_record(0, "n1", "completed", START);
	queue_of(&q, jobs, 1);
	pid = fork();
	if (!pid) {
		clock_sleep_ms(500);
		node_record(0, "n2", "completed", START);
		_exit(0);
	}
	assert_int_equal(comment_run(&p, &q, true), 0);
	assert_false(queue_has(&q, 7));
	assert_int_equal(reported(), 2);
	queue_close(&q);
}

static void none_is_lost_while_it_is_down(void **state)
{
	static const uint32_t jobs[] = { 7, 8, 9 };
	struct queue q;

	(void)state;
	both_nodes();
	fixture_file(&x, "down", "");
	queue_of(&q, jobs, 3);
	assert_int_equal(comment_run(&p, &q, false), -1);
	assert_true(queue_has(&q, 7) && queue_has(&q, 8) && queue_has(&q, 9));
	assert_false(queue_is_paused(&q, clock_wall_s()));
	fixture_unlink(&x, "down");
	assert_int_equal(comment_run(&p, &q, false), 2);
	assert_false(queue_has(&q, 7));
	queue_close(&q);
}

static void a_writer_that_spoils_stops(void **state)
{
	static const uint32_t jobs[] = { 7, 8 };
	struct queue q;

	(void)state;
	both_nodes();
	fixture_file(&x, "small", "");
	queue_of(&q, jobs, 2);
	assert_int_equal(comment_run(&p, &q, true), -1);
	assert_true(queue_has(&q, 7));
	assert_true(queue_is_paused(&q, clock_wall_s()));
	queue_close(&q);
}

static void a_day_is_enough(void **state)
{
	static const uint32_t jobs[] = { 7, 8 };
	struct timespec t[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct queue q;

	(void)state;
	both_nodes();
	accounting_row("7", "7", "RUNNING", "2026-07-01T10:00:00");
	queue_of(&q, jobs, 1);
	assert_int_equal(comment_run(&p, &q, false), 1);
	assert_int_equal(utimensat(q.dir, "7", t, 0), 0);
	assert_int_equal(comment_run(&p, &q, false), 0);
	assert_false(queue_has(&q, 7));
	queue_close(&q);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_finished_job_gets_its_comment),
		TEST(a_task_goes_by_the_arrays_name),
		TEST(a_task_is_asked_for_alone),
		TEST(nodes_are_waited_for),
		TEST(a_running_record_is_waited_for),
		TEST(nobody_told),
		TEST(short_jobs),
		TEST(comments_of_others_stay),
		TEST(a_comment_of_jobstats_stays),
		TEST(the_accounting_is_late),
		TEST(the_last_run_counts),
		TEST(the_last_run_told_nothing),
		TEST(an_own_comment_of_an_earlier_run),
		TEST(an_accounting_that_is_down),
		TEST(small_letters_are_no_comment),
		TEST(somebody_else_was_faster),
		TEST(forged_records),
		TEST(no_directory_to_read),
		TEST(at_the_pace_that_is_set),
		TEST(what_waits_stays),
		TEST(one_that_stays_waits_for_it),
		TEST(none_is_lost_while_it_is_down),
		TEST(a_writer_that_spoils_stops),
		TEST(a_day_is_enough),
	};

	return cmocka_run_group_tests_name("comment", tests, utc, NULL);
}
