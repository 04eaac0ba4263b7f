/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/records.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epilog/members.h"
#include "lib/fdio.h"
#include "lib/job.h"

/* ---- one file ---------------------------------------------------------------- */

static bool is_of_job(const json_t *record, const char *schema, uint32_t job)
{
	return member_is(record, "schema", schema) &&
	       member_whole(json_object_get(record, "job"), "id", 0) == job;
}

/* What is in the file, if it is owner's; EINVAL no JSON. */
static json_t *read_file(int dir, const char *name, uid_t owner)
{
	struct stat st;
	char *text = fdio_slurp(dir, name, RECORDS_FILE_MAX, &st);
	json_t *doc = NULL;

	if (!text)
		return NULL;
	if (st.st_uid == owner)
		doc = json_loadb(text, (size_t)st.st_size,
				 JSON_REJECT_DUPLICATES, NULL);
	free(text);
	if (!doc)
		errno = st.st_uid == owner ? EINVAL : EPERM;
	return doc;
}

static void tell(struct err *e, const char *name, uid_t owner, uint32_t job)
{
	if (errno == EPERM)
		err_set(e, "%s: no regular file of uid %u", name,
			(unsigned int)owner);
	else if (errno == EINVAL)
		err_set(e, "%s: no record of job %u", name, job);
	else
		err_errno(e, "read %s", name);
}

json_t *records_read(int dir, const char *name, uid_t owner, uint32_t job,
		     struct err *e)
{
	json_t *record = read_file(dir, name, owner);

	if (record && is_of_job(record, RECORD_SCHEMA, job))
		return record;
	if (record)
		errno = EINVAL;
	tell(e, name, owner, job);
	json_decref(record);
	return NULL;
}

/* ---- directories ---------------------------------------------------------------- */

const char *records_name(const char *name, uint32_t *job, uint32_t *restart)
{
	*job = job_id_at(&name);
	if (!*job || *name++ != '.')
		return NULL;
	if (*name == '0') {
		name++;
		*restart = 0;
	} else if (!(*restart = job_id_at(&name))) {
		return NULL;
	}
	return !*name || *name == '.' ? name : NULL;
}

static bool is_json(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && n > strlen(RECORDS_SUFFIX) &&
	       !strcmp(name + n - strlen(RECORDS_SUFFIX), RECORDS_SUFFIX);
}

const char *records_node(const char *name, uint32_t *job, uint32_t *restart)
{
	const char *rest = records_name(name, job, restart);

	return rest && *rest && is_json(rest + 1) ? rest + 1 : NULL;
}

static DIR *open_dir(int at, const char *path, struct err *e)
{
	int fd = openat(at, path,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		err_errno(e, "read %s", path);
		fdio_close(fd);
	}
	return dir;
}

/* The newest restart of the job in a directory, -1 none. */
static long newest(DIR *dir, uint32_t job)
{
	uint32_t id, restart;
	struct dirent *d;
	long best = -1;

	while ((d = readdir(dir)))
		if (records_name(d->d_name, &id, &restart) && id == job &&
		    (long)restart > best)
			best = restart;
	rewinddir(dir);
	return best;
}

int records_of_spool(const struct records_query *q, json_t *list, struct err *e)
{
	DIR *dir = open_dir(AT_FDCWD, q->dir, e);
	uint32_t id, r;
	struct dirent *d;
	json_t *record;
	long restart;
	int n = 0;

	if (!dir)
		return -1;
	restart = q->restart == RECORDS_NEWEST ? newest(dir, q->job) : q->restart;
	while ((d = readdir(dir))) {
		if (!records_node(d->d_name, &id, &r) || id != q->job ||
		    (long)r != restart)
			continue;
		record = records_read(dirfd(dir), d->d_name, q->owner, q->job, e);
		n += json_array_append_new(list, record) == 0;
	}
	closedir(dir);
	return n;
}

/* The directory of the run, NULL there is none. 0 or -1. */
static int open_run(struct records_query *q, DIR **run, struct err *e)
{
	char path[4200], name[32];
	DIR *jobs;

	*run = NULL;
	snprintf(path, sizeof(path), "%s/jobs", q->dir);
	jobs = open_dir(AT_FDCWD, path, e);
	if (!jobs)
		return -1;
	if (q->restart == RECORDS_NEWEST)
		q->restart = newest(jobs, q->job);
	if (q->restart >= 0) {
		snprintf(name, sizeof(name), "%u.%ld", q->job, q->restart);
		*run = open_dir(dirfd(jobs), name, e);
	}
	closedir(jobs);
	return 0;
}

int records_each_shared(struct records_query *q, records_f f, void *arg,
			struct err *e)
{
	struct dirent *d;
	json_t *record;
	int rc = 0;
	DIR *run;

	if (open_run(q, &run, e) < 0)
		return -1;
	while (run && !rc && (d = readdir(run))) {
		if (!is_json(d->d_name))
			continue;
		record = records_read(dirfd(run), d->d_name, q->owner, q->job, e);
		rc = record ? f(record, arg) : 0;
		json_decref(record);
	}
	if (run)
		closedir(run);
	return rc;
}

int records_count_shared(struct records_query *q, struct err *e)
{
	struct dirent *d;
	int n = 0;
	DIR *run;

	if (open_run(q, &run, e) < 0)
		return -1;
	while (run && (d = readdir(run)))
		n += is_json(d->d_name);
	if (run)
		closedir(run);
	return n;
}

static int append(const json_t *record, void *arg)
{
	json_array_append(arg, (json_t *)(uintptr_t)record);
	return 0;
}

int records_of_shared(const struct records_query *q, json_t *list, struct err *e)
{
	size_t before = json_array_size(list);
	struct records_query of = *q;

	if (records_each_shared(&of, append, list, e) < 0)
		return -1;
	return (int)(json_array_size(list) - before);
}

/* A record says what it likes, so what it calls its node may be a path. */
static void add_series(DIR *run, uid_t owner, json_t *record)
{
	const json_t *job = json_object_get(record, "job");
	const char *node = member_string(job, "node");
	char name[NAME_MAX + 1];
	json_t *doc;

	if (json_object_get(record, "series") || strchr(node, '/') ||
	    snprintf(name, sizeof(name), "%s" RECORDS_SERIES, node) > NAME_MAX)
		return;
	doc = read_file(dirfd(run), name, owner);
	if (is_of_job(doc, RECORDS_SERIES_SCHEMA,
		      (uint32_t)member_whole(job, "id", 0)))
		json_object_set(record, "series", json_object_get(doc, "series"));
	json_decref(doc);
}

void records_add_series(const char *shared_dir, uid_t owner, json_t *nodes)
{
	const json_t *job = json_object_get(json_array_get(nodes, 0), "job");
	struct records_query q = {
		.dir = shared_dir,
		.job = (uint32_t)member_whole(job, "id", 0),
		.restart = (long)member_whole(job, "restart", 0),
	};
	json_t *record;
	size_t i;
	DIR *run;

	if (open_run(&q, &run, NULL) < 0 || !run)
		return;
	json_array_foreach(nodes, i, record)
		add_series(run, owner, record);
	closedir(run);
}

int records_owner(const char *user, uid_t *out)
{
	char buf[16384];
	struct passwd entry, *found = NULL;

	if (getpwnam_r(user, &entry, buf, sizeof(buf), &found) || !found)
		return -1;
	*out = found->pw_uid;
	return 0;
}

int records_each_job(const char *path,
		     int (*f)(uint32_t job, uint32_t restart, void *arg),
		     void *arg)
{
	DIR *dir = open_dir(AT_FDCWD, path, NULL);
	uint32_t job, restart;
	struct dirent *d;
	int rc = 0;

	if (!dir)
		return -1;
	while (!rc && (d = readdir(dir)))
		if (records_name(d->d_name, &job, &restart))
			rc = f(job, restart, arg);
	closedir(dir);
	return rc;
}
