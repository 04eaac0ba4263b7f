/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "spank/faults.h"

#include "spank/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char faults[256];	/* words, each with a newline behind it */

void faults_load(const char *run)
{
	char path[512];
	struct stat st;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/spank-faults", run);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && !st.st_uid &&
	    !(st.st_mode & 022))
		n = read(fd, faults, sizeof(faults) - 1);
	if (fd >= 0)
		close(fd);
	faults[n > 0 ? n : 0] = '\0';
}

bool faults_on(const char *word)
{
	size_t len = strlen(word);
	const char *p;

	for (p = faults; (p = strstr(p, word)); p++)
		if ((p == faults || p[-1] == '\n') && p[len] == '\n')
			return true;
	return false;
}

int faults_return(const char *hook)
{
	const char *p = strstr(faults, "hooks=");
	int n = p ? atoi(p + 6) : 0;

	if (n)
		slurm_debug("assay: fault: %s returns %d", hook, n);
	return n;
}

ssize_t faults_write(int fd, const void *buf, size_t size)
{
	if (!faults_on("full"))
		return write(fd, buf, size);
	if (size > 1)
		return write(fd, buf, size / 2);
	errno = ENOSPC;
	return -1;
}
