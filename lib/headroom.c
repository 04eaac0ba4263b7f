/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/headroom.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int64_t machine(const struct roots *r)
{
	char *text = roots_slurp(r, "proc/meminfo", 1 << 16, NULL);
	const char *line = text ? strstr(text, "MemAvailable:") : NULL;
	int64_t kb = -1;

	if (line && sscanf(line, "MemAvailable: %" SCNd64, &kb) != 1)
		kb = -1;
	free(text);
	return kb < 0 ? -1 : kb * 1024;
}

static int64_t stat_bytes(const char *text, const char *key)
{
	size_t n = strlen(key);
	const char *line;

	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, n) && line[n] == ' ')
			return strtoll(line + n, NULL, 10);
	}
	return 0;
}

/* What memory.current counts and the kernel gives back before it kills: files
 * that nobody has used lately, and its own caches. */
static int64_t reclaimable(const struct roots *r, const char *path)
{
	char name[4200];
	char *text;
	int64_t bytes;

	snprintf(name, sizeof(name), "sys/fs/cgroup%s/memory.stat", path);
	text = roots_slurp(r, name, 1 << 16, NULL);
	if (!text)
		return 0;
	bytes = stat_bytes(text, "inactive_file") +
		stat_bytes(text, "slab_reclaimable");
	free(text);
	return bytes;
}

/* What one cgroup leaves; -1: it has no limit. */
static int64_t cgroup(const struct roots *r, const char *path)
{
	uint64_t max, now, again;

	if (roots_read_u64(r, &max, "sys/fs/cgroup%s/memory.max", path) < 0 ||
	    roots_read_u64(r, &now, "sys/fs/cgroup%s/memory.current", path) < 0)
		return -1;
	again = (uint64_t)reclaimable(r, path);
	now -= again < now ? again : now;
	return max > now ? (int64_t)(max - now) : 0;
}

int64_t headroom_bytes(const struct roots *r)
{
	int64_t room = machine(r);
	char text[4096];
	char *path, *end;

	if (roots_read(r, "proc/self/cgroup", text, sizeof(text)) < 0)
		return room;
	path = strstr(text, "0::/");
	if (!path)
		return room;
	path += 3;
	path[strcspn(path, "\n")] = '\0';
	while (*path) {
		room = least(room, cgroup(r, path));
		end = strrchr(path, '/');
		*end = '\0';
	}
	return room;
}
