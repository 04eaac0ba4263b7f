/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "checks/schema.h"
#include "cmd/doctor.h"
#include "tests/unit/unit.h"

#define GOOD \
	"PrologFlags = Alloc,DeferBatch\n" \
	"SchedulerParameters = nohold_on_prolog_fail\n" \
	"PrologEpilogTimeout = 65534\nMessageTimeout = 10 sec\n" \
	"BatchStartTimeout = 10 sec\nReturnToService = 2\n" \
	"HealthCheckProgram = /h\nHealthCheckInterval = 300 sec\n" \
	"HealthCheckNodeState = ANY\n"

static char told[8192];		/* "WRONG text\n" of all findings */

void doctor_say(const struct doctor *d, enum doctor_level level,
		const char *topic, const char *mend, const char *fmt, ...)
{
	static const char *const name[] = { "OK", "NOTE", "WRONG" };
	size_t used = strlen(told);
	va_list ap;

	(void)d;
	assert_non_null(topic);
	assert_true(level == DOCTOR_OK || (mend && *mend));
	used += (size_t)snprintf(told + used, sizeof(told) - used, "%s ",
				 name[level]);
	va_start(ap, fmt);
	vsnprintf(told + used, sizeof(told) - used, fmt, ap);
	va_end(ap);
	strcat(told, "\n");
}

bool doctor_has_slurm(const struct doctor *d)
{
	return d->slurm.count > 0;
}

/* The findings on the good settings with others in front: first wins. */
static const char *on(const char *settings)
{
	struct session s = { .cfg = cfg_defaults(schema_sections()) };
	struct doctor d = { .s = &s };

	told[0] = '\0';
	assert_non_null(s.cfg);
	assert_int_equal(slurmconf_show(&d.slurm, settings), 0);
	assert_int_equal(slurmconf_show(&d.slurm, GOOD), 0);
	doctor_flags(&d);
	slurmconf_fini(&d.slurm);
	cfg_destroy(s.cfg);
	return told;
}

static void says(const char *settings, const char *want)
{
	if (!strstr(on(settings), want))
		fail_msg("%s: no '%s' in: %s", settings, want, told);
}

static void test_good(void **state)
{
	(void)state;
	assert_string_equal(on(""),
			    "OK flags and timeouts suit the gate\n");
	assert_string_equal(on("PrologFlags = Contain,DeferBatch\n"),
			    "OK flags and timeouts suit the gate\n");
	assert_string_equal(on("PrologEpilogTimeout = 30\n"),
			    "OK flags and timeouts suit the gate\n");
}

static void test_words(void **state)
{
	(void)state;
	says("PrologFlags = DeferBatch\n", "WRONG PrologFlags lacks Alloc");
	says("PrologFlags = Alloc\n", "WRONG PrologFlags lacks DeferBatch");
	assert_null(strstr(on("PrologFlags = Alloc\n"), "lacks Alloc"));
	says("PrologFlags = Alloc,DeferBatch,RunInJob\n", "WRONG PrologFlags has RunInJob");
	says("PrologFlags = Alloc,DeferBatch,Serial\n", "NOTE PrologFlags has Serial");
	says("SchedulerParameters = bf_interval=3\n", "WRONG a batch job");
}

static void test_timeouts(void **state)
{
	(void)state;
	says("PrologEpilogTimeout = 5\n", "WRONG PrologEpilogTimeout is 5 s");
	says("PrologTimeout = 9\n", "WRONG PrologTimeout is 9 s");
	says("MessageTimeout = 9 sec\n", "WRONG MessageTimeout is 9 s");
	says("BatchStartTimeout = 5 sec\n", "NOTE BatchStartTimeout is 5 s");
}

static void test_power(void **state)
{
	(void)state;
	says("SuspendProgram = /s\nSuspendTime = 300 sec\n",
	     "WRONG power saving");
	says("SuspendProgram = /s\nSuspendTime = 300 sec\n"
	     "SuspendExcStates = DOWN,DRAIN\n", "OK ");
	says("SuspendProgram = /s\nSuspendTime = INFINITE\n", "OK ");
}

static void test_health(void **state)
{
	(void)state;
	says("HealthCheckInterval = 0 sec\n",
	     "WRONG HealthCheckInterval is 0");
	says("HealthCheckInterval = 5 sec\n", "NOTE HealthCheckInterval is 5");
	says("HealthCheckNodeState = NONDRAINED_IDLE\n",
	     "WRONG HealthCheckNodeState");
	says("HealthCheckNodeState = IDLE\n", "OK ");
	says("ReturnToService = 0\n", "NOTE ReturnToService is 0");
}

static void test_nothing_without_slurm(void **state)
{
	struct session s = { .cfg = NULL };
	struct doctor d = { .s = &s };

	(void)state;
	told[0] = '\0';
	doctor_flags(&d);
	assert_string_equal(told, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_power),
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_nothing_without_slurm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
