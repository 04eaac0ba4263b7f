/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/gid.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "lib/scrub.h"

#define PORT "sys/class/infiniband/%s/ports/%d"

/* ---- the table ------------------------------------------------------------- */

/* An attribute of a place; the kernel refuses to read that of an empty one. */
static void read_attr(const struct roots *r, const char *path, int index,
		      const char *attr, char buf[16])
{
	char text[64];

	buf[0] = '\0';
	if (roots_readf(r, text, sizeof(text), "%s/gid_attrs/%s/%d", path,
			attr, index) > 0)
		scrub_copy(buf, 16, text);
}

/* 1: there is an address, 0: the place is empty, -1: there is no such place. */
static int read_place(const struct roots *r, const char *path, int index,
		      struct gid *g)
{
	static const unsigned char empty[16];
	char text[64], type[16];

	if (roots_readf(r, text, sizeof(text), "%s/gids/%d", path, index) < 0)
		return -1;
	memset(g, 0, sizeof(*g));
	if (inet_pton(AF_INET6, text, g->raw) != 1 ||
	    memcmp(g->raw, empty, sizeof(empty)) == 0)
		return 0;
	g->index = index;
	read_attr(r, path, index, "types", type);
	snprintf(g->type, sizeof(g->type), "%s", type);
	read_attr(r, path, index, "ndevs", g->netdev);
	return 1;
}

int gid_read(const struct roots *r, const char *device, int port,
	     struct gid gids[GIDS_MAX])
{
	char path[128];
	int i, rc, n = 0;

	snprintf(path, sizeof(path), PORT, device, port);
	for (i = 0; i < GIDS_MAX; i++) {
		rc = read_place(r, path, i, &gids[n]);
		if (rc < 0)
			break;
		n += rc;
	}
	return n;
}

/* ---- the choice ------------------------------------------------------------ */

/* The lower the better. */
static int rank(const struct gid *g, const char *own_netdev)
{
	struct in6_addr a;
	int class;

	memcpy(&a, g->raw, sizeof(a));
	if (strcmp(g->type, "RoCE v2"))
		class = 3;
	else if (IN6_IS_ADDR_V4MAPPED(&a))
		class = 0;
	else
		class = IN6_IS_ADDR_LINKLOCAL(&a) ? 2 : 1;
	return 2 * class + (strcmp(g->netdev, own_netdev) != 0);
}

const struct gid *gid_choose(const struct gid *gids, int count)
{
	const struct gid *best = NULL;
	int i;

	for (i = 0; i < count; i++)
		if (!best || rank(&gids[i], gids[0].netdev) <
				     rank(best, gids[0].netdev))
			best = &gids[i];
	return best;
}

char *gid_text(const struct gid *g, char buf[GID_TEXT_SIZE])
{
	if (!inet_ntop(AF_INET6, g->raw, buf, GID_TEXT_SIZE))
		buf[0] = '\0';
	return buf;
}
