/* SPDX-License-Identifier: Apache-2.0
 * From a job's records to its comment. */
#include "config.h"
#include "tests/unit/comments.h"

#include "epilog/js1_private.h"

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

/* All tasks' comments are too much: only the task's own is asked for. */
static void an_array_says_too_much(void **state)
{
	(void)state;
	both_nodes();
	fixture_file(&x, "array7", "6|7_1\n7|7_[3-9]\n7|7_2\n");
	accounting_row("7", "7_2", "COMPLETED", "2026-07-01T10:00:00");
	assert_result(0, COMMENT_DONE);
	assert_non_null(strstr(text_of("calls"), " jobid=7_2 cluster=lab "));
	fixture_file(&x, "comment", "");
	fixture_file(&x, "array7", "6|7_1\n7|7_[3-9]\n");
	assert_result(0, COMMENT_LATER);
	assert_why("too much");
	assert_string_equal(text_of("comment"), "");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_finished_job_gets_its_comment),
		TEST(a_task_goes_by_the_arrays_name),
		TEST(a_task_is_asked_for_alone),
		TEST(an_array_says_too_much),
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
	};

	return cmocka_run_group_tests_name("comment", tests, utc, NULL);
}
