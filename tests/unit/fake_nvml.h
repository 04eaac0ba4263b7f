/* SPDX-License-Identifier: Apache-2.0
 * fake_nvml - play a scenario to the fake NVML, for tests of it. Each is
 * played in a child, because the fake reads its scenario once per process. */
#ifndef ASSAY_TESTS_FAKE_NVML_H
#define ASSAY_TESTS_FAKE_NVML_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/nvml.h"
#include "tests/unit/unit.h"

#define GPU0 "\"GetPciInfo_v3\": {\"busId\": \"00000000:1B:00.0\"}"

static char dir[64];
static char library[512];
static void *so;

/* A function of the fake, by its full name. */
#define CALL(name, args) ((int(*) args)dlsym(so, name))
#define U32(name) CALL(name, (struct nvml_device *, unsigned int *))

static inline struct nvml_device *gpu(unsigned int i)
{
	struct nvml_device *g = NULL;
	int rc = CALL("nvmlDeviceGetHandleByIndex_v2",
		      (unsigned int, struct nvml_device **))(i, &g);

	return rc ? NULL : g;
}

static inline int u32(const char *name)
{
	unsigned int v = 4711;
	int rc = U32(name)(gpu(0), &v);

	return rc ? -rc : (int)v;
}

static inline int keyed(const char *name, unsigned int key)
{
	unsigned int v = 4711;
	int rc = CALL(name, (struct nvml_device *, unsigned int,
			     unsigned int *))(gpu(0), key, &v);

	return rc ? -rc : (int)v;
}

static inline struct nvml_field_value field(unsigned int id, unsigned int scope)
{
	struct nvml_field_value f = { .field = id, .scope = scope };
	int rc = CALL("nvmlDeviceGetFieldValues",
		      (struct nvml_device *, int, struct nvml_field_value *))(
		gpu(0), 1, &f);

	if (rc)
		f.rc = rc;
	return f;
}

static inline long long field_number(unsigned int id, unsigned int scope)
{
	struct nvml_field_value f = field(id, scope);

	if (f.rc)
		return -f.rc;
	return f.type == NVML_TYPE_UINT	 ? (long long)f.value.u
	       : f.type == NVML_TYPE_INT ? f.value.i
					 : (long long)f.value.ull;
}

static inline int by_bus_id(const char *id)
{
	struct nvml_device *g = NULL;
	int rc = CALL("nvmlDeviceGetHandleByPciBusId_v2",
		      (const char *, struct nvml_device **))(id, &g);

	return rc ? -rc : g == gpu(0) ? 0 : 1;
}

static inline int rows(unsigned int out[4])
{
	return CALL("nvmlDeviceGetRemappedRows",
		    (struct nvml_device *, unsigned int *, unsigned int *,
		     unsigned int *, unsigned int *))(gpu(0), &out[0], &out[1],
						      &out[2], &out[3]);
}

static inline int init(void)
{
	return CALL("nvmlInit_v2", (void))();
}

static inline void write_scenario(const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/scenario.json", dir);
	unlink(path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	setenv("ASSAY_SCENARIO", path, 1);
}

/* Run body in a child with the fake loaded; its checks count here. */
static inline void in_child(void (*body)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		so = dlopen(library, RTLD_NOW | RTLD_LOCAL);
		if (!so) {
			fprintf(stderr, "# %s\n", dlerror());
			_exit(2);
		}
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static inline void play(const char *scenario, void (*body)(void))
{
	write_scenario(scenario);
	in_child(body);
}

/* In a child an assertion of cmocka cannot be used. */
#define SAME(have, want) \
	do { \
		long long h_ = (have), w_ = (want); \
		if (h_ != w_) { \
			fprintf(stderr, "# line %d: %s is %lld, not %lld\n", \
				__LINE__, #have, h_, w_); \
			_exit(1); \
		} \
	} while (0)

static inline int fake_set_up(void **state)
{
	const char *build = getenv("BUILD");
	char seq[80];

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_fake_nvml.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(seq, sizeof(seq), "%s/seq.d", dir);
	snprintf(library, sizeof(library),
		 "%s/tests/fake/.libs/libnvidia-ml.so.1", build ? build : ".");
	return mkdir(seq, 0700);
}

static inline int fake_tear_down(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

#endif
