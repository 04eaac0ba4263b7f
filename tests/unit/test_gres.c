/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/gres.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static struct gres_conf conf;
static struct err err;

/* The minors that node n2 gets, as text. */
static const char *minors(const char *text)
{
	static char buf[1024];
	size_t len = 0;
	int i;

	assert_int_equal(gres_parse(text, "n2", &conf, &err), 0);
	buf[0] = 0;
	for (i = 0; i < conf.count; i++)
		len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%d",
					i ? " " : "", conf.minor[i]);
	return buf;
}

static void refused(const char *text, int want_errno, const char *want)
{
	errno = 0;
	assert_int_equal(gres_parse(text, "n2", &conf, &err), -1);
	assert_int_equal(errno, want_errno);
	assert_string_equal(err.text, want);
}

static void files_count_in_their_order(void **state)
{
	(void)state;
	assert_string_equal(minors("Name=gpu File=/dev/nvidia[0-2,4-7]"),
			    "0 1 2 4 5 6 7");
	assert_string_equal(conf.file[3], "/dev/nvidia4");
	assert_int_equal(conf.autodetect, GRES_AUTO_NONE);
	assert_string_equal(minors("Name=gpu File=/dev/nvidia3,/dev/nvidia1\n"
				   "Name=gpu Type=a File=/dev/nvidia[2,0]\n"),
			    "3 1 2 0");
	assert_string_equal(minors("Name=gpu File=/tmp/lab/dev/fakegpu[0-1]"),
			    "0 1");
	assert_string_equal(minors("Name=gpu File=/dev/nvidiactl"), "-1");
	assert_string_equal(minors("Name=gpu Count=8"), "");
	assert_string_equal(minors(""), "");
}

static void only_the_nodes_lines_count(void **state)
{
	(void)state;
	assert_string_equal(minors(
		"NodeName=n[1,3] Name=gpu File=/dev/nvidia[0-1]\n"
		"NodeName=n[2-3] Name=gpu File=/dev/nvidia[4-5]\n"
		"NodeName=n22 Name=gpu File=/dev/nvidia[6-7]\n"
		"Name=gpu File=/dev/nvidia9"), "4 5 9");
}

static void other_gres_are_ignored(void **state)
{
	(void)state;
	assert_string_equal(minors("Name=shard Count=32 File=/dev/nvidia0\n"
				   "Name=mps Count=100\n"
				   "Name=nic File=/dev/infiniband/uverbs0\n"
				   "Name=gpu Type=h100 File=/dev/nvidia1"),
			    "1");
}

static void keys_comments_and_continued_lines(void **state)
{
	(void)state;
	assert_string_equal(minors(
		"# Name=gpu File=/dev/nvidia0\n"
		"  nodename=n2\tNAME=GPU type=\"h 100\" \\\n"
		"   file=\"/dev/nvidia1\" Cores=0-15 Links=-1,16 # end\n"
		"\r\n"
		"Name=gpu Flags=a\\#b File=/dev/nvidia2\r\n"
		"Name=gpu File=/dev/nvidia3 \\"),
		"1 2 3");
}

static void autodetect_and_who_says_it(void **state)
{
	static const struct {
		const char *text;
		enum gres_autodetect want;
	} t[] = {
		{ "AutoDetect=nvml", GRES_AUTO_NVML },
		{ "autodetect=NVML", GRES_AUTO_NVML },
		{ "AutoDetect=nvidia", GRES_AUTO_NVIDIA },
		{ "AutoDetect=off", GRES_AUTO_NONE },
		{ "AutoDetect=rsmi", GRES_AUTO_OTHER },
		{ "NodeName=n1 AutoDetect=nvml", GRES_AUTO_NONE },
		{ "NodeName=n2 AutoDetect=nvidia\nAutoDetect=nvml",
		  GRES_AUTO_NVIDIA },
		{ "AutoDetect=nvml\nNodeName=n2 AutoDetect=off Name=gpu "
		  "File=/dev/nvidia0", GRES_AUTO_NONE },
		{ "Name=gpu AutoDetect=nvml", GRES_AUTO_NVML },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		minors(t[i].text);
		assert_int_equal(conf.autodetect, t[i].want);
	}
}

static void an_instance_is_one_position(void **state)
{
	(void)state;
	assert_string_equal(minors(
		"Name=gpu Type=1g MultipleFiles=/dev/nvidia0,"
		"/dev/nvidia-caps/nvidia-cap21,/dev/nvidia-caps/nvidia-cap22\n"
		"Name=gpu Type=1g MultipleFiles=/dev/nvidia0,"
		"/dev/nvidia-caps/nvidia-cap30,/dev/nvidia-caps/nvidia-cap31\n"
		"Name=gpu File=/dev/nvidia1\n"
		"Name=gpu File=/dev/nvidia-caps/nvidia-cap[39,40]"),
		"0 0 1 -1 -1");
	assert_string_equal(conf.file[0], "/dev/nvidia0");
}

static void what_cannot_be_read_is_refused(void **state)
{
	(void)state;
	refused("Name=gpu File=/dev/nvidia[0-", EINVAL,
		"gres.conf line 1: a file list that cannot be read");
	refused("\n# x\nName=gpu File=", EINVAL,
		"gres.conf line 3: a file list that cannot be read");
	refused("Name=gpu \\\nFile=/dev/nvidia0\n\x7f" "ELF\x02", EINVAL,
		"gres.conf line 3: a word without '='");
	refused("Include /etc/slurm/gpus.conf", ENOTSUP,
		"gres.conf line 1: includes another file");
	refused("Name=gpu File=/dev/nvidia[0-128]", E2BIG,
		"gres.conf line 1: too many devices");
	refused("Name=gpu File=/dev/nvidia[0-99999999]", EINVAL,
		"gres.conf line 1: a file list that cannot be read");
	assert_int_equal(gres_parse("junk", "n2", &conf, NULL), -1);
}

static void long_names_are_cut(void **state)
{
	char text[400] = "Name=gpu File=/";

	(void)state;
	memset(text + 15, 'd', 200);
	strcpy(text + 215, "/gpu7");
	assert_string_equal(minors(text), "7");
	assert_int_equal(strlen(conf.file[0]), sizeof(conf.file[0]) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_count_in_their_order),
		cmocka_unit_test(only_the_nodes_lines_count),
		cmocka_unit_test(other_gres_are_ignored),
		cmocka_unit_test(keys_comments_and_continued_lines),
		cmocka_unit_test(autodetect_and_who_says_it),
		cmocka_unit_test(an_instance_is_one_position),
		cmocka_unit_test(what_cannot_be_read_is_refused),
		cmocka_unit_test(long_names_are_cut),
	};

	return cmocka_run_group_tests_name("gres", tests, NULL, NULL);
}
