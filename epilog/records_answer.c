/* SPDX-License-Identifier: Apache-2.0
 * A look at shared_dir by somebody who may be lost there. */
#include "config.h"
#include "epilog/records.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "lib/spawn.h"

#define ANSWER_MS 5000

/* What it finds does not matter. */
static int body(int sock, void *arg)
{
	char path[4200];
	DIR *dir;

	(void)sock;
	snprintf(path, sizeof(path), "%s/jobs", (const char *)arg);
	dir = opendir(path);
	if (dir) {
		(void)readdir(dir);
		closedir(dir);
	}
	return 0;
}

bool records_answer(const char *shared_dir, struct err *e)
{
	struct worker w;
	bool back;

	if (worker_start(&w, body, (void *)(uintptr_t)shared_dir, false) < 0) {
		err_errno(e, "look at %s", shared_dir);
		return false;
	}
	back = worker_wait(&w, ANSWER_MS);
	worker_stop(&w);
	if (back)
		return true;
	errno = ETIMEDOUT;
	err_set(e, "[paths] shared_dir %s does not answer", shared_dir);
	return false;
}
