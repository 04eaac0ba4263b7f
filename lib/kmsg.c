/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"

#define ERRORS_MAX 16

int kmsg_open(struct kmsg *k, const struct roots *r, struct err *e)
{
	struct stat st;

	memset(k, 0, sizeof(*k));
	k->deadline_ms = clock_mono_ms() + KMSG_TIME_MS;
	/* Not blocking: neither at the end of the log nor on a FIFO. */
	k->fd = roots_openat(r, "dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (k->fd < 0)
		return err_errno(e, "open the kernel log");
	if (fstat(k->fd, &st) < 0) {
		err_errno(e, "look at the kernel log");
		kmsg_close(k);
		return -1;
	}
	k->device = S_ISCHR(st.st_mode);
	if (!k->device && !S_ISREG(st.st_mode)) {
		kmsg_close(k);
		errno = EINVAL;
		return err_set(e, "dev/kmsg is neither device nor file");
	}
	return 0;
}

void kmsg_again(struct kmsg *k)
{
	k->deadline_ms = clock_mono_ms() + KMSG_TIME_MS;
	k->errors = 0;
	k->bytes = 0;
	k->cut = false;
}

void kmsg_close(struct kmsg *k)
{
	int saved = errno;

	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
	errno = saved;
}

/* Is there room under the bounds for another read? */
static bool may_go_on(struct kmsg *k)
{
	if (k->errors < ERRORS_MAX && k->bytes < KMSG_BYTES_MAX &&
	    clock_mono_ms() < k->deadline_ms)
		return true;
	k->cut = true;
	return false;
}

/* read(2) without EINTR, counted. */
static ssize_t read_some(struct kmsg *k, char *buf, size_t size)
{
	ssize_t n;

	do {
		if (!may_go_on(k))
			return 0;
		n = read(k->fd, buf, size);
		if (n < 0)
			k->errors += errno == EINTR;
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		k->bytes += n;
	return n;
}

/* NULs would hide the rest of a line from everything that follows. */
static char *terminate(char *line, size_t len)
{
	char *nul;

	line[len] = '\0';
	while ((nul = memchr(line, '\0', len)))
		*nul = '?';
	return line;
}

/* One record per read: EPIPE tells that the ring overran us (the next read
 * goes on behind the gap), EINVAL that one record did not fit. */
static char *device_line(struct kmsg *k, int *rc)
{
	char *newline;
	ssize_t n;

	for (;;) {
		n = read_some(k, k->buf, KMSG_BUF);
		if (n > 0)
			break;
		*rc = 0;
		if (n == 0 || errno == EAGAIN)
			return NULL;
		k->errors++;
		k->gap = k->gap || errno == EPIPE || errno == EINVAL;
		if (errno != EPIPE && errno != EINVAL) {
			*rc = -1;
			return NULL;
		}
	}
	newline = memchr(k->buf, '\n', (size_t)n);
	return terminate(k->buf, newline ? (size_t)(newline - k->buf) :
					   (size_t)n);
}

/* Move what is left to the front and read behind it. */
static ssize_t refill(struct kmsg *k)
{
	ssize_t n;

	memmove(k->buf, k->buf + k->from, k->have);
	k->from = 0;
	n = read_some(k, k->buf + k->have, KMSG_BUF - k->have);
	if (n > 0)
		k->have += (size_t)n;
	return n;
}

static char *take(struct kmsg *k, size_t len, size_t used)
{
	char *line = k->buf + k->from;

	k->from += used;
	k->have -= used;
	return terminate(line, len);
}

static char *file_line(struct kmsg *k, int *rc)
{
	char *newline, *line;
	size_t len;
	ssize_t n;

	for (;;) {
		newline = memchr(k->buf + k->from, '\n', k->have);
		if (newline) {
			len = (size_t)(newline - (k->buf + k->from));
			line = take(k, len, len + 1);
			if (!k->skipping)
				return line;
			k->skipping = false;
			continue;
		}
		if (k->have == KMSG_BUF) {
			line = take(k, KMSG_BUF, KMSG_BUF);
			if (!k->skipping) {
				k->skipping = true;
				return line;
			}
		}
		n = refill(k);
		if (n > 0)
			continue;
		*rc = n < 0 ? -1 : 0;
		if (n < 0 || !k->have || k->cut || k->skipping)
			return NULL;
		return take(k, k->have, k->have);
	}
}

int kmsg_next(struct kmsg *k, struct kmsg_record *rec)
{
	char *line;
	int rc = 0;

	do {
		line = k->device ? device_line(k, &rc) : file_line(k, &rc);
		if (!line)
			return rc;
	} while (kmsg_parse(line, rec) < 0);
	return 1;
}

/* An unsigned number that ends at one of the bytes of ends. */
static bool number(const char **p, uint64_t max, const char *ends,
		   uint64_t *out)
{
	const char *s = *p;
	uint64_t v = 0;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (v > (max - (uint64_t)(*s - '0')) / 10)
			return false;
		v = v * 10 + (uint64_t)(*s - '0');
	}
	if (!*s || !strchr(ends, *s))
		return false;
	*p = s + 1;
	*out = v;
	return true;
}

int kmsg_parse(const char *line, struct kmsg_record *rec)
{
	uint64_t prio, usec;
	const char *p = line;

	/* All numbers leave room for arithmetic, and for JSON's integers. */
	if (!number(&p, 0xffff, ",", &prio) ||
	    !number(&p, INT64_MAX - 1, ",", &rec->seq) ||
	    !number(&p, INT64_MAX, ",", &usec))
		return -1;
	rec->flag = *p;
	/* Newer kernels add fields ("caller=T1") behind the flags. */
	p = strchr(p, ';');
	if (!p || (rec->flag != '-' && rec->flag != 'c' && rec->flag != '+'))
		return -1;
	rec->prio = (unsigned int)prio;
	rec->usec = (int64_t)usec;
	rec->text = p + 1;
	return 0;
}

bool kmsg_is_kernels(const struct kmsg_record *rec)
{
	return rec->prio >> 3 == 0 && rec->flag == '-';
}
