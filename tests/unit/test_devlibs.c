/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/devlibs.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];
static char library[512];

/* The fake reads its scenario once per process: each test asks in a child,
 * whose exit status is what body returns. */
static int in_child(int (*body)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(body());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void scenario(const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/scenario.json", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	setenv("ASSAY_SCENARIO", path, 1);
}

/* Load and tell: 0 for good, else one of these. */
enum { NO_LIBRARY = 1, NO_SYMBOL, ODD };

static struct devlibs_nvml nvml;
static struct err err;

static int load(const char *path)
{
	if (devlibs_nvml_load(&nvml, path, &err) == 0)
		return nvml.so && !nvml.missing_required ? 0 : ODD;
	if (errno == ELIBACC)
		return !nvml.so && !nvml.missing_required ? NO_LIBRARY : ODD;
	return errno == ENOSYS && nvml.missing_required ? NO_SYMBOL : ODD;
}

static int load_whole(void)
{
	int rc = load(library);

	if (rc)
		return rc;
	return nvml.missing_optional || !nvml.field_values || nvml.init() ? ODD
									  : 0;
}

static void a_whole_library_is_loaded(void **state)
{
	(void)state;
	scenario("{\"nvml\": {\"gpus\": []}}");
	assert_int_equal(in_child(load_whole), 0);
}

static int load_without_options(void)
{
	int rc = load(library);

	if (rc)
		return rc;
	return nvml.missing_optional != 2 || nvml.field_values ||
			       nvml.numa_node || !nvml.uuid
		       ? ODD
		       : 0;
}

static void an_optional_symbol_may_be_missing(void **state)
{
	(void)state;
	scenario("{\"nvml\": {\"missing_symbols\": [\"nvmlDeviceGetFieldValues"
		 "\", \"nvmlDeviceGetNumaNodeId\"], \"gpus\": []}}");
	assert_int_equal(in_child(load_without_options), 0);
}

static int load_without_needs(void)
{
	int rc = load(library);

	if (nvml.missing_required != 2 || !strstr(err.text, "nvmlInit_v2") ||
	    !strstr(err.text, "nvmlDeviceGetCount_v2") ||
	    strstr(err.text, "GetUUID"))
		return ODD;
	return rc;
}

static void missing_required_symbols_are_all_named(void **state)
{
	(void)state;
	scenario("{\"nvml\": {\"missing_symbols\": [\"nvmlInit_v2\", "
		 "\"nvmlDeviceGetCount_v2\", \"nvmlDeviceGetUUID\"], "
		 "\"gpus\": []}}");
	assert_int_equal(in_child(load_without_needs), NO_SYMBOL);
}

static int load_absent(void)
{
	return load("/nonexistent/libnvidia-ml.so.1");
}

static int load_relative(void)
{
	int rc = load("libnvidia-ml.so.1");

	return strstr(err.text, "absolute") ? rc : ODD;
}

static void only_absolute_paths_that_exist(void **state)
{
	(void)state;
	assert_int_equal(in_child(load_absent), NO_LIBRARY);
	assert_int_equal(in_child(load_relative), NO_LIBRARY);
}

static int load_copy(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/copy.so", dir);
	return load(path);
}

static void copy_library(mode_t mode)
{
	char cmd[800], path[128];

	snprintf(path, sizeof(path), "%s/copy.so", dir);
	snprintf(cmd, sizeof(cmd), "cp -L %s %s", library, path);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void a_library_that_others_may_write_is_refused(void **state)
{
	(void)state;
	scenario("{\"nvml\": {\"gpus\": []}}");
	copy_library(0755);
	assert_int_equal(in_child(load_copy), 0);
	copy_library(0757);
	assert_int_equal(in_child(load_copy), NO_LIBRARY);
	copy_library(0755);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(in_child(load_copy), NO_LIBRARY);
	assert_int_equal(chmod(dir, 0700), 0);
}

static int load_no_library(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/text.so", dir);
	return load(path);
}

static void text_is_no_library(void **state)
{
	char path[128];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/text.so", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("not a library\n", f);
	fclose(f);
	assert_int_equal(in_child(load_no_library), NO_LIBRARY);
}

/* Where the real one is not installed: the environment leads nowhere. */
static int load_by_environment(void)
{
	return load(NULL);
}

static void the_environment_leads_nowhere(void **state)
{
	(void)state;
	if (access("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", F_OK) == 0 ||
	    access("/usr/lib/aarch64-linux-gnu/libnvidia-ml.so.1", F_OK) == 0 ||
	    access("/usr/lib64/libnvidia-ml.so.1", F_OK) == 0)
		skip();
	setenv("LD_LIBRARY_PATH", dir, 1);
	assert_int_equal(in_child(load_by_environment), NO_LIBRARY);
	unsetenv("LD_LIBRARY_PATH");
}

static void each_call_has_its_name(void **state)
{
	(void)state;
	assert_string_equal(devlibs_nvml_names.init, "nvmlInit_v2");
	assert_string_equal(devlibs_nvml_names.sram_ecc,
			    "nvmlDeviceGetSramEccErrorStatus");
	assert_string_equal(devlibs_nvml_names.energy,
			    "nvmlDeviceGetTotalEnergyConsumption");
}

static int set_up(void **state)
{
	const char *build = getenv("BUILD");

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_devlibs.XXXXXX");
	snprintf(library, sizeof(library),
		 "%s/tests/fake/.libs/libnvidia-ml.so.1", build ? build : ".");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_library_is_loaded),
		cmocka_unit_test(an_optional_symbol_may_be_missing),
		cmocka_unit_test(missing_required_symbols_are_all_named),
		cmocka_unit_test(only_absolute_paths_that_exist),
		cmocka_unit_test(a_library_that_others_may_write_is_refused),
		cmocka_unit_test(text_is_no_library),
		cmocka_unit_test(the_environment_leads_nowhere),
		cmocka_unit_test(each_call_has_its_name),
	};

	return cmocka_run_group_tests_name("devlibs", tests, set_up, tear_down);
}
