/* SPDX-License-Identifier: Apache-2.0
 * The numbers in the files of a cgroup. */
#include "config.h"
#include "lib/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (256 * 1024)	/* io.stat of a machine full of disks */
#define NO_LIMIT (1ULL << 62)	/* v1 says 2^63 less a page */
#define BELOW_DEPTH 3		/* job, step, task */

struct reading {
	const struct roots *r;
	const char *key;	/* what to look for in a line */
	uint64_t sum;
	bool found;
};

/* A file's meaning: adds to q->sum, sets q->found, or leaves both. */
typedef void (*parse_f)(struct reading *q, const char *text);

static bool number_at(const char *p, uint64_t *out)
{
	char *end;

	if (*p < '0' || *p > '9')
		return false;
	errno = 0;
	*out = strtoull(p, &end, 10);
	return !errno && (!*end || strchr(" \t\n", *end));
}

static void parse_number(struct reading *q, const char *text)
{
	q->found = number_at(text, &q->sum);
}

static void parse_ns(struct reading *q, const char *text)
{
	parse_number(q, text);
	q->sum /= 1000;
}

/* "key number" on a line of its own. */
static void parse_key(struct reading *q, const char *text)
{
	size_t len = strlen(q->key);
	const char *line;
	uint64_t n;

	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, q->key, len) != 0 || line[len] != ' ' ||
		    !number_at(line + len + 1, &n))
			continue;
		q->sum += n;
		q->found = true;
	}
}

static int stop(const char *name, void *arg)
{
	(void)name;
	(void)arg;
	return 1;
}

/* A device on top of others (LVM, RAID): the same bytes are told of those. */
static bool is_stacked(const struct roots *r, const char *device, size_t len)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/dev/block/%.*s/slaves",
		 len > 32 ? 32 : (int)len, device);
	return roots_each(r, path, stop, NULL) == 1;
}

/* "8:0 rbytes=1 wbytes=2 ..." or, in v1, "8:0 Read 1": the sum over devices.
 * A file without a line says that nothing was moved. */
static void parse_devices(struct reading *q, const char *text)
{
	const char *line = text;
	const char *end, *p;
	size_t len;
	uint64_t n;

	q->found = true;
	for (; *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		len = strcspn(line, " \n");
		p = strstr(line, q->key);
		if (!memchr(line, ':', len) || !p || p >= end ||
		    !number_at(p + strlen(q->key), &n) ||
		    is_stacked(q->r, line, len))
			continue;
		q->sum += n;
	}
}

struct source {
	enum cgroup_number number;
	enum cgroup_tree tree;
	const char *file;
	parse_f parse;
	const char *key;
};

#define V1_IO "blkio.throttle.io_service_bytes_recursive"

static const struct source sources[] = {
	{ CGROUP_CPU_US, CGROUP_V2, "cpu.stat", parse_key, "usage_usec" },
	{ CGROUP_CPU_US, CGROUP_CPUACCT, "cpuacct.usage", parse_ns, NULL },
	{ CGROUP_MEM_PEAK_BYTES, CGROUP_V2, "memory.peak", parse_number, NULL },
	{ CGROUP_MEM_PEAK_BYTES, CGROUP_MEMORY, "memory.max_usage_in_bytes",
	  parse_number, NULL },
	{ CGROUP_MEM_LIMIT_BYTES, CGROUP_V2, "memory.max", parse_number, NULL },
	{ CGROUP_MEM_LIMIT_BYTES, CGROUP_V2, "user/memory.max", parse_number,
	  NULL },
	{ CGROUP_MEM_LIMIT_BYTES, CGROUP_MEMORY, "memory.limit_in_bytes",
	  parse_number, NULL },
	{ CGROUP_OOM_KILLS, CGROUP_V2, "memory.events", parse_key, "oom_kill" },
	{ CGROUP_OOM_KILLS, CGROUP_MEMORY, "memory.oom_control", parse_key,
	  "oom_kill" },
	{ CGROUP_IO_READ_BYTES, CGROUP_V2, "io.stat", parse_devices,
	  " rbytes=" },
	{ CGROUP_IO_READ_BYTES, CGROUP_BLKIO, V1_IO, parse_devices, " Read " },
	{ CGROUP_IO_WRITE_BYTES, CGROUP_V2, "io.stat", parse_devices,
	  " wbytes=" },
	{ CGROUP_IO_WRITE_BYTES, CGROUP_BLKIO, V1_IO, parse_devices,
	  " Write " },
};

#define SOURCES ((int)(sizeof(sources) / sizeof(sources[0])))

const char *cgroup_number_name(enum cgroup_number number)
{
	static const char *const name[CGROUP_NUMBERS] = {
		"cpu_us",    "mem_peak_bytes", "mem_limit_bytes",
		"oom_kills", "io_read_bytes",  "io_write_bytes"
	};

	return name[number];
}

/* v1 counts a kill in the directory of the killed, and nowhere above. */
static bool is_of_one_directory(const struct source *s)
{
	return s->number == CGROUP_OOM_KILLS && s->tree == CGROUP_MEMORY;
}

struct visit {
	const struct source *source;
	struct reading *q;
	const char *why;
	char dir[CGROUP_PATH_BYTES];
	int depth;
};

static void visit(struct visit *v);

static int visit_below(const char *name, void *arg)
{
	const struct visit *up = arg;
	struct visit v = { .source = up->source, .q = up->q,
			   .depth = up->depth + 1 };
	int n = snprintf(v.dir, sizeof(v.dir), "%s/%s", up->dir, name);

	if (n > 0 && (size_t)n < sizeof(v.dir) &&
	    roots_exists(v.q->r, "%s/cgroup.procs", v.dir))
		visit(&v);
	return 0;
}

/* The file is not there. memory.peak came last, with Linux 5.19. */
static const char *why_not(const struct visit *v)
{
	if (errno != ENOENT)
		return CGROUP_UNREADABLE;
	if (v->source->number == CGROUP_MEM_PEAK_BYTES &&
	    roots_exists(v->q->r, "%s/memory.current", v->dir))
		return CGROUP_TOO_OLD;
	return CGROUP_NOT_USED;
}

static void visit(struct visit *v)
{
	char path[CGROUP_PATH_BYTES + 64];
	char *text;

	snprintf(path, sizeof(path), "%s/%s", v->dir, v->source->file);
	text = roots_slurp(v->q->r, path, TEXT_MAX, NULL);
	v->why = text ? CGROUP_UNREADABLE : why_not(v);
	if (text)
		v->source->parse(v->q, text);
	if (v->q->found)
		v->why = NULL;
	else if (text && !strncmp(text, "max", 3))
		v->why = CGROUP_NO_LIMIT;
	free(text);
	if (is_of_one_directory(v->source) && v->depth < BELOW_DEPTH)
		roots_each(v->q->r, v->dir, visit_below, v);
}

static struct cgroup_value read_source(const struct roots *r,
				       const struct source *s, const char *dir)
{
	struct reading q = { .r = r, .key = s->key };
	struct visit v = { .source = s, .q = &q };
	struct cgroup_value out;

	snprintf(v.dir, sizeof(v.dir), "%s", dir);
	visit(&v);
	out = (struct cgroup_value){ q.sum, v.why };
	if (s->number == CGROUP_MEM_LIMIT_BYTES && out.n >= NO_LIMIT)
		out.why = CGROUP_NO_LIMIT;
	if (out.why)
		out.n = 0;
	return out;
}

/* Why a number is not known is the first source's to say. */
static void take(struct cgroup_value *out, const struct cgroup_value *v,
		 bool first)
{
	if (first || !v->why)
		*out = *v;
}

void cgroup_read(const struct roots *r, const struct cgroup *c,
		 struct cgroup_usage *out)
{
	const char *none = cgroup_found(c) ? CGROUP_NOT_USED : CGROUP_NO_CGROUP;
	bool tried[CGROUP_NUMBERS] = { false };
	const struct source *s;
	struct cgroup_value v;
	int i;

	for (i = 0; i < CGROUP_NUMBERS; i++)
		out->value[i] = (struct cgroup_value){ 0, none };
	for (s = sources; s < sources + SOURCES; s++) {
		if (!c->dir[s->tree][0] || !out->value[s->number].why)
			continue;
		v = read_source(r, s, c->dir[s->tree]);
		take(&out->value[s->number], &v, !tried[s->number]);
		tried[s->number] = true;
	}
}
