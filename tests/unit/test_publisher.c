/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/publisher.h"

#include <errno.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "epilog/spool.h"
#include "lib/clock.h"
#include "tests/unit/unit.h"

#include "tests/unit/tmpdir.h"

static char spool[64], shared[64];
static const char *user;

/* ---- a file system that hangs ---------------------------------------------------- */

static int hung[2] = { -1, -1 }; /* while its second end is open */
static enum hang { HANG_NOT, HANG_HARD, HANG_FOR_GOOD } hang;

/* Stands before the C library's. For good is what no signal ends: here who
 * stays is a child, which holds what the one that is ended held. */
int mkdirat(int at, const char *name, mode_t mode)
{
	char c;

	if (hang != HANG_NOT && !strcmp(name, "jobs")) {
		if (hang == HANG_FOR_GOOD && fork() > 0)
			pause();
		close(hung[1]);
		if (read(hung[0], &c, 1) < 0 || hang == HANG_FOR_GOOD)
			_exit(1);
	}
	return (int)syscall(SYS_mkdirat, at, name, mode);
}

static void hang_up(enum hang how)
{
	assert_int_equal(pipe2(hung, O_CLOEXEC), 0);
	hang = how;
}

static void go_on(void)
{
	close(hung[0]);
	close(hung[1]);
	hang = HANG_NOT;
}

static bool appears(const char *name)
{
	int i;

	for (i = 0; i < 1000 && !tmpdir_has(name); i++)
		clock_sleep_ms(10);
	return tmpdir_has(name);
}

static int setup(void **state)
{
	const struct passwd *pw;

	if (tmpdir_setup(state))
		return -1;
	snprintf(spool, sizeof(spool), "%s/spool", tmpdir);
	snprintf(shared, sizeof(shared), "%s/shared", tmpdir);
	pw = getpwuid(geteuid() ? geteuid() : 65534);
	user = pw ? strdup(pw->pw_name) : "root";
	return chmod(tmpdir, 0711);
}

static void put(int job, const char *node)
{
	json_t *r = json_pack("{s:s, s:{s:i, s:i, s:s}}", "schema", "assay.job/1",
			      "job", "id", job, "restart", 0, "node", node);

	assert_int_equal(spool_store(spool, r, (uid_t)-1, true, NULL), 0);
	json_decref(r);
}

static void make_shared(void)
{
	assert_int_equal(mkdir(shared, 0700), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(shared, 65534, (gid_t)-1), 0);
}

static struct publisher publisher(int deadline_ms)
{
	return (struct publisher){ .spool = spool,
				   .shared_dir = shared,
				   .shared_user = user,
				   .keep_s = 1000000000,
				   .max_bytes = 1 << 30,
				   .deadline_ms = deadline_ms };
}

static int run(void)
{
	struct publisher p = publisher(5000);

	return publisher_run(&p, 1000);
}

static void what_is_pending_is_shared(void **state)
{
	struct stat st;

	(void)state;
	make_shared();
	put(7, "n1");
	put(8, "gpu-1.site");
	assert_int_equal(run(), 2);
	assert_int_equal(fstatat(tmpdir_fd, "shared/jobs/7.0/n1.json", &st, 0),
			 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	if (geteuid() == 0)
		assert_int_equal(st.st_uid, 65534);
	assert_true(tmpdir_has("shared/jobs/8.0/gpu-1.site.json"));
	assert_false(tmpdir_has("spool/pending/7.0.n1.json"));
	assert_true(tmpdir_has("spool/7.0.n1.json"));
	assert_int_equal(run(), 0);
}

static void without_the_directory_it_stays_pending(void **state)
{
	(void)state;
	put(7, "n1");
	assert_int_equal(run(), 0);
	assert_true(tmpdir_has("spool/pending/7.0.n1.json"));
	make_shared();
	assert_int_equal(run(), 1);
}

static void what_a_killed_one_left_is_taken_up(void **state)
{
	(void)state;
	make_shared();
	put(7, "n1");
	assert_int_equal(renameat(tmpdir_fd, "spool/pending/7.0.n1.json",
				  tmpdir_fd, "spool/pending/.7.0.n1.json.taken"),
			 0);
	assert_int_equal(run(), 1);
	assert_true(tmpdir_has("shared/jobs/7.0/n1.json"));
	assert_false(tmpdir_has("spool/pending/.7.0.n1.json.taken"));
}

static void one_at_a_time(void **state)
{
	int fd;

	(void)state;
	make_shared();
	put(7, "n1");
	fd = openat(tmpdir_fd, "spool/pending", O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(run(), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	close(fd);
	assert_int_equal(run(), 1);
}

/* Root does not write there, so nothing that lies there leads root anywhere. */
static void links_in_the_shared_directory_lead_nowhere(void **state)
{
	(void)state;
	make_shared();
	put(7, "n1");
	assert_int_equal(mkdirat(tmpdir_fd, "victim", 0777), 0);
	assert_int_equal(symlinkat("../victim", tmpdir_fd, "shared/jobs"), 0);
	assert_int_equal(run(), 0);
	assert_false(tmpdir_has("victim/7.0"));
	assert_true(tmpdir_has("spool/pending/7.0.n1.json"));
}

static void what_is_no_record_is_passed_over(void **state)
{
	(void)state;
	make_shared();
	put(7, "n1");
	tmpdir_put("spool/pending/x", "x");
	tmpdir_put("spool/pending/1.json", "x");
	tmpdir_put("spool/pending/.7.0.n2.json.new", "x");
	assert_int_equal(symlinkat("/etc/passwd", tmpdir_fd,
				   "spool/pending/9.0.n1.json"),
			 0);
	assert_int_equal(run(), 1);
	assert_false(tmpdir_has("shared/jobs/9.0"));
}

/* ---- while it hangs --------------------------------------------------------------- */

/* A publisher in another process, as another Epilog left it. */
static pid_t start_another(void)
{
	struct publisher p = publisher(60000);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		close(hung[1]);
		_exit(publisher_run(&p, 1000) > 0 ? 0 : 1);
	}
	return pid;
}

static void while_one_hangs_no_other_is_sent_there(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	make_shared();
	put(7, "n1");
	hang_up(HANG_HARD);
	pid = start_another();
	assert_true(appears("spool/pending/.7.0.n1.json.taken"));
	put(8, "n1");
	assert_int_equal(run(), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	assert_true(tmpdir_has("spool/pending/8.0.n1.json"));
	assert_false(tmpdir_has("shared/jobs"));
	go_on();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(tmpdir_has("shared/jobs/7.0/n1.json"));
	/* Who was turned away left its record to the one who was there. */
	assert_true(tmpdir_has("shared/jobs/8.0/n1.json"));
}

static void its_deadline_leaves_the_record_pending(void **state)
{
	struct publisher p = publisher(100);

	(void)state;
	make_shared();
	put(7, "n1");
	hang_up(HANG_HARD);
	assert_int_equal(publisher_run(&p, 1000), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_true(tmpdir_has("spool/pending/7.0.n1.json"));
	go_on();
	assert_int_equal(run(), 1);
	assert_true(tmpdir_has("shared/jobs/7.0/n1.json"));
}

static void who_cannot_be_ended_stays_alone(void **state)
{
	struct publisher p = publisher(100);
	int i, n = -1;

	(void)state;
	make_shared();
	put(7, "n1");
	hang_up(HANG_FOR_GOOD);
	assert_int_equal(publisher_run(&p, 1000), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_true(tmpdir_has("spool/pending/7.0.n1.json"));
	hang = HANG_NOT;
	assert_int_equal(run(), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	go_on();
	for (i = 0; i < 1000 && n < 0; i++) {
		clock_sleep_ms(10);
		n = run();
	}
	assert_int_equal(n, 1);
	assert_true(tmpdir_has("shared/jobs/7.0/n1.json"));
}

/* ---- what is kept ------------------------------------------------------------------ */

static void the_spool_is_pruned_once_an_hour(void **state)
{
	struct publisher p = { .spool = spool,
			       .shared_dir = "",
			       .shared_user = user,
			       .keep_s = 10,
			       .max_bytes = 1 << 30,
			       .deadline_ms = 5000 };
	int64_t now = time(NULL);

	(void)state;
	put(7, "n1");
	assert_int_equal(publisher_run(&p, now + 20), 0);
	assert_false(tmpdir_has("spool/7.0.n1.json"));
	put(7, "n1");
	assert_int_equal(publisher_run(&p, now + 30), 0);
	assert_true(tmpdir_has("spool/7.0.n1.json"));
	assert_int_equal(publisher_run(&p, now + 4000), 0);
	assert_false(tmpdir_has("spool/7.0.n1.json"));
}

static void nor_does_it_grow_while_another_hangs(void **state)
{
	struct publisher p = publisher(5000);
	int fd;

	(void)state;
	p.keep_s = 10;
	put(7, "n1");
	fd = openat(tmpdir_fd, "spool/pending", O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(publisher_run(&p, time(NULL) + 20), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	assert_false(tmpdir_has("spool/7.0.n1.json"));
	close(fd);
}

static void date(const char *name, int64_t age_s)
{
	struct timespec t[2] = { { .tv_sec = time(NULL) - age_s } };

	t[1] = t[0];
	assert_int_equal(utimensat(tmpdir_fd, name, t, 0), 0);
}

/* As the shared user, or nothing could be removed: shared.h. */
static void the_shared_directory_is_pruned_too(void **state)
{
	struct publisher p = publisher(5000);

	(void)state;
	make_shared();
	put(7, "n1");
	put(8, "n1");
	p.keep_s = 1000;
	assert_int_equal(publisher_run(&p, time(NULL)), 2);
	assert_true(tmpdir_has("shared/jobs/.pruned"));
	date("shared/jobs/.pruned", 2 * 86400);
	date("shared/jobs/7.0", 1060);
	date("shared/jobs/8.0", 940);
	assert_int_equal(publisher_run(&p, time(NULL)), 0);
	assert_true(tmpdir_has("shared/jobs/7.0")); /* not before the hour */
	date("spool/.pruned", 3660);
	assert_int_equal(publisher_run(&p, time(NULL)), 0);
	assert_false(tmpdir_has("shared/jobs/7.0"));
	assert_true(tmpdir_has("shared/jobs/8.0/n1.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_is_pending_is_shared, tmpdir_clean),
		cmocka_unit_test_teardown(without_the_directory_it_stays_pending,
					  tmpdir_clean),
		cmocka_unit_test_teardown(what_a_killed_one_left_is_taken_up,
					  tmpdir_clean),
		cmocka_unit_test_teardown(one_at_a_time, tmpdir_clean),
		cmocka_unit_test_teardown(
			links_in_the_shared_directory_lead_nowhere, tmpdir_clean),
		cmocka_unit_test_teardown(what_is_no_record_is_passed_over,
					  tmpdir_clean),
		cmocka_unit_test_teardown(while_one_hangs_no_other_is_sent_there,
					  tmpdir_clean),
		cmocka_unit_test_teardown(its_deadline_leaves_the_record_pending,
					  tmpdir_clean),
		cmocka_unit_test_teardown(who_cannot_be_ended_stays_alone,
					  tmpdir_clean),
		cmocka_unit_test_teardown(the_spool_is_pruned_once_an_hour,
					  tmpdir_clean),
		cmocka_unit_test_teardown(nor_does_it_grow_while_another_hangs,
					  tmpdir_clean),
		cmocka_unit_test_teardown(the_shared_directory_is_pruned_too,
					  tmpdir_clean),
	};

	return cmocka_run_group_tests(tests, setup, tmpdir_teardown);
}
