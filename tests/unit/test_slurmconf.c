/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/slurmconf.h"
#include "tests/unit/unit.h"

static struct slurmconf c;

static void test_show(void **state)
{
	(void)state;
	assert_int_equal(
		slurmconf_show(&c,
			       "Configuration data as of 2026-11-30T10:00:00\n"
			       "MessageTimeout          = 10 sec\n"
			       "Prolog                  = (null)\n"
			       "PrologEpilogTimeout     = 65534\n"
			       "PrologFlags             = Alloc,DeferBatch\n"
			       "SchedulerParameters     = bf_interval=1,nohold_on_prolog_fail\n"
			       "SLURM_VERSION           = 22.05.8\n"
			       "SuspendTime             = INFINITE\n"
			       "\n"
			       "Slurmctld(primary) at host is UP\n"),
		0);
	assert_true(c.live);
	assert_string_equal(slurmconf_get(&c, "SLURM_VERSION"), "22.05.8");
	assert_string_equal(slurmconf_get(&c, "prologflags"), "Alloc,DeferBatch");
	assert_string_equal(slurmconf_get(&c, "Prolog"), "");
	assert_null(slurmconf_at(&c, "Prolog", 0));
	assert_string_equal(slurmconf_get(&c, "NoSuchKey"), "");
	assert_int_equal(slurmconf_seconds(&c, "MessageTimeout", 7), 10);
	assert_int_equal(slurmconf_seconds(&c, "PrologEpilogTimeout", 7), -1);
	assert_int_equal(slurmconf_seconds(&c, "SuspendTime", 7), -1);
	assert_int_equal(slurmconf_seconds(&c, "NoSuchKey", 7), 7);
	assert_true(slurmconf_has(&c, "PrologFlags", "deferbatch"));
	assert_false(slurmconf_has(&c, "PrologFlags", "Defer"));
	assert_true(slurmconf_has(&c, "SchedulerParameters", "bf_interval"));
	assert_true(slurmconf_has(&c, "SchedulerParameters",
				  "nohold_on_prolog_fail"));
	assert_false(slurmconf_has(&c, "SchedulerParameters", "interval"));
	slurmconf_fini(&c);
	assert_int_equal(c.count, 0);
}

/* Newer releases number what may come several times. */
static void test_show_several(void **state)
{
	(void)state;
	assert_int_equal(slurmconf_show(&c, "Prolog[0] = /a\n"
					    "Prolog[1] = /b\n"),
			 0);
	assert_string_equal(slurmconf_at(&c, "Prolog", 0), "/a");
	assert_string_equal(slurmconf_at(&c, "Prolog", 1), "/b");
	assert_null(slurmconf_at(&c, "Prolog", 2));
	slurmconf_fini(&c);
}

static char *more(const char *path, void *arg)
{
	(*(int *)arg)++;
	if (!strcmp(path, "more.conf"))
		return strdup("Epilog=/e\ninclude more.conf\n");
	return NULL;
}

static void test_file(void **state)
{
	int asked = 0;

	(void)state;
	assert_int_equal(slurmconf_file(&c,
					"# Prolog=/commented\n"
					"prolog=/p  # why\n"
					"PrologFlags=Alloc,\\\n"
					"DeferBatch\n"
					"  MessageTimeout = 20\n"
					"NodeName=n1 Gres=gpu:8 State=UNKNOWN\n"
					"PartitionName=all Nodes=n1\n"
					"Include more.conf\n"
					"include nothing.conf\n"
					"no setting\n",
					more, &asked),
			 0);
	assert_false(c.live);
	assert_string_equal(slurmconf_get(&c, "Prolog"), "/p");
	assert_string_equal(slurmconf_get(&c, "PrologFlags"), "Alloc,DeferBatch");
	assert_int_equal(slurmconf_seconds(&c, "MessageTimeout", 10), 20);
	assert_string_equal(slurmconf_get(&c, "Epilog"), "/e");
	assert_string_equal(slurmconf_get(&c, "NodeName"), "");
	assert_true(asked < 20); /* a file that includes itself ends */
	slurmconf_fini(&c);
}

/* Whatever the text is, nothing breaks. */
static void test_odd(void **state)
{
	char *text = malloc(100001);
	int i;

	(void)state;
	assert_int_equal(slurmconf_file(&c, "", NULL, NULL), 0);
	assert_int_equal(slurmconf_file(&c, "=\n = \n[0]=x\n\\\n\\", NULL, NULL),
			 0);
	assert_int_equal(c.count, 0);
	assert_non_null(text);
	memset(text, 'a', 100000);
	text[100000] = '\0';
	assert_int_equal(slurmconf_file(&c, text, NULL, NULL), 0);
	for (i = 0; i < 100000; i += 4)
		memcpy(text + i, "a=b\n", 4);
	assert_int_equal(slurmconf_file(&c, text, NULL, NULL), -1);
	free(text);
	slurmconf_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_show),
		cmocka_unit_test(test_show_several),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
