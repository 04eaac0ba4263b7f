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

static int take(int dir, const char *name, uid_t owner, uint32_t job,
		json_t *list, struct err *e)
{
	json_t *record = records_read(dir, name, owner, job, e);

	if (record)
		json_array_append_new(list, record);
	return record != NULL;
}

int records_of_spool(const char *spool, uid_t owner, uint32_t job, long restart,
		     json_t *list, struct err *e)
{
	DIR *dir = open_dir(AT_FDCWD, spool, e);
	uint32_t id, r;
	struct dirent *d;
	int n = 0;

	if (!dir)
		return -1;
	if (restart == RECORDS_NEWEST)
		restart = newest(dir, job);
	while ((d = readdir(dir)))
		if (records_node(d->d_name, &id, &r) && id == job &&
		    (long)r == restart)
			n += take(dirfd(dir), d->d_name, owner, job, list, e);
	closedir(dir);
	return n;
}

static int each_of(DIR *dir, uid_t owner, uint32_t job, records_f f, void *arg,
		   struct err *e)
{
	struct dirent *d;
	json_t *record;
	int rc = 0;

	while (!rc && (d = readdir(dir))) {
		record = is_json(d->d_name) ? records_read(dirfd(dir), d->d_name,
							   owner, job, e)
					    : NULL;
		if (record)
			rc = f(record, arg);
		json_decref(record);
	}
	return rc;
}

static DIR *open_jobs(const char *shared_dir, struct err *e)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/jobs", shared_dir);
	return open_dir(AT_FDCWD, path, e);
}

static DIR *open_run(DIR *jobs, uint32_t job, long restart, struct err *e)
{
	char name[32];

	snprintf(name, sizeof(name), "%u.%ld", job, restart);
	return open_dir(dirfd(jobs), name, e);
}

int records_each_shared(const char *shared_dir, uid_t owner, uint32_t job,
			long *restart, records_f f, void *arg, struct err *e)
{
	DIR *jobs = open_jobs(shared_dir, e);
	DIR *dir = NULL;
	int rc = 0;

	if (!jobs)
		return -1;
	if (*restart == RECORDS_NEWEST)
		*restart = newest(jobs, job);
	if (*restart >= 0) {
		dir = open_run(jobs, job, *restart, e);
		rc = dir ? each_of(dir, owner, job, f, arg, e) : 0;
	}
	if (dir)
		closedir(dir);
	closedir(jobs);
	return rc;
}

int records_count_shared(const char *shared_dir, uint32_t job, long *restart,
			 struct err *e)
{
	DIR *jobs = open_jobs(shared_dir, e);
	DIR *dir = NULL;
	struct dirent *d;
	int n = 0;

	if (!jobs)
		return -1;
	*restart = newest(jobs, job);
	if (*restart >= 0)
		dir = open_run(jobs, job, *restart, e);
	while (dir && (d = readdir(dir)))
		n += is_json(d->d_name);
	if (dir)
		closedir(dir);
	closedir(jobs);
	return n;
}

static int append(const json_t *record, void *arg)
{
	json_array_append(arg, (json_t *)(uintptr_t)record);
	return 0;
}

int records_of_shared(const char *shared_dir, uid_t owner, uint32_t job,
		      long restart, json_t *list, struct err *e)
{
	size_t before = json_array_size(list);

	if (records_each_shared(shared_dir, owner, job, &restart, append, list,
				e) < 0)
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
	DIR *jobs = open_jobs(shared_dir, NULL);
	DIR *run = NULL;
	json_t *record;
	size_t i;

	if (jobs)
		run = open_run(jobs, (uint32_t)member_whole(job, "id", 0),
			       (long)member_whole(job, "restart", 0), NULL);
	if (run)
		json_array_foreach(nodes, i, record)
			add_series(run, owner, record);
	if (run)
		closedir(run);
	if (jobs)
		closedir(jobs);
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
