/* SPDX-License-Identifier: Apache-2.0
 * kmsgs - a fixture root with a kernel log, for the tests that read one. */
#ifndef ASSAY_TESTS_KMSGS_H
#define ASSAY_TESTS_KMSGS_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/roots.h"
#include "tests/unit/unit.h"

static char kmsgs_dir[] = "/tmp/test_kmsg.XXXXXX";
static struct roots kmsgs_roots;

static inline void kmsgs_write(const char *path, const void *data, size_t len)
{
	int fd = openat(kmsgs_roots.fd, path,
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static inline void kmsgs_log(const char *text)
{
	kmsgs_write("dev/kmsg", text, strlen(text));
}

static inline void kmsgs_boot(const char *id)
{
	kmsgs_write("proc/sys/kernel/random/boot_id", id, strlen(id));
}

static inline int kmsgs_setup(void **state)
{
	static const char *const dirs[] = { "dev", "proc", "proc/sys",
					    "proc/sys/kernel",
					    "proc/sys/kernel/random" };
	size_t i;

	(void)state;
	if (!mkdtemp(kmsgs_dir) || roots_open(&kmsgs_roots, kmsgs_dir, NULL))
		return -1;
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (mkdirat(kmsgs_roots.fd, dirs[i], 0755))
			return -1;
	return 0;
}

static inline int kmsgs_teardown(void **state)
{
	static const char *const files[] = { "dev/kmsg", "proc/uptime",
		"proc/sys/kernel/random/boot_id" };
	static const char *const dirs[] = { "proc/sys/kernel/random",
		"proc/sys/kernel", "proc/sys", "proc", "dev" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlinkat(kmsgs_roots.fd, files[i], 0);
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		unlinkat(kmsgs_roots.fd, dirs[i], AT_REMOVEDIR);
	roots_close(&kmsgs_roots);
	return rmdir(kmsgs_dir);
}

#endif
