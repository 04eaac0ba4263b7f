/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/track.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fdio.h"
#include "lib/track_file.h"

/* ---- merging ------------------------------------------------------------- */

enum rule { RULE_SUM, RULE_MEAN, RULE_MAX, RULE_MIN };

/* How the floats of a sample become those of two. */
struct part {
	size_t offset;
	enum rule rule;
};

#define GPU(member, how) { offsetof(struct track_sample, member), RULE_##how }
static const struct part gpu_parts[] = {
	GPU(busy, MEAN),	   GPU(sm, MEAN),	   GPU(tensor, MEAN),
	GPU(dram, MEAN),	   GPU(power_w, MEAN),	   GPU(power_max_w, MAX),
	GPU(energy_j, SUM),	   GPU(held_power_s, SUM), GPU(held_thermal_s, SUM),
	GPU(held_hw_s, SUM),	   GPU(nvlink_mb, SUM),	   GPU(pcie_mb, SUM),
	GPU(mem_used_mib, MAX),	   GPU(idle_s, SUM),
};

#define PORT(member, how) { offsetof(struct track_traffic, member), RULE_##how }
static const struct part port_parts[] = {
	PORT(tx_mb, SUM),   PORT(rx_mb, SUM),	   PORT(peak_gbps, MAX),
	PORT(errors, SUM),  PORT(retries, SUM),	   PORT(congestion, SUM),
	PORT(downs, SUM),   PORT(rate_gbit, MIN),
};

#define HOST(member, how) { offsetof(struct track_host, member), RULE_##how }
static const struct part host_parts[] = {
	HOST(cpu_s, SUM),      HOST(mem_mib, MAX),     HOST(read_mb, SUM),
	HOST(write_mb, SUM),   HOST(net_read_mb, SUM), HOST(net_write_mb, SUM),
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct kind {
	size_t bytes, count;
	const struct part *parts;
} kinds[] = {
	[TRACK_GPU] = { sizeof(struct track_sample), COUNT(gpu_parts),
			gpu_parts },
	[TRACK_PORT] = { sizeof(struct track_traffic), COUNT(port_parts),
			 port_parts },
	[TRACK_HOST] = { sizeof(struct track_host), COUNT(host_parts),
			 host_parts },
};

size_t track_bytes(enum track_kind kind)
{
	return kind >= TRACK_GPU && kind <= TRACK_HOST ? kinds[kind].bytes : 0;
}

/* What every sample begins with. */
struct span {
	int32_t from_s;
	float length_s;
};

static float at(const void *sample, size_t offset)
{
	float v;

	memcpy(&v, (const char *)sample + offset, sizeof(v));
	return v;
}

/* a over the time wa, then b over wb. What is unknown of one of them is not
 * made up: the other one's stays. */
static float blend(enum rule rule, const float v[2], const float w[2])
{
	if (isnan(v[0]))
		return v[1];
	if (isnan(v[1]))
		return v[0];
	switch (rule) {
	case RULE_SUM:
		return v[0] + v[1];
	case RULE_MAX:
		return v[0] > v[1] ? v[0] : v[1];
	case RULE_MIN:
		return v[0] < v[1] ? v[0] : v[1];
	default:
		return w[0] + w[1] > 0 ?
			       (v[0] * w[0] + v[1] * w[1]) / (w[0] + w[1]) :
			       v[0];
	}
}

static uint16_t blend_mhz(uint16_t a, uint16_t b, const float w[2])
{
	if (!a || !b)
		return a ? a : b;
	return (uint16_t)lroundf(
		blend(RULE_MEAN, (const float[]){ a, b }, w));
}

/* The members of a GPU's sample that are no floats. */
static void merge_words(struct track_sample *a, const struct track_sample *b,
			const float w[2])
{
	a->sm_mhz = blend_mhz(a->sm_mhz, b->sm_mhz, w);
	a->mem_mhz = blend_mhz(a->mem_mhz, b->mem_mhz, w);
	a->temp_c = a->temp_c > b->temp_c ? a->temp_c : b->temp_c;
	a->reasons |= b->reasons;
}

void track_merge(enum track_kind kind, void *into, const void *next)
{
	const struct kind *k = &kinds[kind];
	struct span *a = into;
	const struct span *b = next;
	const float w[2] = { a->length_s, b->length_s };
	float v;
	size_t i;

	for (i = 0; i < k->count; i++) {
		v = blend(k->parts[i].rule,
			  (const float[]){ at(into, k->parts[i].offset),
					   at(next, k->parts[i].offset) },
			  w);
		memcpy((char *)into + k->parts[i].offset, &v, sizeof(v));
	}
	if (kind == TRACK_GPU)
		merge_words(into, next, w);
	a->length_s += b->length_s;
}

/* ---- the file ------------------------------------------------------------ */

char *track_name(const char *device, char name[TRACK_NAME_SIZE])
{
	char *p;

	snprintf(name, TRACK_NAME_SIZE, "%.72s.track", device);
	for (p = name; *p; p++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			    "0123456789-_.:", *p))
			*p = '_';
	if (name[0] == '.')
		name[0] = '_';
	return name;
}

int track_head_read(int fd, enum track_kind kind, struct track_head *h)
{
	if (pread(fd, h, sizeof(*h), 0) == (ssize_t)sizeof(*h) &&
	    !memcmp(h->magic, TRACK_MAGIC, sizeof(h->magic)) &&
	    h->version == TRACK_VERSION && h->kind == (uint32_t)kind &&
	    h->sample_bytes == track_bytes(kind) && h->count <= TRACK_SAMPLES &&
	    h->stride > 0) {
		h->boot_id[sizeof(h->boot_id) - 1] = '\0';
		h->device[sizeof(h->device) - 1] = '\0';
		return 0;
	}
	errno = EINVAL;
	return -1;
}

static off_t place(const struct track *t, uint32_t i)
{
	return (off_t)(sizeof(t->head) + (size_t)i * t->head.sample_bytes);
}

static int put_head(const struct track *t)
{
	return pwrite(t->fd, &t->head, sizeof(t->head), 0) ==
			       (ssize_t)sizeof(t->head) ?
		       0 :
		       -1;
}

static int put_last(const struct track *t)
{
	return pwrite(t->fd, &t->last, t->head.sample_bytes,
		      place(t, t->head.count - 1)) ==
			       (ssize_t)t->head.sample_bytes ?
		       0 :
		       -1;
}

static int open_file(const struct track *t, int flags)
{
	return openat(t->dir, t->name,
		      O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags,
		      0600);
}

/* Is what lies there this track, of this boot? */
static bool take_up(struct track *t, const struct track_id *id)
{
	struct stat st;

	t->fd = open_file(t, 0);
	if (t->fd < 0)
		return false;
	if (fstat(t->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    track_head_read(t->fd, id->kind, &t->head) < 0 ||
	    strcmp(t->head.boot_id, id->boot_id) ||
	    strncmp(t->head.device, id->device, sizeof(t->head.device) - 1))
		return false;
	t->head.seq &= ~1U;	/* a writer may have been killed */
	if (!t->head.count)
		return true;
	return pread(t->fd, &t->last, t->head.sample_bytes,
		     place(t, t->head.count - 1)) ==
	       (ssize_t)t->head.sample_bytes;
}

void track_close(struct track *t)
{
	fdio_close(t->fd);
	t->fd = -1;
}

static int begin(struct track *t, const struct track_id *id)
{
	struct track_head *h = &t->head;

	track_close(t);
	memset(h, 0, sizeof(*h));
	memcpy(h->magic, TRACK_MAGIC, sizeof(h->magic));
	h->version = TRACK_VERSION;
	h->kind = (uint32_t)id->kind;
	h->sample_bytes = (uint32_t)track_bytes(id->kind);
	h->stride = 1;
	h->epoch_s = id->now.wall_s;
	h->epoch_up_s = id->now.up_s;
	snprintf(h->boot_id, sizeof(h->boot_id), "%s", id->boot_id);
	snprintf(h->device, sizeof(h->device), "%s", id->device);
	if (fdio_replace(t->dir, t->name, 0600, h, sizeof(*h)) < 0)
		return -1;
	t->fd = open_file(t, 0);
	return t->fd < 0 ? -1 : 0;
}

int track_open(struct track *t, int dir, const char *name,
	       const struct track_id *id)
{
	memset(t, 0, sizeof(*t));
	t->fd = -1;
	t->dir = dir;
	t->parted = true;
	if (!track_bytes(id->kind) || strlen(name) >= sizeof(t->name)) {
		errno = EINVAL;
		return -1;
	}
	memcpy(t->name, name, strlen(name) + 1);
	if (take_up(t, id) || begin(t, id) == 0)
		return 0;
	track_close(t);
	return -1;
}

void track_part(struct track *t)
{
	t->parted = true;
}

/* ---- making it shorter ---------------------------------------------------- */

/* The whole file in memory: head, samples. NULL with errno. */
static char *load(const struct track *t)
{
	size_t bytes = (size_t)place(t, t->head.count);
	char *buf = malloc(sizeof(t->head) +
			   TRACK_SAMPLES * (size_t)t->head.sample_bytes);

	if (buf && pread(t->fd, buf, bytes, 0) == (ssize_t)bytes)
		return buf;
	if (buf)
		errno = EIO;
	free(buf);
	return NULL;
}

static char *sample_of(const struct track *t, char *buf, uint32_t i)
{
	return buf + place(t, i);
}

/* buf becomes the file, and its last sample the one that goes on. */
static int store(struct track *t, char *buf)
{
	int fd;

	memcpy(buf, &t->head, sizeof(t->head));
	if (fdio_replace(t->dir, t->name, 0600, buf,
			 (size_t)place(t, t->head.count)) < 0)
		return -1;
	fd = open_file(t, 0);
	if (fd < 0)
		return -1;
	close(t->fd);
	t->fd = fd;
	if (t->head.count)
		memcpy(&t->last, sample_of(t, buf, t->head.count - 1),
		       t->head.sample_bytes);
	return 0;
}

static void halve(struct track *t, char *buf)
{
	size_t bytes = t->head.sample_bytes;
	uint32_t i, n = t->head.count / 2;

	for (i = 0; i < n; i++) {
		track_merge((enum track_kind)t->head.kind,
			    sample_of(t, buf, 2 * i),
			    sample_of(t, buf, 2 * i + 1));
		memmove(sample_of(t, buf, i), sample_of(t, buf, 2 * i), bytes);
	}
	if (t->head.count % 2) {
		memmove(sample_of(t, buf, n), sample_of(t, buf, 2 * n), bytes);
		n++;
	}
	t->head.count = n;
	t->head.stride *= 2;
	t->head.filled = t->head.stride;
}

static int shorten(struct track *t)
{
	struct track_head before = t->head;
	char *buf = load(t);
	int rc;

	if (!buf)
		return -1;
	halve(t, buf);
	rc = store(t, buf);
	if (rc < 0)
		t->head = before;
	free(buf);
	return rc;
}

int track_forget(struct track *t, int64_t before_up_s)
{
	struct track_head before = t->head;
	size_t bytes = t->head.sample_bytes;
	char *buf = load(t);
	uint32_t old = 0;
	int rc = 0;

	if (!buf)
		return -1;
	for (; old < t->head.count; old++) {
		const struct span *s = (void *)sample_of(t, buf, old);

		if ((double)t->head.epoch_up_s + s->from_s + s->length_s >
		    (double)before_up_s)
			break;
	}
	if (old) {
		t->head.count -= old;
		memmove(sample_of(t, buf, 0), sample_of(t, buf, old),
			t->head.count * bytes);
		if (!t->head.count)
			t->head.stride = 1;
		rc = store(t, buf);
		if (rc < 0)
			t->head = before;
	}
	free(buf);
	return rc;
}

/* ---- adding ---------------------------------------------------------------- */

/* As one of its own: it is whole before the head counts it. */
static int add_new(struct track *t, const void *sample)
{
	if (t->head.count == TRACK_SAMPLES && shorten(t) < 0)
		return -1;
	memcpy(&t->last, sample, t->head.sample_bytes);
	t->head.count++;
	t->head.filled = 1;
	if (put_last(t) == 0 && put_head(t) == 0) {
		t->parted = false;
		return 0;
	}
	t->head.count--;
	return -1;
}

static int add_to_last(struct track *t, const void *sample)
{
	int rc = -1;

	track_merge((enum track_kind)t->head.kind, &t->last, sample);
	t->head.filled++;
	t->head.seq++;
	if (put_head(t) == 0)
		rc = put_last(t);
	t->head.seq++;
	return put_head(t) < 0 ? -1 : rc;
}

int track_add(struct track *t, const void *sample)
{
	if (t->fd < 0) {
		errno = EBADF;
		return -1;
	}
	if (t->parted || !t->head.count || t->head.filled >= t->head.stride)
		return add_new(t, sample);
	return add_to_last(t, sample);
}
