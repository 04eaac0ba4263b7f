/* SPDX-License-Identifier: Apache-2.0
 * storage - read an existing file past the page cache, a few blocks at a time:
 * how much comes in a second, and how long one block in a hundred takes. The
 * file is never written, and no other is looked at. */
#include "config.h"
#include "probes/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/roots.h"
#include "probes/crew.h"

#define BLOCK (1 << 20)
#define READERS 8		/* blocks on their way at once */
#define ALIGN 4096
#define FILE_NAME "assay-read.dat"
#define END_MS 500		/* before nobody waits any more */

struct reading {
	int fd;
	int64_t blocks;		/* to be read */
	int64_t until_ms;
	float *ms;		/* of each block; 0 not read */
	atomic_llong next, bytes;
	atomic_int rc;		/* the first errno */
};

/* ---- the file -------------------------------------------------------------- */

static int unable(struct probe_shot *shot, const char *what, const char *path)
{
	return device_unable(shot, "%s %.80s: %.30s", what, path,
			     strerror(errno));
}

/* A directory stands for the file in it that the manual names. */
static int open_file(const struct crew_plan *plan, struct probe_shot *shot,
		     bool *direct)
{
	const int flags = O_RDONLY | O_NONBLOCK;
	char path[4200];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s", plan->storage_path);
	fd = roots_openat(plan->roots, path, flags);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		snprintf(path, sizeof(path), "%.4000s/" FILE_NAME,
			 plan->storage_path);
		fd = roots_openat(plan->roots, path, flags);
	}
	if (fd < 0)
		return unable(shot, "open", path);
	/* Not every file system can; the next best is to drop the pages. */
	*direct = fcntl(fd, F_SETFL, O_DIRECT) == 0;
	if (!*direct)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return fd;
}

/* Whole blocks only: a file's end is no multiple of anything. */
static int count_blocks(struct reading *r, const struct crew_plan *plan,
			struct probe_shot *shot)
{
	struct stat st;

	if (fstat(r->fd, &st) < 0)
		return unable(shot, "stat", plan->storage_path);
	if (!S_ISREG(st.st_mode))
		return device_unable(shot, "%.80s is no regular file",
				     plan->storage_path);
	r->blocks = st.st_size / BLOCK;
	if (r->blocks > plan->storage_mb)
		r->blocks = plan->storage_mb;
	if (r->blocks < 1)
		return device_unable(shot, "%.80s has less than 1 MiB",
				     plan->storage_path);
	return 0;
}

/* ---- reading --------------------------------------------------------------- */

static int read_block(struct reading *r, int64_t i, char *buffer)
{
	ssize_t n, have = 0;

	while (have < BLOCK) {
		n = pread(r->fd, buffer + have, (size_t)(BLOCK - have),
			  i * BLOCK + have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : ENODATA;	/* it was cut off */
			return -1;
		}
		have += n;
	}
	return 0;
}

static void *reader(void *arg)
{
	struct reading *r = arg;
	int64_t i, began;
	int none = 0;
	char *buffer;

	if (posix_memalign((void **)&buffer, ALIGN, BLOCK))
		return NULL;
	while ((i = atomic_fetch_add(&r->next, 1)) < r->blocks &&
	       clock_mono_ms() < r->until_ms && !atomic_load(&r->rc)) {
		began = clock_mono_us();
		if (read_block(r, i, buffer) < 0) {
			atomic_compare_exchange_strong(&r->rc, &none, errno);
			break;
		}
		r->ms[i] = (float)(clock_mono_us() - began + 1) / 1e3f;
		atomic_fetch_add(&r->bytes, BLOCK);
	}
	free(buffer);
	return NULL;
}

/* So many at once that neither a disk nor a server waits for us. */
static void read_all(struct reading *r)
{
	pthread_t thread[READERS];
	int i, n;

	for (n = 0; n < READERS && n < r->blocks; n++)
		if (pthread_create(&thread[n], NULL, reader, r))
			break;
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

/* ---- what came of it ------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* So that 99 of 100 took no longer. */
static double p99_ms(struct reading *r)
{
	int64_t i, n = 0;

	for (i = 0; i < r->blocks; i++)
		if (r->ms[i] > 0)
			r->ms[n++] = r->ms[i];
	qsort(r->ms, (size_t)n, sizeof(*r->ms), by_size);
	return (double)r->ms[(99 * n + 99) / 100 - 1];
}

static void sum_up(struct reading *r, struct probe_shot *shot, double seconds)
{
	double bytes = (double)atomic_load(&r->bytes);
	int rc = atomic_load(&r->rc);

	if (rc) {
		shot->end = PROBE_FAULT;
		shot->rc = rc;
		snprintf(shot->call, sizeof(shot->call), "pread");
		snprintf(shot->why, sizeof(shot->why), "read: %.80s",
			 strerror(rc));
	} else if (bytes <= 0) {
		device_unable(shot, "nothing was read");
	} else {
		shot->figure[0] = bytes / seconds / 1e9;
		shot->figure[1] = p99_ms(r);
		shot->figure[2] = bytes / (1 << 30);
		shot->end = PROBE_DONE;
	}
}

void measure_storage(const struct crew_plan *plan, struct facts_probes *out,
		     int n, int64_t until_ms)
{
	struct probe_shot *shot = &out->storage.shot[n];
	struct reading r = { .until_ms = until_ms - END_MS };
	int64_t began;

	measure_begin(NULL, shot);
	r.fd = open_file(plan, shot, &out->storage_direct);
	if (r.fd < 0)
		return;
	if (count_blocks(&r, plan, shot) == 0) {
		r.ms = calloc((size_t)r.blocks, sizeof(*r.ms));
		began = clock_mono_us();
		if (r.ms)
			read_all(&r);
		shot->elapsed_us = clock_mono_us() - began;
		sum_up(&r, shot, (double)shot->elapsed_us / 1e6);
	}
	free(r.ms);
	close(r.fd);
}
