/* SPDX-License-Identifier: Apache-2.0
 * What lies in a shared directory: how it gets there, how long it stays. */
#include "config.h"
#include "epilog/shared.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <sys/file.h>
#include <time.h>

#include "epilog/records.h"
#include "lib/jsonfile.h"
#include "tests/unit/unit.h"

#include "tests/unit/tmpdir.h"

#define DAY 86400
#define KEEP (90 * DAY)
#define STAMP "jobs/.pruned"

static struct shared_pruning how;

static int setup_each(void **state)
{
	(void)state;
	how = (struct shared_pruning){ .shared_dir = tmpdir,
				       .keep_s = KEEP,
				       .budget_ms = 60000,
				       .most = 1000 };
	return 0;
}

/* ---- putting it there ----------------------------------------------------------- */

#define JOB "\"job\":{\"id\":7,\"restart\":0,\"node\":\"n1\"}"
#define SERIES "{\"gpu\":[{\"index\":0,\"t\":[1,2]}]}"

static int put_record(const char *name, const char *text)
{
	struct shared_text t = { name, text, strlen(text) };

	return shared_put(tmpdir, &t);
}

static void assert_holds(const char *name, const char *want)
{
	json_t *doc = jsonfile_read(tmpdir_fd, name);
	char *text = json_dumps(doc, JSON_COMPACT);

	assert_string_equal(text, want);
	free(text);
	json_decref(doc);
}

static void series_lie_beside_the_record(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(put_record("7.0.n1.json", "{" JOB ",\"series\":" SERIES
						   ",\"events\":[]}"),
			 0);
	assert_holds("jobs/7.0/n1.json", "{" JOB ",\"events\":[]}");
	assert_holds("jobs/7.0/n1.series", "{\"schema\":\"assay.series/1\"," JOB
					   ",\"series\":" SERIES "}");
	assert_int_equal(fstatat(tmpdir_fd, "jobs/7.0/n1.series", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void without_a_sample_there_are_none(void **state)
{
	(void)state;
	assert_int_equal(
		put_record("7.0.n1.json", "{" JOB ",\"series\":{\"gpu\":[]}}"),
		0);
	assert_int_equal(put_record("7.0.n2.json", "{" JOB "}"), 0);
	assert_holds("jobs/7.0/n1.json", "{" JOB "}");
	assert_holds("jobs/7.0/n2.json", "{" JOB "}");
	assert_false(tmpdir_has("jobs/7.0/n1.series"));
	assert_false(tmpdir_has("jobs/7.0/n2.series"));
}

static void what_is_no_record_is_refused(void **state)
{
	(void)state;
	assert_int_equal(put_record("7.0.n1.json", "{\"job"), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(put_record("7.0.n1.txt", "{}"), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(put_record("7.x.n1.json", "{}"), -1);
	assert_int_equal(errno, EINVAL);
	assert_false(tmpdir_has("jobs"));
}

/* ---- and giving it back --------------------------------------------------------- */

static json_t *with_series(const char *node)
{
	json_t *nodes = json_pack("[{s:{s:i, s:i, s:s}}]", "job", "id", 7,
				  "restart", 0, "node", node);

	records_add_series(tmpdir, geteuid(), nodes);
	return nodes;
}

static int has_series(const char *node)
{
	json_t *nodes = with_series(node);
	int has = json_object_get(json_array_get(nodes, 0), "series") != NULL;

	json_decref(nodes);
	return has;
}

static void a_page_finds_the_series(void **state)
{
	json_t *nodes, *series;

	(void)state;
	put_record("7.0.n1.json", "{" JOB ",\"series\":" SERIES "}");
	nodes = with_series("n1");
	series = json_loads(SERIES, 0, NULL);
	assert_true(json_equal(
		json_object_get(json_array_get(nodes, 0), "series"), series));
	json_decref(series);
	json_decref(nodes);
	assert_false(has_series("n2"));
}

static void of_another_job_or_owner_or_place_they_are_not_believed(void **state)
{
	(void)state;
	put_record("7.0.n1.json", "{" JOB ",\"series\":" SERIES "}");
	put_record("7.0.n2.json", "{\"job\":{\"id\":8},\"series\":" SERIES "}");
	assert_false(has_series("n2"));
	tmpdir_put("jobs/7.0/n3.series", "{\"schema\":\"assay.job/1\"," JOB
					 ",\"series\":" SERIES "}");
	assert_false(has_series("n3"));
	tmpdir_put("n4.series", "{\"schema\":\"assay.series/1\"," JOB
				",\"series\":" SERIES "}");
	assert_int_equal(
		symlinkat("../../n4.series", tmpdir_fd, "jobs/7.0/n4.series"), 0);
	assert_int_equal(mkfifoat(tmpdir_fd, "jobs/7.0/n5.series", 0600), 0);
	assert_false(has_series("n4"));
	assert_false(has_series("n5"));
	assert_false(has_series("../../n4"));
	assert_true(has_series("n1"));
}

/* ---- how long ------------------------------------------------------------------- */

static void date(const char *name, int64_t age_s)
{
	struct timespec t[2] = { { .tv_sec = time(NULL) - age_s } };

	t[1] = t[0];
	assert_int_equal(utimensat(tmpdir_fd, name, t, AT_SYMLINK_NOFOLLOW), 0);
}

/* A run of one node that told of it so long ago. */
static void put_run(const char *name, int64_t age_s)
{
	char path[100];

	mkdirat(tmpdir_fd, "jobs", 0755);
	snprintf(path, sizeof(path), "jobs/%s", name);
	assert_int_equal(mkdirat(tmpdir_fd, path, 0750), 0);
	snprintf(path, sizeof(path), "jobs/%s/n1.json", name);
	tmpdir_put(path, "{}");
	snprintf(path, sizeof(path), "jobs/%s/n1.series", name);
	tmpdir_put(path, "{}");
	snprintf(path, sizeof(path), "jobs/%s", name);
	date(path, age_s);
}

/* When it was pruned last; text: where to go on. */
static void put_stamp(int64_t age_s, const char *text)
{
	tmpdir_put(STAMP, text);
	date(STAMP, age_s);
}

static int64_t stamp_age(void)
{
	struct stat st;

	assert_int_equal(fstatat(tmpdir_fd, STAMP, &st, 0), 0);
	return time(NULL) - st.st_mtime;
}

static int prune(void)
{
	return shared_prune(&how, time(NULL));
}

static void old_runs_go_and_young_ones_stay(void **state)
{
	(void)state;
	put_run("7.0", KEEP + 60);
	put_run("7.1", KEEP - 60);
	put_run("8.0", 0);
	tmpdir_put("jobs/7.0/.n2.json.new", "torn");
	date("jobs/7.0", KEEP + 60);
	date("jobs/7.1/n1.json", KEEP + 60); /* the directory tells */
	put_stamp(2 * DAY, "");
	assert_int_equal(prune(), 1);
	assert_false(tmpdir_has("jobs/7.0"));
	assert_true(tmpdir_has("jobs/7.1/n1.json"));
	assert_true(tmpdir_has("jobs/8.0/n1.series"));
}

/* Each record that comes makes the directory young, as each five minutes does
 * while a job runs. */
static void a_job_that_still_runs_stays(void **state)
{
	(void)state;
	put_run("7.0", KEEP + 60);
	assert_int_equal(put_record("7.0.n1.json", "{" JOB "}"), 0);
	put_stamp(2 * DAY, "");
	assert_int_equal(prune(), 0);
	assert_true(tmpdir_has("jobs/7.0/n1.json"));
}

static void once_a_day_for_all_nodes(void **state)
{
	(void)state;
	put_run("7.0", KEEP + 60);
	assert_int_equal(prune(), 0); /* who comes first sets the clock */
	assert_true(tmpdir_has("jobs/7.0"));
	put_stamp(DAY - 60, "");
	assert_int_equal(prune(), 0);
	assert_true(tmpdir_has("jobs/7.0"));
	put_stamp(DAY + 60, "");
	assert_int_equal(prune(), 1);
	assert_true(stamp_age() < DAY / 2);
}

static void one_at_a_time(void **state)
{
	int fd;

	(void)state;
	put_run("7.0", KEEP + 60);
	put_stamp(2 * DAY, "");
	fd = openat(tmpdir_fd, STAMP, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(prune(), 0);
	assert_true(tmpdir_has("jobs/7.0"));
	assert_true(stamp_age() > DAY);
	close(fd);
	assert_int_equal(prune(), 1);
}

static void put_runs(int n, int64_t age_s)
{
	char name[16];

	while (n--) {
		snprintf(name, sizeof(name), "%d.0", 100 + n);
		put_run(name, age_s);
	}
}

/* The run that a walk meets last. */
static void last_run(char path[300])
{
	DIR *dir = opendir(tmpdir_path("jobs"));
	struct dirent *d;

	assert_non_null(dir);
	while ((d = readdir(dir)))
		if (d->d_name[0] != '.')
			snprintf(path, 300, "jobs/%s", d->d_name);
	closedir(dir);
}

/* Times it takes to remove so many, an hour between each and the next. */
static int passes_until(int removed)
{
	int n;

	for (n = 0; removed > 0 && n < 20; n++) {
		removed -= prune();
		assert_int_equal(prune(), 0); /* not before the hour */
		date(STAMP, SHARED_PRUNE_MORE_S + 60);
	}
	return n;
}

/* A pass that came to no end goes on where it was, an hour later. */
static void passes_are_bounded_and_go_on(void **state)
{
	char path[300] = "";

	(void)state;
	put_runs(10, 0);
	put_stamp(2 * DAY, "");
	last_run(path);
	date(path, KEEP + 60);
	how.most = 3;
	assert_in_range(passes_until(1), 2, 19);
	assert_false(tmpdir_has(path));
}

static void a_pass_that_saw_all_was_the_last_of_the_day(void **state)
{
	(void)state;
	put_runs(2, KEEP + 60);
	put_stamp(2 * DAY, "");
	assert_int_equal(prune(), 2);
	put_run("7.0", KEEP + 60);
	date(STAMP, SHARED_PRUNE_MORE_S + 60);
	assert_int_equal(prune(), 0);
	date(STAMP, DAY + 60);
	assert_int_equal(prune(), 1);
}

static void its_time_is_bounded(void **state)
{
	(void)state;
	put_runs(20, KEEP + 60);
	how.budget_ms = 0;
	put_stamp(2 * DAY, "");
	assert_in_range(prune(), 0, 1);
	how.budget_ms = 60000;
	assert_in_range(passes_until(19), 1, 19);
}

/* ---- whose clock ---------------------------------------------------------------- */

static void a_node_with_a_wrong_clock_removes_nothing(void **state)
{
	(void)state;
	put_run("7.0", KEEP - DAY);
	put_stamp(2 * DAY, "");
	/* Its own says 2106, the file system's is right. */
	assert_int_equal(shared_prune(&how, UINT32_MAX), 0);
	assert_true(tmpdir_has("jobs/7.0"));
	/* The file system asks the node what time it is. */
	put_run("8.0", KEEP + DAY);
	put_stamp(KEEP + DAY, "");
	assert_int_equal(prune(), 0);
	assert_true(tmpdir_has("jobs/8.0"));
	assert_true(stamp_age() < DAY);
}

static void a_stamp_from_the_future_holds_nobody_up(void **state)
{
	(void)state;
	put_run("7.0", KEEP + 60);
	put_stamp(-1000 * DAY, "");
	assert_int_equal(prune(), 1);
	assert_true(stamp_age() >= 0);
}

/* ---- tricks --------------------------------------------------------------------- */

static void links_are_not_followed(void **state)
{
	(void)state;
	put_run("8.0", KEEP + 60);
	assert_int_equal(renameat(tmpdir_fd, "jobs/8.0", tmpdir_fd, "victim"), 0);
	date("victim", KEEP + 60);
	assert_int_equal(symlinkat("../victim", tmpdir_fd, "jobs/7.0"), 0);
	date("jobs/7.0", KEEP + 60);
	tmpdir_put("precious", "x");
	put_run("9.0", 0);
	assert_int_equal(
		symlinkat("../../precious", tmpdir_fd, "jobs/9.0/n2.json"), 0);
	date("jobs/9.0", KEEP + 60);
	put_stamp(2 * DAY, "");
	assert_int_equal(prune(), 0);
	assert_true(tmpdir_has("victim/n1.json"));
	assert_true(tmpdir_has("jobs/7.0"));
	assert_true(tmpdir_has("precious"));
	assert_true(tmpdir_has("jobs/9.0/n2.json"));
	assert_false(tmpdir_has("jobs/9.0/n1.json"));
}

static void what_is_no_run_stays(void **state)
{
	static const char *const names[] = { "x",    "7",	    "7.0.old",
					     "07.0", "7.00",	    ".7.0",
					     "-7.0", "4294967296.0" };
	char path[32];
	size_t i;

	(void)state;
	put_run("7.0", KEEP + 60);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put_run(names[i], KEEP + 60);
	assert_int_equal(mkfifoat(tmpdir_fd, "jobs/8.0", 0600), 0);
	date("jobs/8.0", KEEP + 60);
	tmpdir_put("jobs/9.0", "a file");
	date("jobs/9.0", KEEP + 60);
	put_stamp(2 * DAY, "");
	assert_int_equal(prune(), 1);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "jobs/%s/n1.json", names[i]);
		assert_true(tmpdir_has(path));
	}
	assert_true(tmpdir_has("jobs/8.0"));
	assert_true(tmpdir_has("jobs/9.0"));
}

static void what_others_left_in_a_run_stays(void **state)
{
	(void)state;
	put_run("7.0", 0);
	tmpdir_put("jobs/7.0/notes", "mine");
	assert_int_equal(mkdirat(tmpdir_fd, "jobs/7.0/sub.json", 0700), 0);
	tmpdir_put("jobs/7.0/sub.json/n1.json", "mine");
	assert_int_equal(mkfifoat(tmpdir_fd, "jobs/7.0/n2.json", 0600), 0);
	date("jobs/7.0", KEEP + 60);
	put_stamp(2 * DAY, "");
	assert_int_equal(prune(), 0);
	assert_false(tmpdir_has("jobs/7.0/n1.json"));
	assert_true(tmpdir_has("jobs/7.0/notes"));
	assert_true(tmpdir_has("jobs/7.0/sub.json/n1.json"));
	assert_true(tmpdir_has("jobs/7.0/n2.json"));
}

static void what_is_anothers_stays(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	put_run("7.0", KEEP + 60);
	assert_int_equal(fchownat(tmpdir_fd, "jobs/7.0", 65534, -1, 0), 0);
	put_run("8.0", 0);
	tmpdir_put("jobs/8.0/n2.json", "another's");
	assert_int_equal(fchownat(tmpdir_fd, "jobs/8.0/n2.json", 65534, -1, 0),
			 0);
	date("jobs/8.0", KEEP + 60);
	put_stamp(2 * DAY, "");
	assert_int_equal(prune(), 0);
	assert_true(tmpdir_has("jobs/7.0/n1.json"));
	assert_true(tmpdir_has("jobs/8.0/n2.json"));
	assert_false(tmpdir_has("jobs/8.0/n1.json"));
}

/* It must neither hang nor write into what the stamp is instead. */
static void a_forged_stamp_is_left_alone(void **state)
{
	struct stat st;

	(void)state;
	put_run("7.0", KEEP + 60);
	tmpdir_put("precious", "text");
	assert_int_equal(symlinkat("../precious", tmpdir_fd, STAMP), 0);
	assert_int_equal(prune(), -1);
	assert_int_equal(errno, ELOOP);
	assert_int_equal(fstatat(tmpdir_fd, "precious", &st, 0), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(unlinkat(tmpdir_fd, STAMP, 0), 0);
	assert_int_equal(mkfifoat(tmpdir_fd, STAMP, 0600), 0);
	assert_int_equal(prune(), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(unlinkat(tmpdir_fd, STAMP, 0), 0);
	assert_true(tmpdir_has("jobs/7.0/n1.json"));
	put_stamp(2 * DAY, "-99999999999999999999999 or so");
	assert_true(prune() >= 0);
	date(STAMP, 2 * DAY);
	assert_true(prune() >= 0);
	assert_false(tmpdir_has("jobs/7.0"));
}

static void nor_are_links_as_the_directory(void **state)
{
	(void)state;
	put_run("7.0", KEEP + 60);
	put_stamp(2 * DAY, "");
	assert_int_equal(renameat(tmpdir_fd, "jobs", tmpdir_fd, "victim"), 0);
	assert_int_equal(symlinkat("victim", tmpdir_fd, "jobs"), 0);
	assert_int_equal(prune(), -1);
	assert_true(tmpdir_has("victim/7.0/n1.json"));
}

#define EACH(test) \
	cmocka_unit_test_setup_teardown(test, setup_each, tmpdir_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(series_lie_beside_the_record),
		EACH(without_a_sample_there_are_none),
		EACH(what_is_no_record_is_refused),
		EACH(a_page_finds_the_series),
		EACH(of_another_job_or_owner_or_place_they_are_not_believed),
		EACH(old_runs_go_and_young_ones_stay),
		EACH(a_job_that_still_runs_stays),
		EACH(once_a_day_for_all_nodes),
		EACH(one_at_a_time),
		EACH(passes_are_bounded_and_go_on),
		EACH(a_pass_that_saw_all_was_the_last_of_the_day),
		EACH(its_time_is_bounded),
		EACH(a_node_with_a_wrong_clock_removes_nothing),
		EACH(a_stamp_from_the_future_holds_nobody_up),
		EACH(links_are_not_followed),
		EACH(what_is_no_run_stays),
		EACH(what_others_left_in_a_run_stays),
		EACH(what_is_anothers_stays),
		EACH(a_forged_stamp_is_left_alone),
		EACH(nor_are_links_as_the_directory),
	};

	return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
