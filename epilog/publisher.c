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
#include "epilog/shared.h"
#include "epilog/spool.h"
#include "lib/become.h"
#include "lib/clock.h"
#include "lib/fdio.h"
#include "lib/spawn.h"

#define DEADLINE_MS 60000
#define PRUNE_EVERY_S 3600
#define SHARED_BUDGET_MS 20000
#define SHARED_MOST 50000
#define TAKEN ".taken" /* behind the name of what is on its way */
#define STAMP ".pruned"

/* ---- as the shared user --------------------------------------------------------- */

struct errand {
	const struct publisher *p;
	int (*run)(const struct errand *e);
	struct shared_text record;
	int64_t now_s;
};

static int put(const struct errand *e)
{
	return shared_put(e->p->shared_dir, &e->record);
}

static int prune_shared(const struct errand *e)
{
	struct shared_pruning how = { .shared_dir = e->p->shared_dir,
				      .keep_s = e->p->keep_s,
				      .budget_ms = SHARED_BUDGET_MS,
				      .most = SHARED_MOST };

	return shared_prune(&how, e->now_s) < 0 ? -1 : 0;
}

static int errand_body(int sock, void *arg)
{
	const struct errand *e = arg;
	int error = 0;

	umask(027);
	if (become_user(e->p->shared_user) < 0 || e->run(e) < 0)
		error = errno ? errno : EIO;
	return worker_send(sock, &error, sizeof(error)) < 0;
}

/* 0, or -1 with errno. A child that hangs in the file system keeps the lock
 * that it has inherited: nobody else is sent there before it is gone. */
static int run_errand(const struct errand *e)
{
	int error = ETIMEDOUT;
	struct worker w;
	struct pollfd fd;

	if (worker_start(&w, errand_body, (void *)(uintptr_t)e, false) < 0)
		return -1;
	fd = (struct pollfd){ .fd = w.sock, .events = POLLIN };
	if (poll(&fd, 1, e->p->deadline_ms) > 0 &&
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
	struct errand q = { .p = p, .run = put, .record.name = name };
	char taken[NAME_MAX + 1];
	struct stat st;
	char *text;
	int rc = -1;

	if (snprintf(taken, sizeof(taken), ".%s" TAKEN, name) >= NAME_MAX ||
	    renameat(dir, name, dir, taken) < 0)
		return -1;
	text = fdio_slurp(dir, taken, RECORDS_FILE_MAX, &st);
	if (text) {
		q.record.text = text;
		q.record.size = (size_t)st.st_size;
		rc = run_errand(&q);
	}
	free(text);
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

/* How many; -1 with ETIMEDOUT: the others would not get there, either. */
static int publish_all(const struct publisher *p, DIR *dir)
{
	uint32_t job, restart;
	struct dirent *d;
	int n = 0;

	while ((d = readdir(dir)))
		take_up(dirfd(dir), d->d_name);
	rewinddir(dir);
	while ((d = readdir(dir))) {
		if (!records_node(d->d_name, &job, &restart))
			continue;
		if (publish(p, dirfd(dir), d->d_name) == 0)
			n++;
		else if (errno == ETIMEDOUT)
			return -1;
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

static void close_pending(DIR *dir)
{
	int saved = errno;

	closedir(dir);
	errno = saved;
}

/* Once through; prune_s 0: nothing is pruned. */
static int pass(const struct publisher *p, DIR *dir, int64_t prune_s)
{
	struct errand prune = { .p = p, .run = prune_shared, .now_s = prune_s };
	int n;

	if (flock(dirfd(dir), LOCK_EX | LOCK_NB) < 0)
		return -1;
	if (!*p->shared_dir)
		return 0;
	n = publish_all(p, dir);
	if (n >= 0 && prune_s)
		run_errand(&prune);
	return n;
}

/* Who has a record to tell meanwhile finds the lock taken and leaves, so there
 * is another pass behind each that took its time. */
static int share(const struct publisher *p, int64_t prune_s)
{
	bool again = true;
	int total = 0;
	DIR *dir;
	int n;

	while (again) {
		dir = open_pending(p);
		if (!dir)
			return errno == ENOENT ? total : -1;
		n = pass(p, dir, prune_s);
		again = n > 0 || (n == 0 && prune_s);
		prune_s = 0;
		if (n < 0 && !total)
			total = -1;
		else if (n > 0)
			total += n;
		close_pending(dir);
	}
	return total;
}

/* ---- all of it --------------------------------------------------------------- */

static const char *stamp_of(const struct publisher *p, char path[4200])
{
	snprintf(path, 4200, "%s/" STAMP, p->spool);
	return path;
}

/* Has this node pruned nothing for an hour? */
static bool is_due(const struct publisher *p, int64_t now_s)
{
	char path[4200];
	struct stat st;

	return lstat(stamp_of(p, path), &st) < 0 || now_s < st.st_mtime ||
	       now_s - st.st_mtime >= PRUNE_EVERY_S;
}

static void prune_spool(const struct publisher *p, int64_t now_s)
{
	char path[4200];
	int fd;

	spool_prune(p->spool, p->keep_s, p->max_bytes, now_s);
	unlink(stamp_of(p, path));
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	fdio_close(fd);
}

/* The spool is kept in its bounds also while nobody gets to shared_dir. */
int publisher_run(const struct publisher *p, int64_t now_s)
{
	bool due = is_due(p, now_s);
	int n = share(p, due ? now_s : 0);
	int saved = errno;

	if (due)
		prune_spool(p, now_s);
	errno = saved;
	return n;
}

static void configure(struct publisher *p, const struct cfg *cfg)
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

	configure(&p, cfg);
	return spawn_detached(body, &p);
}
