/* SPDX-License-Identifier: Apache-2.0
 * fake - play a scenario to a stand-in for a vendor's library, for tests of
 * it. Each is played in a child, because a fake reads its scenario once per
 * process. Define FAKE_LIBRARY ("libcuda.so.1") before. */
#ifndef ASSAY_TESTS_FAKE_H
#define ASSAY_TESTS_FAKE_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static char dir[64];
static char library[512];
static void *so;

/* A function of the fake, by its full name. */
#define CALL(name, args) ((int(*) args)dlsym(so, name))

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
	snprintf(dir, sizeof(dir), "/tmp/test_fake.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(seq, sizeof(seq), "%s/seq.d", dir);
	snprintf(library, sizeof(library), "%s/tests/fake/.libs/" FAKE_LIBRARY,
		 build ? build : ".");
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
