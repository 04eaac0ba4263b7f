/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/sysfacts.h"
#include "lib/clock.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[] = "/tmp/test_sysfacts.XXXXXX";
static const struct roots injected = { .fd = -1, .injected = true };
static const struct roots own = { .fd = -1, .injected = false };
static struct err e;

static int init(struct sysfacts *s, const char *text)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return sysfacts_init(s, &injected, file, &e);
}

static int setup(void **state)
{
	int fd = mkstemp(file);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(file);
}

static void listed_answers(void **state)
{
	struct sysfacts s;
	struct statfs fs;
	struct timex t;

	(void)state;
	assert_int_equal(init(&s, "{\"statfs\": {\"/scratch\": {\"f_type\": 198183888, \"f_bsize\": 4096, \"f_blocks\": 1000000000000, \"f_bfree\": 9, \"f_bavail\": 8, \"f_files\": 7, \"f_ffree\": 6, \"f_flags\": 1}}, \"adjtimex\": {\"rc\": 5, \"status\": 64, \"offset\": -12, \"maxerror\": 16000000, \"esterror\": 3}}"), 0);
	assert_int_equal(sysfacts_statfs(&s, "/scratch", &fs), 0);
	assert_int_equal(fs.f_type, 0x0bd00bd0);
	assert_int_equal(fs.f_bsize, 4096);
	assert_true(fs.f_blocks == 1000000000000);
	assert_int_equal(fs.f_bfree, 9);
	assert_int_equal(fs.f_bavail, 8);
	assert_int_equal(fs.f_files, 7);
	assert_int_equal(fs.f_ffree, 6);
	assert_int_equal(fs.f_flags, 1);
	assert_int_equal(sysfacts_adjtimex(&s, &t), TIME_ERROR);
	assert_int_equal(t.status, STA_UNSYNC);
	assert_int_equal(t.offset, -12);
	assert_int_equal(t.maxerror, 16000000);
	assert_int_equal(t.esterror, 3);
	sysfacts_fini(&s);
	sysfacts_fini(&s);
}

static void unlisted_is_unknown(void **state)
{
	struct sysfacts s;
	struct statfs fs;
	struct timex t;

	(void)state;
	assert_int_equal(init(&s, "{\"statfs\": {\"/a\": {}}}"), 0);
	assert_int_equal(sysfacts_statfs(&s, "/", &fs), -1);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(sysfacts_adjtimex(&s, &t), -1);
	assert_int_equal(errno, ENOSYS);
	sysfacts_fini(&s);
	assert_int_equal(sysfacts_init(&s, &injected, NULL, &e), 0);
	assert_int_equal(sysfacts_statfs(&s, "/", &fs), -1);
	assert_int_equal(errno, ENOSYS);
	sysfacts_fini(&s);
}

static void failures_and_lateness(void **state)
{
	struct sysfacts s;
	struct statfs fs;
	struct timex t;
	int64_t start;

	(void)state;
	assert_int_equal(init(&s, "{\"statfs\": {\"/a\": {\"errno\": 5}, \"/b\": {\"hang_ms\": 60, \"f_bsize\": 512}}, \"adjtimex\": {\"errno\": 1}}"), 0);
	assert_int_equal(sysfacts_statfs(&s, "/a", &fs), -1);
	assert_int_equal(errno, EIO);
	start = clock_mono_ms();
	assert_int_equal(sysfacts_statfs(&s, "/b", &fs), 0);
	assert_true(clock_mono_ms() - start >= 55);
	assert_int_equal(fs.f_bsize, 512);
	assert_int_equal(fs.f_blocks, 0);
	assert_int_equal(sysfacts_adjtimex(&s, &t), -1);
	assert_int_equal(errno, EPERM);
	sysfacts_fini(&s);
}

static void answers_that_cannot_be_read(void **state)
{
	struct sysfacts s;
	struct statfs fs;
	char text[100];

	(void)state;
	assert_int_equal(init(&s, "[]"), -1);
	assert_int_equal(errno, EINVAL);
	snprintf(text, sizeof(text), "%s: not an object", file);
	assert_string_equal(e.text, text);
	assert_int_equal(init(&s, "{\n\"a\""), -1);
	snprintf(text, sizeof(text), "%s:2: ", file);
	assert_memory_equal(e.text, text, strlen(text));
	assert_int_equal(sysfacts_statfs(&s, "/", &fs), -1);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(init(&s, "{\"statfs\": {\"/\": {\"f_bsize\": \"4k\"}}}"), 0);
	assert_int_equal(sysfacts_statfs(&s, "/", &fs), -1);
	assert_int_equal(errno, EINVAL);
	sysfacts_fini(&s);
	assert_int_equal(sysfacts_init(&s, &injected, "/nosuch", &e), -1);
}

static void the_own_root_is_asked_itself(void **state)
{
	struct sysfacts s;
	struct statfs fs;
	struct timex t;

	(void)state;
	/* The file is not even looked at. */
	assert_int_equal(sysfacts_init(&s, &own, "/nosuch", &e), 0);
	assert_int_equal(sysfacts_statfs(&s, "/", &fs), 0);
	assert_true(fs.f_bsize > 0);
	assert_int_equal(sysfacts_statfs(&s, "/nosuch", &fs), -1);
	assert_int_equal(errno, ENOENT);
	if (sysfacts_adjtimex(&s, &t) >= 0)
		assert_int_equal(t.modes, 0);
	sysfacts_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listed_answers),
		cmocka_unit_test(unlisted_is_unknown),
		cmocka_unit_test(failures_and_lateness),
		cmocka_unit_test(answers_that_cannot_be_read),
		cmocka_unit_test(the_own_root_is_asked_itself),
	};

	return cmocka_run_group_tests_name("sysfacts", tests, setup, teardown);
}
