/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/state.h"
#include "lib/fdio.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char top[] = "/tmp/test_state.XXXXXX";
static char dir[64];
static struct err e;

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return -1;
	snprintf(dir, sizeof(dir), "%s/assay", top);
	return 0;
}

static int clean(void **state)
{
	char cmd[100];

	(void)state;
	memset(&e, 0, sizeof(e));
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

static int teardown(void **state)
{
	clean(state);
	return rmdir(top);
}

static void open_state(struct state *s)
{
	assert_int_equal(state_open(s, dir, &e), 0);
	assert_false(s->readonly);
}

static void put_file(struct state *s, const char *name, const void *text,
		     size_t len)
{
	int fd = openat(s->dir, name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fdio_write(fd, text, len), 0);
	close(fd);
}

static void has_file(struct state *s, const char *name, const char *text)
{
	char buf[256] = "";
	int fd = openat(s->dir, name, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(fdio_read(fd, buf, sizeof(buf) - 1) >= 0);
	close(fd);
	assert_string_equal(buf, text);
}

static bool exists(struct state *s, const char *name)
{
	return faccessat(s->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int put_n(struct state *s, const char *name, int n)
{
	json_t *obj = json_pack("{s:i}", "n", n);
	int rc = state_put(s, name, obj, &e);
	int saved = errno;

	json_decref(obj);
	errno = saved;
	return rc;
}

/* The document's n; -1: it reads as empty. */
static int get_n(struct state *s, const char *name)
{
	json_t *obj = state_get(s, name);
	int n = json_object_size(obj) ?
			(int)json_integer_value(json_object_get(obj, "n")) :
			-1;

	assert_true(json_is_object(obj));
	json_decref(obj);
	return n;
}

static void put_and_get(void **state)
{
	struct state s;
	struct stat st;

	(void)state;
	open_state(&s);
	assert_int_equal(fstat(s.dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0711);
	assert_int_equal(get_n(&s, "drains"), -1);
	assert_int_equal(put_n(&s, "drains", 7), 0);
	has_file(&s, "drains.json",
		 "{\n \"schema\": \"assay.state.drains/1\",\n \"n\": 7\n}");
	assert_int_equal(fstatat(s.dir, "drains.json", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(get_n(&s, "drains"), 7);
	assert_int_equal(put_n(&s, "drains", 8), 0);
	assert_int_equal(get_n(&s, "drains"), 8);
	assert_false(exists(&s, ".drains.json.new"));
	assert_string_equal(s.complaint.text, "");
	assert_false(s.unread);
	state_close(&s);
	state_close(&s);
}

static void a_document_can_be_put_back(void **state)
{
	struct state s;
	json_t *obj;

	(void)state;
	open_state(&s);
	put_n(&s, "a", 1);
	obj = state_get(&s, "a");
	json_object_set_new(obj, "n", json_integer(2));
	assert_int_equal(state_put(&s, "a", obj, &e), 0);
	json_decref(obj);
	assert_int_equal(get_n(&s, "a"), 2);
	state_close(&s);
}

static void names_stay_in_the_directory(void **state)
{
	struct state s;

	(void)state;
	open_state(&s);
	assert_int_equal(put_n(&s, "../a", 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(put_n(&s, "", 1), -1);
	assert_int_equal(put_n(&s, "A", 1), -1);
	assert_int_equal(get_n(&s, "../a"), -1);
	state_close(&s);
}

/* What is in a.json is no document: set aside, and the next one is kept. */
static void is_bad(const void *text, size_t len)
{
	struct state s;

	assert_int_equal(clean(NULL), 0);
	open_state(&s);
	put_file(&s, "a.json", text, len);
	assert_int_equal(get_n(&s, "a"), -1);
	assert_string_equal(s.complaint.text,
			    "state: a.json cannot be read; kept as .bad");
	assert_true(exists(&s, "a.json.bad"));
	assert_false(exists(&s, "a.json"));
	assert_int_equal(put_n(&s, "a", 3), 0);
	assert_int_equal(get_n(&s, "a"), 3);
	assert_true(exists(&s, "a.json.bad"));
	state_close(&s);
}

static void is_bad_text(const char *text)
{
	is_bad(text, strlen(text));
}

static void what_is_no_document(void **state)
{
	static char deep[100000];

	(void)state;
	is_bad_text("");
	is_bad_text("{\"schema\": \"assay.state.a/1\", \"n\": ");
	is_bad_text("[1]");
	is_bad_text("{\"n\": 1}");
	is_bad_text("{\"schema\": \"assay.state.b/1\"}");
	is_bad_text("{\"schema\": \"assay.state.a/0\"}");
	is_bad_text("{\"schema\": \"assay.state.a/1x\"}");
	is_bad_text("{\"schema\": \"assay.state.a/-1\"}");
	is_bad_text("{\"schema\": 1}");
	is_bad_text("{\"schema\": \"assay.state.a/1\", \"n\": \"\xff\"}");
	is_bad("{\"schema\": \"assay.state.a/1\"}\0", 30);
	is_bad("\x7f" "ELF\0\0\0", 7);
	memset(deep, '[', sizeof(deep));
	is_bad(deep, sizeof(deep));
}

static void links_and_fifos_are_bad(void **state)
{
	struct state s;

	(void)state;
	open_state(&s);
	put_file(&s, "other", "{\"schema\": \"assay.state.b/1\"}", 29);
	assert_int_equal(symlinkat("other", s.dir, "b.json"), 0);
	assert_int_equal(get_n(&s, "b"), -1);
	assert_true(exists(&s, "b.json.bad"));
	assert_true(exists(&s, "other"));
	assert_int_equal(mkfifoat(s.dir, "c.json", 0600), 0);
	assert_int_equal(get_n(&s, "c"), -1);
	assert_true(exists(&s, "c.json.bad"));
	state_close(&s);
}

static void over_4_mib(void **state)
{
	struct state s;
	char *big = malloc(4 * 1024 * 1024 + 1);
	json_t *obj;

	(void)state;
	memset(big, 'x', 4 * 1024 * 1024);
	big[4 * 1024 * 1024] = '\0';
	open_state(&s);
	put_n(&s, "a", 1);
	obj = json_pack("{s:s}", "big", big);
	assert_int_equal(state_put(&s, "a", obj, &e), -1);
	assert_int_equal(errno, EFBIG);
	assert_string_equal(e.text, "write state a: File too large");
	json_decref(obj);
	assert_int_equal(get_n(&s, "a"), 1);
	put_file(&s, "a.json", big, 4 * 1024 * 1024 + 1);
	assert_int_equal(get_n(&s, "a"), -1);
	assert_true(exists(&s, "a.json.bad"));
	free(big);
	state_close(&s);
}

static void the_first_bad_one_is_kept(void **state)
{
	struct state s;

	(void)state;
	open_state(&s);
	put_file(&s, "a.json", "first", 5);
	assert_int_equal(get_n(&s, "a"), -1);
	put_file(&s, "a.json", "second", 6);
	assert_int_equal(put_n(&s, "a", 1), 0);
	has_file(&s, "a.json.bad", "first");
	assert_int_equal(get_n(&s, "a"), 1);
	state_close(&s);
}

static void newer_is_left_alone(void **state)
{
	static const char text[] = "{\"schema\": \"assay.state.a/2\", \"n\": 5}";
	struct state s;

	(void)state;
	open_state(&s);
	put_file(&s, "a.json", text, strlen(text));
	assert_int_equal(get_n(&s, "a"), -1);
	assert_string_equal(s.complaint.text, "state: a.json is of a newer version; left as it is");
	assert_int_equal(put_n(&s, "a", 1), -1);
	assert_int_equal(errno, EROFS);
	has_file(&s, "a.json", text);
	assert_false(exists(&s, "a.json.bad"));
	assert_int_equal(put_n(&s, "b", 1), 0);
	state_close(&s);
}

static void directories_that_are_refused(void **state)
{
	struct state s;
	char link[80], text[160];

	(void)state;
	assert_int_equal(mkdir(dir, 0700), 0);
	chmod(dir, 0770);
	assert_int_equal(state_open(&s, dir, &e), -1);
	assert_int_equal(errno, EPERM);
	snprintf(text, sizeof(text),
		 "%s may be written by others (mode 0770)", dir);
	assert_string_equal(e.text, text);
	/* Usable, empty, and nothing is written; "empty" is no answer. */
	assert_true(s.readonly);
	assert_true(s.unread);
	assert_string_equal(s.complaint.text, text);
	assert_int_equal(get_n(&s, "a"), -1);
	assert_int_equal(put_n(&s, "a", 1), -1);
	assert_int_equal(errno, EROFS);
	assert_int_equal(state_lock(&s, 0), -1);
	state_close(&s);
	chmod(dir, 01777);
	assert_int_equal(state_open(&s, dir, &e), -1);
	chmod(dir, 0755);
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(symlink(".", link), 0);
	assert_int_equal(state_open(&s, link, &e), -1);
	assert_int_equal(state_open(&s, "/nosuch/dir", &e), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(e.text, "create /nosuch/dir: No such file or directory");
	if (chown(dir, 12345, (gid_t)-1) == 0) {
		assert_int_equal(state_open(&s, dir, &e), -1);
		assert_int_equal(errno, EPERM);
	}
}

/* In a child: hold the lock until killed; its own child holds only what a
 * fork hands on. Writes the grandchild's pid. */
static pid_t holder(pid_t *grandchild)
{
	struct state s;
	int pipe_fd[2];
	pid_t pid, inner;

	assert_int_equal(pipe(pipe_fd), 0);
	pid = fork();
	if (pid == 0) {
		if (state_open(&s, dir, NULL) < 0 || state_lock(&s, 1000) < 0)
			_exit(1);
		inner = fork();
		if (inner && fdio_write(pipe_fd[1], &inner, sizeof(inner)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(pipe_fd[1]);
	assert_int_equal(fdio_read(pipe_fd[0], grandchild, sizeof(pid_t)),
			 sizeof(pid_t));
	close(pipe_fd[0]);
	return pid;
}

static void locks_have_a_deadline(void **state)
{
	struct state s, late;
	pid_t pid, grandchild;

	(void)state;
	pid = holder(&grandchild);
	open_state(&late);
	assert_int_equal(state_lock(&late, 30), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_true(late.readonly);
	assert_int_equal(put_n(&late, "a", 1), -1);
	assert_int_equal(errno, EROFS);
	state_close(&late);
	/* A child that outlives the holder does not keep the lock. */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	open_state(&s);
	assert_int_equal(state_lock(&s, 1000), 0);
	assert_int_equal(state_lock(&s, 1000), 0);
	assert_int_equal(put_n(&s, "a", 1), 0);
	state_unlock(&s);
	assert_int_equal(put_n(&s, "a", 2), 0);
	state_close(&s);
	kill(grandchild, SIGKILL);
}

static void readonly_sets_nothing_aside(void **state)
{
	struct state s;

	(void)state;
	open_state(&s);
	put_file(&s, "a.json", "torn", 4);
	s.readonly = true;
	assert_int_equal(get_n(&s, "a"), -1);
	assert_true(exists(&s, "a.json"));
	state_close(&s);
}

static void a_full_disk_keeps_the_old(void **state)
{
	struct rlimit old, none;
	struct state s;
	int rc;

	(void)state;
	open_state(&s);
	put_n(&s, "a", 1);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	none = old;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	rc = put_n(&s, "a", 2);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(rc, -1);
	assert_int_equal(get_n(&s, "a"), 1);
	assert_false(exists(&s, ".a.json.new"));
	state_close(&s);
}

static void leftovers_of_a_killed_run(void **state)
{
	struct state s;

	(void)state;
	open_state(&s);
	put_file(&s, ".a.json.new", "half", 4);
	assert_int_equal(put_n(&s, "a", 1), 0);
	assert_int_equal(get_n(&s, "a"), 1);
	assert_false(exists(&s, ".a.json.new"));
	state_close(&s);
}

/* What was read under the lock is not looked at again, until it is let go. */
static void a_lock_keeps_what_was_read(void **state)
{
	static const char text[] = "{\"schema\": \"assay.state.a/2\", \"n\": 5}";
	static const char b[] = "{\"schema\": \"assay.state.b/2\", \"n\": 5}";
	struct state s;

	(void)state;
	open_state(&s);
	assert_int_equal(state_lock(&s, 0), 0);
	assert_int_equal(get_n(&s, "a"), -1);
	assert_int_equal(put_n(&s, "a", 1), 0);
	assert_int_equal(put_n(&s, "a", 2), 0);
	put_file(&s, "b.json", b, strlen(b));
	assert_int_equal(get_n(&s, "b"), -1);
	assert_int_equal(put_n(&s, "b", 1), -1);
	assert_int_equal(errno, EROFS);
	state_unlock(&s);
	put_file(&s, "a.json", text, strlen(text));
	assert_int_equal(put_n(&s, "a", 3), -1);
	assert_int_equal(errno, EROFS);
	has_file(&s, "a.json", text);
	state_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(put_and_get, clean),
		cmocka_unit_test_setup(a_document_can_be_put_back, clean),
		cmocka_unit_test_setup(names_stay_in_the_directory, clean),
		cmocka_unit_test_setup(what_is_no_document, clean),
		cmocka_unit_test_setup(links_and_fifos_are_bad, clean),
		cmocka_unit_test_setup(over_4_mib, clean),
		cmocka_unit_test_setup(the_first_bad_one_is_kept, clean),
		cmocka_unit_test_setup(newer_is_left_alone, clean),
		cmocka_unit_test_setup(directories_that_are_refused, clean),
		cmocka_unit_test_setup(locks_have_a_deadline, clean),
		cmocka_unit_test_setup(readonly_sets_nothing_aside, clean),
		cmocka_unit_test_setup(a_lock_keeps_what_was_read, clean),
		cmocka_unit_test_setup(a_full_disk_keeps_the_old, clean),
		cmocka_unit_test_setup(leftovers_of_a_killed_run, clean),
	};

	return cmocka_run_group_tests_name("state", tests, setup, teardown);
}
