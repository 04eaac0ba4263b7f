/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/netfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/scrub.h"

#define TEXT_MAX (1024 * 1024)

static struct netfs_mount *add(struct netfs *n, const char *kind,
			       const char *mount)
{
	struct netfs_mount *m;

	if (n->count == NETFS_MAX)
		return NULL;
	m = &n->mount[n->count];
	memset(m, 0, sizeof(*m));
	snprintf(m->kind, sizeof(m->kind), "%s", kind);
	scrub_copy(m->mount, sizeof(m->mount), mount);
	return m;
}

static bool is_same(const struct netfs_mount *a, const struct netfs_mount *b)
{
	return !strcmp(a->kind, b->kind) && !strcmp(a->mount, b->mount);
}

/* What was added is whole. Two of one name, a mount on another or two clients
 * of a file system, are one: who looks for the name finds only one. */
static void keep(struct netfs *n)
{
	struct netfs_mount *m = &n->mount[n->count];
	int i;

	for (i = 0; i < n->count; i++)
		if (is_same(&n->mount[i], m)) {
			n->mount[i].read_bytes += m->read_bytes;
			n->mount[i].write_bytes += m->write_bytes;
			return;
		}
	n->count++;
}

/* ---- mounts, NFS's with their bytes --------------------------------------- */

/* What has been seen: the text's own words. */
struct seen {
	const char *device[NETFS_MAX];
	int count;
};

/* A file system that is bound elsewhere, too, tells the same bytes there. */
static bool is_new(struct seen *seen, const char *device)
{
	int i;

	for (i = 0; i < seen->count; i++)
		if (!strcmp(seen->device[i], device))
			return false;
	if (seen->count < NETFS_MAX)
		seen->device[seen->count++] = device;
	return true;
}

/* File systems of the network, by the kernel's names (or how they begin). */
static const struct {
	const char *type, *kind;
	bool tells; /* bytes, in the lines that follow */
} types[] = {
	{ "nfs", "nfs", true },
	{ "wekafs", "weka", false },
	{ "gpfs", "gpfs", false },
	{ "beegfs", "beegfs", false },
};

/* "device SERVER:/PATH mounted on /MNT with fstype nfs4 statvers=1.1": the
 * mount, if it is one of the network and was not told already. */
static struct netfs_mount *new_mount(char *line, struct seen *seen,
				     struct netfs *out)
{
	char *mount = strstr(line, " mounted on ");
	char *type = mount ? strstr(mount, " with fstype ") : NULL;
	struct netfs_mount *m = NULL;
	size_t i;

	if (!type)
		return NULL;
	*type = *mount = '\0';
	mount += strlen(" mounted on ");
	type += strlen(" with fstype ");
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strncmp(type, types[i].type, strlen(types[i].type)) &&
		    is_new(seen, line + 7)) {
			m = add(out, types[i].kind, mount);
			if (m)
				m->untold = !types[i].tells;
		}
	return m;
}

/* "bytes:" and eight numbers: read, written by the programs; the same past
 * the cache; from and to the server; pages. */
static bool nfs_bytes(const char *line, struct netfs_mount *m)
{
	line += strspn(line, " \t");
	return sscanf(line, "bytes: %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
		      &m->read_bytes, &m->write_bytes) == 2;
}

void netfs_parse_mounts(char *text, struct netfs *out)
{
	struct netfs_mount *now = NULL;
	struct seen seen = { .count = 0 };
	char *line, *save = NULL;

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "device ", 7)) {
			now = new_mount(line, &seen, out);
			if (now && now->untold)
				keep(out);
		} else if (now && !now->untold && nfs_bytes(line, now)) {
			keep(out);
			now = NULL;
		}
	}
}

static void read_mounts(const struct roots *r, struct netfs *out)
{
	char *text = roots_slurp(r, "proc/self/mountstats", TEXT_MAX, NULL);

	if (text)
		netfs_parse_mounts(text, out);
	free(text);
}

/* ---- Lustre -------------------------------------------------------------- */

/* "read_bytes 10 samples [bytes] 4096 4096 40960": count, least, most, sum. */
static bool lustre_sum(const char *text, const char *key, uint64_t *out)
{
	const char *line = text;

	/* Not "osc_read_bytes". */
	while ((line = strstr(line, key)) && line != text && line[-1] != '\n')
		line++;
	return line && sscanf(line + strlen(key),
			      " %*u samples [bytes] %*u %*u %" SCNu64,
			      out) == 1;
}

bool netfs_parse_lustre(const char *text, struct netfs_mount *m)
{
	bool read = lustre_sum(text, "read_bytes", &m->read_bytes);
	bool written = lustre_sum(text, "write_bytes", &m->write_bytes);

	return read || written;
}

struct lustre {
	const struct roots *r;
	const char *dir;
	struct netfs *out;
};

/* "scratch-ffff8881f2a0e000": one client of the file system scratch. */
static int lustre_client(const char *name, void *arg)
{
	const struct lustre *l = arg;
	const char *dash = strrchr(name, '-');
	char path[256], fs[104];
	struct netfs_mount *m;
	char *text;

	snprintf(fs, sizeof(fs), "%.*s",
		 dash ? (int)(dash - name) : (int)sizeof(fs), name);
	m = add(l->out, "lustre", fs);
	if (!m)
		return 1;
	snprintf(path, sizeof(path), "%s/%.120s/stats", l->dir, name);
	text = roots_slurp(l->r, path, TEXT_MAX, NULL);
	if (text && netfs_parse_lustre(text, m))
		keep(l->out);
	free(text);
	return 0;
}

static void read_lustre(const struct roots *r, struct netfs *out)
{
	static const char *const dirs[] = {
		"proc/fs/lustre/llite",
		"sys/kernel/debug/lustre/llite", /* since 2.12 or so */
	};
	struct lustre l = { r, NULL, out };
	int before = out->count;
	size_t i;

	for (i = 0; i < 2 && out->count == before; i++) {
		l.dir = dirs[i];
		roots_each(r, l.dir, lustre_client, &l);
	}
}

/* ---- both ---------------------------------------------------------------- */

void netfs_read(const struct roots *r, struct netfs *out)
{
	memset(out, 0, sizeof(*out));
	read_mounts(r, out);
	read_lustre(r, out);
}

const struct netfs_mount *netfs_find(const struct netfs *n,
				     const struct netfs_mount *like)
{
	int i;

	for (i = 0; i < n->count; i++)
		if (is_same(&n->mount[i], like))
			return &n->mount[i];
	return NULL;
}

static struct netfs_mount *base_of(struct netfs *base,
				   const struct netfs_mount *like)
{
	int i;

	for (i = 0; i < base->count; i++)
		if (is_same(&base->mount[i], like))
			return &base->mount[i];
	if (base->count == NETFS_MAX)
		return NULL;
	base->mount[base->count] = *like;
	return &base->mount[base->count++];
}

void netfs_resets(struct netfs *base, const struct netfs *last,
		  const struct netfs *now)
{
	const struct netfs_mount *is;
	struct netfs_mount *to;
	int i;

	for (i = 0; now->count && i < last->count; i++) {
		is = netfs_find(now, &last->mount[i]);
		if (is && is->read_bytes >= last->mount[i].read_bytes &&
		    is->write_bytes >= last->mount[i].write_bytes)
			continue;
		to = base_of(base, &last->mount[i]);
		if (to)
			to->read_bytes = to->write_bytes = NETFS_RESET;
	}
}
