/* SPDX-License-Identifier: Apache-2.0
 * The reader's side of track: it may meet anything. */
#include "config.h"
#include "lib/track.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/fdio.h"
#include "lib/track_file.h"

#define TRIES 8
#define LENGTH_MAX_S 1e9

/* How many samples the file has of those that its head counts. */
static int samples_there(int fd, const struct track_head *h)
{
	struct stat st;
	int64_t n;

	if (fstat(fd, &st) < 0)
		return 0;
	n = (st.st_size - (int64_t)sizeof(*h)) / h->sample_bytes;
	return n < h->count ? (n > 0 ? (int)n : 0) : (int)h->count;
}

/* One attempt: 1 it was quiet, 0 it was not, -1 no track. */
static int copy(int fd, enum track_kind kind, struct track_copy *c)
{
	struct track_head after;
	ssize_t n;

	if (track_head_read(fd, kind, &c->head) < 0)
		return -1;
	c->count = samples_there(fd, &c->head);
	c->torn = c->count < (int)c->head.count;
	n = pread(fd, c->samples.any, (size_t)c->count * c->head.sample_bytes,
		  sizeof(c->head));
	if (n < (ssize_t)((size_t)c->count * c->head.sample_bytes)) {
		c->count = n > 0 ? (int)((size_t)n / c->head.sample_bytes) : 0;
		c->torn = true;
	}
	if (track_head_read(fd, kind, &after) < 0)
		return -1;
	return !(after.seq & 1) && after.seq == c->head.seq;
}

/* What has no time that can be believed, and all behind it, is left out. */
static void cut(struct track_copy *c)
{
	const char *p = c->samples.any;
	float length;
	int i;

	for (i = 0; i < c->count; i++, p += c->head.sample_bytes) {
		memcpy(&length, p + sizeof(int32_t), sizeof(length));
		if (!(length >= 0) || length > LENGTH_MAX_S)
			break;
	}
	c->torn |= i < c->count;
	c->count = i;
}

static int copy_quiet(int fd, enum track_kind kind, struct track_copy *c)
{
	int rc = 0;
	int i;

	for (i = 0; i < TRIES && rc == 0; i++) {
		if (i)
			clock_sleep_ms(1);
		rc = copy(fd, kind, c);
	}
	if (rc < 0)
		return -1;
	c->torn |= rc == 0;
	cut(c);
	return 0;
}

int track_read(int dir, const char *name, enum track_kind kind,
	       struct track_copy *out)
{
	struct stat st;
	int rc = -1;
	int fd;

	memset(out, 0, sizeof(*out));
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	errno = EINVAL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !track_bytes(kind))
		goto out;
	out->samples.any = calloc(TRACK_SAMPLES, track_bytes(kind));
	if (out->samples.any)
		rc = copy_quiet(fd, kind, out);
out:
	fdio_close(fd);
	if (rc < 0)
		track_copy_fini(out);
	return rc;
}

void track_copy_fini(struct track_copy *c)
{
	int saved = errno;

	free(c->samples.any);
	memset(c, 0, sizeof(*c));
	errno = saved;
}
