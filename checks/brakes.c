/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/brakes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/become.h"
#include "lib/clock.h"
#include "lib/spawn.h"

#define OWNER_MAX 256

/* Who holds a token, and since when? -1 if it is not there. Whose taker died
 * before it wrote its name is nobody's, and ages as the others. */
static int token_read(int dir, const char *slot, char *owner, int64_t *since)
{
	char path[64];
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/node", slot);
	fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		if (errno != ENOENT ||
		    fstatat(dir, slot, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -1;
		owner[0] = '\0';
		*since = (int64_t)st.st_mtime;
		return 0;
	}
	n = read(fd, owner, OWNER_MAX - 1);
	if (n < 0 || fstat(fd, &st) < 0) {
		close(fd);
		return -1;
	}
	owner[n] = '\0';
	*since = (int64_t)st.st_mtime;
	close(fd);
	return 0;
}

static int token_write(int dir, const char *slot, const char *node)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/node", slot);
	fd = openat(dir, path,
		    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		    0640);
	if (fd < 0)
		return -1;
	n = write(fd, node, strlen(node));
	close(fd);
	return n == (ssize_t)strlen(node) ? 0 : -1;
}

/* An old token is renamed away; only one of several takers succeeds. */
static void token_expire(int dir, const char *slot, const char *node)
{
	char grave[OWNER_MAX + 32];
	char path[OWNER_MAX + 48];

	snprintf(grave, sizeof(grave), ".old-%s-%.200s", slot, node);
	if (renameat(dir, slot, dir, grave) < 0)
		return;
	snprintf(path, sizeof(path), "%s/node", grave);
	unlinkat(dir, path, 0);
	unlinkat(dir, grave, AT_REMOVEDIR);
}

/* Does this node hold a token already? Expired ones are cleared away. */
static bool holds_one(int dir, const char *node, int limit, int window_s,
		      int64_t now_s)
{
	char owner[OWNER_MAX];
	char slot[16];
	int64_t since;
	int i;

	for (i = 0; i < limit; i++) {
		snprintf(slot, sizeof(slot), "%d", i);
		if (token_read(dir, slot, owner, &since) < 0)
			continue;
		/* Of the future: somebody's clock was wrong. */
		if (now_s - since > window_s || since - now_s > window_s)
			token_expire(dir, slot, node);
		else if (!strcmp(owner, node))
			return true;
	}
	return false;
}

enum brake brakes_take_in(int tokens_dir, const char *rule, const char *node,
			  int limit, int window_s, int64_t now_s)
{
	enum brake answer = BRAKE_LIMIT;
	char slot[16];
	int dir;
	int i;

	if (mkdirat(tokens_dir, rule, 0750) < 0 && errno != EEXIST)
		return BRAKE_UNKNOWN;
	dir = openat(tokens_dir, rule,
		     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return BRAKE_UNKNOWN;
	if (holds_one(dir, node, limit, window_s, now_s)) {
		answer = BRAKE_FREE;
		goto out;
	}
	for (i = 0; i < limit; i++) {
		snprintf(slot, sizeof(slot), "%d", i);
		if (mkdirat(dir, slot, 0750) < 0) {
			if (errno == EEXIST)
				continue;
			answer = BRAKE_UNKNOWN;
			goto out;
		}
		/* Held from here on, even if the name cannot be written. */
		answer = token_write(dir, slot, node) < 0 ? BRAKE_UNKNOWN :
							    BRAKE_FREE;
		goto out;
	}
out:
	close(dir);
	return answer;
}

struct request {
	const char *dir, *user, *rule, *node;
	int limit, window_s;
};

static int take_body(int sock, void *arg)
{
	const struct request *q = arg;
	enum brake answer = BRAKE_UNKNOWN;
	int shared, tokens;

	umask(027);
	if (become_user(q->user) < 0)
		return 1;
	shared = open(q->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (shared < 0)
		return 1;
	if (mkdirat(shared, "tokens", 0750) < 0 && errno != EEXIST)
		return 1;
	tokens = openat(shared, "tokens",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (tokens < 0)
		return 1;
	answer = brakes_take_in(tokens, q->rule, q->node, q->limit,
				q->window_s, clock_wall_s());
	return worker_send(sock, &answer, sizeof(answer)) < 0;
}

enum brake brakes_take(const struct cfg *cfg, const char *rule,
		       const char *node, int deadline_ms, struct err *e)
{
	struct request q = {
		.dir = cfg_text(cfg, "paths", "shared_dir"),
		.user = cfg_text(cfg, "paths", "shared_user"),
		.rule = rule,
		.node = node,
		.limit = (int)cfg_int(cfg, "policy", "drains_per_rule"),
		.window_s = (int)cfg_int(cfg, "policy", "drains_window_s"),
	};
	enum brake answer = BRAKE_UNKNOWN;
	struct worker w;
	struct pollfd p;

	if (!*q.dir)
		return BRAKE_RANK;
	if (worker_start(&w, take_body, &q, false) < 0) {
		err_errno(e, "count drains in %s", q.dir);
		return BRAKE_UNKNOWN;
	}
	p = (struct pollfd){ .fd = w.sock, .events = POLLIN };
	if (poll(&p, 1, deadline_ms) <= 0 ||
	    worker_recv(&w, &answer, sizeof(answer)) != sizeof(answer)) {
		answer = BRAKE_UNKNOWN;
		err_set(e, "count drains in %s: no answer", q.dir);
	}
	worker_stop(&w);
	return answer;
}
