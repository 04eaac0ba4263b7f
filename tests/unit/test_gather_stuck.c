/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/gather.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "tests/unit/unit.h"

static char dir[] = "/tmp/assay-stuck.XXXXXX";
static struct session session;

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		sleep(60);
		_exit(0);
	}
	return pid;
}

static void note(pid_t pid)
{
	struct gather_stuck n = { .pid = pid, .bus_id = "0000:1b:00.0",
				  .call = "nvmlInit_v2" };

	gather_stuck_note(&session, &n);
}

static void forget(void)
{
	unlinkat(session.run_dir, "stuck.json", 0);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void who_is_still_there_is_found(void **state)
{
	struct gather_stuck n = { 0 };
	pid_t pid = sleeper();

	(void)state;
	forget();
	assert_false(gather_stuck_before(&session, &n));
	note(pid);
	assert_true(gather_stuck_before(&session, &n));
	assert_int_equal(n.pid, pid);
	assert_string_equal(n.bus_id, "0000:1b:00.0");
	assert_string_equal(n.call, "nvmlInit_v2");
	/* Young: it may just be slow. */
	assert_true(n.age_s >= 0 && n.age_s < 30);
	end(pid);
	assert_false(gather_stuck_before(&session, &n));
}

/* Who is stuck with an RDMA device is not in the GPUs' driver. */
static void an_rdma_device_is_another_driver(void **state)
{
	pid_t pid = sleeper();
	struct gather_stuck n = { .pid = pid, .hca = "mlx5_3",
				  .call = "ibv_destroy_qp" };

	(void)state;
	forget();
	gather_stuck_note(&session, &n);
	assert_false(gather_stuck_before(&session, &n));
	assert_true(gather_stuck_at_hca(&session, "mlx5_3"));
	assert_false(gather_stuck_at_hca(&session, "mlx5_4"));
	note(pid);
	assert_true(gather_stuck_before(&session, &n));
	assert_true(gather_stuck_at_hca(&session, "mlx5_3"));
	end(pid);
	assert_false(gather_stuck_at_hca(&session, "mlx5_3"));
}

/* A note without a start would be alive as long as nobody has the pid. */
static void who_has_gone_leaves_no_note(void **state)
{
	struct gather_stuck n;
	pid_t pid = sleeper();

	(void)state;
	forget();
	kill(pid, SIGKILL);
	clock_sleep_ms(50);	/* a zombie now */
	note(pid);
	assert_false(gather_stuck_before(&session, &n));
	waitpid(pid, NULL, 0);
	note(pid);
	assert_false(gather_stuck_before(&session, &n));
}

static void write_notes(const char *text)
{
	int fd = openat(session.run_dir, "stuck.json",
			O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
}

static void nonsense_is_nobody(void **state)
{
	static const char *const text[] = {
		"", "{", "[]", "[1]", "[{}]", "{\"pid\": 1}",
		"[{\"pid\": 999999999, \"start\": -1}]",
		"[{\"pid\": 1, \"start\": 0}]", "[{\"pid\": -1, \"start\": 5}]",
	};
	struct gather_stuck n;
	char other[80];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		write_notes(text[i]);
		assert_false(gather_stuck_before(&session, &n));
	}
	/* The pid is somebody else's by now. */
	snprintf(other, sizeof(other), "[{\"pid\": %d, \"start\": 12}]",
		 (int)getpid());
	write_notes(other);
	assert_false(gather_stuck_before(&session, &n));
}

/* As if the note were so many seconds old. */
static void age_the_note(json_int_t seconds)
{
	int fd = openat(session.run_dir, "stuck.json", O_RDONLY);
	json_t *list = json_loadfd(fd, 0, NULL);
	json_t *note = json_array_get(list, 0);
	json_int_t noted = json_integer_value(json_object_get(note, "noted"));
	char *text;

	close(fd);
	assert_true(noted > 0);
	json_object_set_new(note, "noted", json_integer(noted - seconds));
	text = json_dumps(list, 0);
	write_notes(text);
	free(text);
	json_decref(list);
}

/* Not by its worker's age: that may have worked for long before. */
static void its_age_is_the_notes(void **state)
{
	struct gather_stuck n = { 0 };
	pid_t pid = sleeper();

	(void)state;
	forget();
	note(pid);
	age_the_note(1);
	assert_true(gather_stuck_before(&session, &n));
	assert_in_range(n.age_s, 1, 20);
	age_the_note(-3600);	/* of a time to come */
	assert_true(gather_stuck_before(&session, &n));
	assert_int_equal(n.age_s, 0);
	end(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_still_there_is_found),
		cmocka_unit_test(an_rdma_device_is_another_driver),
		cmocka_unit_test(who_has_gone_leaves_no_note),
		cmocka_unit_test(nonsense_is_nobody),
		cmocka_unit_test(its_age_is_the_notes),
	};
	int rc;

	if (!mkdtemp(dir))
		return 99;
	session.run_dir = open(dir, O_RDONLY | O_DIRECTORY);
	rc = cmocka_run_group_tests_name("gather_stuck", tests, NULL, NULL);
	forget();
	rmdir(dir);
	return rc;
}
