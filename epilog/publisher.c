/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/publisher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epilog/job_metrics.h"
#include "epilog/records.h"
#include "epilog/spool.h"
#include "lib/become.h"
#include "lib/clock.h"
#include "lib/fdio.h"
#include "lib/spawn.h"

#define DEADLINE_MS 60000
#define PRUNE_EVERY_S 3600
#define TAKEN ".taken" /* behind the name of what is on its way */
#define STAMP ".pruned"

/* ---- one record, as the shared user ------------------------------------------- */

struct parcel {
	const struct publisher *p;
	const char *name; /* JOB.RESTART.NODE.json */
	char *text;
	size_t size;
};

/* "123.0.n1.json": "123.0", and where "n1.json" begins; NULL. */
static const char *split(const char *name, char job[64])
{
	const char *dot = strchr(name, '.');
	const char *node = dot ? strchr(dot + 1, '.') : NULL;

	if (!node || node - name >= 64)
		return NULL;
	snprintf(job, 64, "%.*s", (int)(node - name), name);
	return node + 1;
}

static int open_made(int at, const char *name)
{
	if (mkdirat(at, name, 0750) < 0 && errno != EEXIST)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int put(const struct parcel *q)
{
	char job[64];
	const char *node = split(q->name, job);
	int shared = open(q->p->shared_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int jobs = shared < 0 ? -1 : open_made(shared, "jobs");
	int dir = jobs < 0 || !node ? -1 : open_made(jobs, job);
	int rc = -1;

	if (dir >= 0)
		rc = fdio_replace(dir, node, 0640, q->text, q->size);
	fdio_close(dir);
	fdio_close(jobs);
	fdio_close(shared);
	return rc;
}

static int put_body(int sock, void *arg)
{
	const struct parcel *q = arg;
	int error = 0;

	umask(027);
	if (become_user(q->p->shared_user) < 0 || put(q) < 0)
		error = errno ? errno : EIO;
	return worker_send(sock, &error, sizeof(error)) < 0;
}

/* 0, or -1 with errno. A child that hangs in the file system keeps the lock
 * that it has inherited: nobody else is sent there before it is gone. */
static int send_parcel(const struct parcel *q)
{
	int error = ETIMEDOUT;
	struct worker w;
	struct pollfd fd;

	if (worker_start(&w, put_body, (void *)q, false) < 0)
		return -1;
	fd = (struct pollfd){ .fd = w.sock, .events = POLLIN };
	if (poll(&fd, 1, q->p->deadline_ms) > 0 &&
	    worker_recv(&w, &error, sizeof(error)) != sizeof(error))
		error = EIO;
	worker_stop(&w);
	errno = error;
	return error ? -1 : 0;
}

/* ---- what is pending ----------------------------------------------------------- */

/* Under its own name again, unless a newer one has that by now. */
static void give_back(int dir, const char *taken, const char *name)
{
	if (linkat(dir, taken, dir, name, 0) == 0 || errno == EEXIST)
		unlinkat(dir, taken, 0);
}

/* It is taken away first: the sampler may put a newer one there meanwhile. */
static int publish(const struct publisher *p, int dir, const char *name)
{
	struct parcel q = { .p = p, .name = name };
	struct stat st;
	char taken[NAME_MAX + 1];
	int rc = -1;

	if (snprintf(taken, sizeof(taken), ".%s" TAKEN, name) >= NAME_MAX ||
	    renameat(dir, name, dir, taken) < 0)
		return -1;
	q.text = fdio_slurp(dir, taken, RECORDS_FILE_MAX, &st);
	q.size = q.text ? (size_t)st.st_size : 0;
	if (q.size)
		rc = send_parcel(&q);
	free(q.text);
	if (rc)
		give_back(dir, taken, name);
	else
		unlinkat(dir, taken, 0);
	return rc;
}

/* Of a publisher that was killed. */
static void take_up(int dir, const char *name)
{
	size_t n = strlen(name);
	char own[NAME_MAX + 1];

	if (name[0] != '.' || n <= sizeof(TAKEN) ||
	    strcmp(name + n - strlen(TAKEN), TAKEN))
		return;
	snprintf(own, sizeof(own), "%.*s", (int)(n - 1 - strlen(TAKEN)),
		 name + 1);
	give_back(dir, name, own);
}

static bool is_record(const char *name)
{
	char job[64];
	const char *node = split(name, job);

	return name[0] != '.' && node && strlen(node) > 5 &&
	       !strcmp(node + strlen(node) - 5, ".json");
}

static int publish_all(const struct publisher *p, DIR *dir)
{
	struct dirent *d;
	int n = 0;

	while ((d = readdir(dir)))
		take_up(dirfd(dir), d->d_name);
	rewinddir(dir);
	while ((d = readdir(dir)))
		if (is_record(d->d_name)) {
			if (publish(p, dirfd(dir), d->d_name) == 0)
				n++;
			else if (errno == ETIMEDOUT)
				break; /* nor would the others get there */
		}
	return n;
}

static DIR *open_pending(const struct publisher *p)
{
	char path[4200];
	int fd;

	snprintf(path, sizeof(path), "%s/pending", p->spool);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? NULL : fdopendir(fd);
}

static int share(const struct publisher *p)
{
	DIR *dir = open_pending(p);
	int n = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -1;
	if (flock(dirfd(dir), LOCK_EX | LOCK_NB) < 0)
		n = -1;
	else if (*p->shared_dir)
		n = publish_all(p, dir);
	closedir(dir);
	return n;
}

/* ---- all of it --------------------------------------------------------------- */

static void prune(const struct publisher *p, int64_t now_s)
{
	char stamp[4200];
	struct stat st;
	int fd;

	snprintf(stamp, sizeof(stamp), "%s/" STAMP, p->spool);
	if (lstat(stamp, &st) == 0 && now_s - st.st_mtime < PRUNE_EVERY_S &&
	    now_s >= st.st_mtime)
		return;
	spool_prune(p->spool, p->keep_s, p->max_bytes, now_s);
	unlink(stamp);
	fd = open(stamp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	fdio_close(fd);
}

int publisher_run(const struct publisher *p, int64_t now_s)
{
	int n = share(p);

	if (n >= 0)
		prune(p, now_s);
	return n;
}

void publisher_init(struct publisher *p, const struct cfg *cfg)
{
	*p = (struct publisher){
		.spool = cfg_text(cfg, "paths", "spool"),
		.shared_dir = cfg_text(cfg, "paths", "shared_dir"),
		.shared_user = cfg_text(cfg, "paths", "shared_user"),
		.metrics_dir = cfg_text(cfg, "report", "metrics_dir"),
		.keep_s = cfg_int(cfg, "report", "keep_days") * 86400,
		.max_bytes = cfg_int(cfg, "report", "spool_mb") << 20,
		.deadline_ms = DEADLINE_MS,
	};
}

static void body(void *arg)
{
	const struct publisher *p = arg;

	job_metrics_write(p->spool, p->metrics_dir, clock_wall_s(), NULL);
	publisher_run(p, clock_wall_s());
}

int publisher_start(const struct cfg *cfg)
{
	struct publisher p;

	publisher_init(&p, cfg);
	return spawn_detached(body, &p);
}
