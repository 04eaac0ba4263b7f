/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/clock.h"
#include "tests/unit/unit.h"

static char dir[] = "/tmp/assay-log.XXXXXX";
static char path[64];
static char heard[2048];

static int listen_here(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	unlink(path);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static const char *hear(int fd)
{
	ssize_t n = read(fd, heard, sizeof(heard) - 1);

	heard[n > 0 ? n : 0] = '\0';
	return heard;
}

static void swallow(const char *line, void *arg)
{
	(void)line;
	(void)arg;
}

static void syslog_gets_a_scrubbed_line(void **state)
{
	char tail[80];
	int fd = listen_here();

	(void)state;
	log_open("assay-x", true, LOG_LVL_INFO);
	log_error("no %s", "good\n<0>kernel: forged");
	hear(fd);
	snprintf(tail, sizeof(tail),
		 "assay-x[%d]: error: no good <0>kernel: forged",
		 (int)getpid());
	assert_int_equal(strncmp(heard, "<27>", 4), 0);
	assert_non_null(strstr(heard, tail));
	log_info("fine");
	assert_int_equal(strncmp(hear(fd), "<30>", 4), 0);
	assert_non_null(strstr(heard, "]: fine"));
	log_record("{\"a\": 1}");
	assert_non_null(strstr(hear(fd), "]: {\"a\": 1}"));
	close(fd);
}

static void a_restarted_daemon_is_found_again(void **state)
{
	int fd = listen_here();

	(void)state;
	log_info("one");
	close(fd);
	log_info("nobody hears this");
	fd = listen_here();
	log_info("two");
	assert_non_null(strstr(hear(fd), "]: two"));
	close(fd);
}

static void a_daemon_that_hangs_costs_no_time(void **state)
{
	int64_t began = clock_mono_ms();
	int fd = listen_here();
	int i;

	(void)state;
	for (i = 0; i < 5000; i++)
		log_info("line %d", i);
	assert_true(clock_mono_ms() - began < 5000);
	assert_non_null(strstr(hear(fd), "]: line 0"));
	close(fd);
}

static void no_syslog_where_none_is_asked(void **state)
{
	int fd = listen_here();

	(void)state;
	log_open("assay-x", false, LOG_LVL_INFO);
	log_info("private");
	log_record("{}");
	assert_string_equal(hear(fd), "");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(syslog_gets_a_scrubbed_line),
		cmocka_unit_test(a_restarted_daemon_is_found_again),
		cmocka_unit_test(a_daemon_that_hangs_costs_no_time),
		cmocka_unit_test(no_syslog_where_none_is_asked),
	};
	int rc;

	if (!mkdtemp(dir))
		return 99;
	snprintf(path, sizeof(path), "%s/log", dir);
	log_set_socket(path);
	log_set_sink(swallow, NULL);
	rc = cmocka_run_group_tests_name("log", tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return rc;
}
