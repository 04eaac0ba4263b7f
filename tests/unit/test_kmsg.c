/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/kmsg.h"

#include <errno.h>

#include "tests/unit/kmsgs.h"

static struct kmsg kmsg;

static void parse(const char *line, unsigned int prio, uint64_t seq,
		  const char *text)
{
	struct kmsg_record rec;

	assert_int_equal(kmsg_parse(line, &rec), 0);
	assert_int_equal(rec.prio, prio);
	assert_int_equal(rec.seq, seq);
	assert_string_equal(rec.text, text);
}

static void a_record_is_taken_apart(void **state)
{
	struct kmsg_record rec;

	(void)state;
	parse("6,1,2,-;x", 6, 1, "x");
	parse("4,1000,86400000000,-;NVRM: a;b", 4, 1000, "NVRM: a;b");
	parse("30,900,20000000,-;", 30, 900, "");
	parse("6,339,5140900,-,caller=T1;NET", 6, 339, "NET");
	assert_int_equal(kmsg_parse("4,7,99,-;t", &rec), 0);
	assert_int_equal(rec.usec, 99);
}

static void what_is_no_record_is_refused(void **state)
{
	static const char *const bad[] = {
		"", ";", "x", "6", "6,", "6,1", "6,1,2", "6,1,2,", "6,1,2,-",
		"6,1,2;x", "6,1,2,x;y", "-6,1,2,-;x", "6,-1,2,-;x",
		" SUBSYSTEM=pci", "6,1,99999999999999999999,-;x",
		"6,18446744073709551615,2,-;x", "65536,1,2,-;x",
		"6 ,1,2,-;x", "+6,1,2,-;x",
	};
	struct kmsg_record rec;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (kmsg_parse(bad[i], &rec) == 0)
			fail_msg("\"%s\" was taken for a record", bad[i]);
}

static bool kernels(const char *line)
{
	struct kmsg_record rec;

	assert_int_equal(kmsg_parse(line, &rec), 0);
	return kmsg_is_kernels(&rec);
}

static void only_facility_0_is_the_kernels(void **state)
{
	(void)state;
	assert_true(kernels("0,1,2,-;x"));
	assert_true(kernels("7,1,2,-;x"));
	assert_false(kernels("12,1,2,-;x"));
	assert_false(kernels("8,1,2,-;x"));
	assert_false(kernels("30,1,2,-;x"));
	assert_false(kernels("4,1,2,c;x"));
	assert_false(kernels("4,1,2,+;x"));
}

static int count_records(void)
{
	struct kmsg_record rec;
	int n = 0, rc;

	assert_int_equal(kmsg_open(&kmsg, &kmsgs_roots, NULL), 0);
	while ((rc = kmsg_next(&kmsg, &rec)) > 0)
		n++;
	assert_int_equal(rc, 0);
	kmsg_close(&kmsg);
	return n;
}

static void a_file_is_read_line_by_line(void **state)
{
	struct kmsg_record rec;

	(void)state;
	kmsgs_log("4,5,6,-;one\n SUBSYSTEM=pci\n DEVICE=+pci:0\n"
		  "garbage\n4,7,8,-;two");
	assert_int_equal(kmsg_open(&kmsg, &kmsgs_roots, NULL), 0);
	assert_false(kmsg.device);
	assert_int_equal(kmsg_next(&kmsg, &rec), 1);
	assert_string_equal(rec.text, "one");
	assert_int_equal(kmsg_next(&kmsg, &rec), 1);
	assert_string_equal(rec.text, "two");
	assert_int_equal(rec.seq, 7);
	assert_int_equal(kmsg_next(&kmsg, &rec), 0);
	assert_int_equal(kmsg_next(&kmsg, &rec), 0);
	assert_false(kmsg.gap || kmsg.cut);
	kmsg_close(&kmsg);
}

static void an_empty_log_is_no_error(void **state)
{
	(void)state;
	kmsgs_log("");
	assert_int_equal(count_records(), 0);
	kmsgs_log("\n\n\n");
	assert_int_equal(count_records(), 0);
}

static void long_lines_are_cut_and_the_next_is_found(void **state)
{
	size_t big = 3 * KMSG_BUF + 100;
	char *log = malloc(big + 64);
	struct kmsg_record rec;

	(void)state;
	assert_non_null(log);
	memset(log, 'A', big);
	memcpy(log, "4,1,2,-;", 8);
	strcpy(log + big, "\n4,2,3,-;after\n");
	kmsgs_log(log);
	free(log);
	assert_int_equal(kmsg_open(&kmsg, &kmsgs_roots, NULL), 0);
	assert_int_equal(kmsg_next(&kmsg, &rec), 1);
	assert_int_equal(strlen(rec.text), KMSG_BUF - 8);
	assert_int_equal(kmsg_next(&kmsg, &rec), 1);
	assert_string_equal(rec.text, "after");
	assert_int_equal(kmsg_next(&kmsg, &rec), 0);
	kmsg_close(&kmsg);
}

static void binary_does_no_harm(void **state)
{
	static const char log[] = "4,1,2,-;a\0b\n\xff\xfe\0\0\n4,2,2,-;\x80\n";
	struct kmsg_record rec;

	(void)state;
	kmsgs_write("dev/kmsg", log, sizeof(log) - 1);
	assert_int_equal(kmsg_open(&kmsg, &kmsgs_roots, NULL), 0);
	assert_int_equal(kmsg_next(&kmsg, &rec), 1);
	assert_string_equal(rec.text, "a?b");
	assert_int_equal(kmsg_next(&kmsg, &rec), 1);
	assert_string_equal(rec.text, "\x80");
	assert_int_equal(kmsg_next(&kmsg, &rec), 0);
	kmsg_close(&kmsg);
}

static void many_records_are_all_seen(void **state)
{
	char line[64];
	int i, fd;

	(void)state;
	kmsgs_log("");
	fd = openat(kmsgs_roots.fd, "dev/kmsg", O_WRONLY | O_CLOEXEC);
	for (i = 0; i < 5000; i++) {
		snprintf(line, sizeof(line), "6,%d,%d,-;line %d\n", i, i, i);
		assert_true(write(fd, line, strlen(line)) > 0);
	}
	close(fd);
	assert_int_equal(count_records(), 5000);
}

static void reading_ends_at_its_deadline(void **state)
{
	struct kmsg_record rec;

	(void)state;
	kmsgs_log("4,5,6,-;one\n");
	assert_int_equal(kmsg_open(&kmsg, &kmsgs_roots, NULL), 0);
	kmsg.deadline_ms = 0;
	assert_int_equal(kmsg_next(&kmsg, &rec), 0);
	assert_true(kmsg.cut);
	kmsg_close(&kmsg);
}

static void no_log_and_odd_logs(void **state)
{
	struct err e;

	(void)state;
	unlinkat(kmsgs_roots.fd, "dev/kmsg", 0);
	assert_int_equal(kmsg_open(&kmsg, &kmsgs_roots, &e), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(mkfifoat(kmsgs_roots.fd, "dev/kmsg", 0600), 0);
	assert_int_equal(kmsg_open(&kmsg, &kmsgs_roots, &e), -1);
	assert_int_equal(errno, EINVAL);
	kmsg_close(&kmsg);
	unlinkat(kmsgs_roots.fd, "dev/kmsg", 0);
	assert_int_equal(mkdirat(kmsgs_roots.fd, "dev/kmsg", 0700), 0);
	assert_int_equal(kmsg_open(&kmsg, &kmsgs_roots, &e), -1);
	unlinkat(kmsgs_roots.fd, "dev/kmsg", AT_REMOVEDIR);
}

/* Where the machine lets us: its own log must be readable to its end. */
static void the_real_device(void **state)
{
	struct kmsg_record rec;
	struct roots r;
	int rc, n = 0;

	(void)state;
	assert_int_equal(roots_open(&r, "/", NULL), 0);
	if (kmsg_open(&kmsg, &r, NULL) < 0 || !kmsg.device) {
		kmsg_close(&kmsg);
		roots_close(&r);
		skip();
	}
	while ((rc = kmsg_next(&kmsg, &rec)) > 0)
		n++;
	kmsg_close(&kmsg);
	roots_close(&r);
	if (rc < 0)
		skip();
	assert_true(n >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_taken_apart),
		cmocka_unit_test(what_is_no_record_is_refused),
		cmocka_unit_test(only_facility_0_is_the_kernels),
		cmocka_unit_test(a_file_is_read_line_by_line),
		cmocka_unit_test(an_empty_log_is_no_error),
		cmocka_unit_test(long_lines_are_cut_and_the_next_is_found),
		cmocka_unit_test(binary_does_no_harm),
		cmocka_unit_test(many_records_are_all_seen),
		cmocka_unit_test(reading_ends_at_its_deadline),
		cmocka_unit_test(no_log_and_odd_logs),
		cmocka_unit_test(the_real_device),
	};

	return cmocka_run_group_tests_name("kmsg", tests, kmsgs_setup,
					   kmsgs_teardown);
}
