/* SPDX-License-Identifier: Apache-2.0
 * Which jobs there are metrics of: the last run of each that ended within the
 * last hour, by the records in the spool. */
#include "config.h"
#include "epilog/job_metrics.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks/metrics.h"
#include "epilog/records.h"
#include "epilog/spool.h"

/* A file of the spool. */
struct entry {
	char name[SPOOL_NAME_MAX];
	uint32_t job, restart;
	int64_t time_s;
};

static bool parse(const char *name, struct entry *e)
{
	const char *rest = records_name(name, &e->job, &e->restart);

	if (!rest || !*rest || strlen(name) >= sizeof(e->name))
		return false;
	strcpy(e->name, name);
	return true;
}

/* Instead of an earlier run of the job, behind the others, or instead of the
 * oldest. */
static struct entry *place_for(struct entry *list, int *n, const struct entry *e)
{
	struct entry *oldest = &list[0];
	int i;

	for (i = 0; i < *n; i++) {
		if (list[i].job == e->job)
			return list[i].restart <= e->restart ? &list[i] : NULL;
		if (list[i].time_s < oldest->time_s)
			oldest = &list[i];
	}
	if (*n < JOB_METRICS_MAX)
		return &list[(*n)++];
	return oldest->time_s < e->time_s ? oldest : NULL;
}

/* How many, at most JOB_METRICS_MAX. */
static int find(DIR *dir, int64_t from_s, struct entry *list)
{
	struct entry e, *place;
	struct dirent *d;
	struct stat st;
	int n = 0;

	while ((d = readdir(dir))) {
		if (!parse(d->d_name, &e) ||
		    fstatat(dirfd(dir), e.name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    st.st_mtime < from_s)
			continue;
		e.time_s = st.st_mtime;
		place = place_for(list, &n, &e);
		if (place)
			*place = e;
	}
	return n;
}

static int by_job(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->job > y->job) - (x->job < y->job);
}

static json_t *read_all(DIR *dir, int64_t from_s)
{
	struct entry *list = calloc(JOB_METRICS_MAX, sizeof(*list));
	json_t *records = json_array(), *record;
	int i, n = list ? find(dir, from_s, list) : 0;

	if (n)
		qsort(list, (size_t)n, sizeof(*list), by_job);
	for (i = 0; i < n; i++) {
		record = records_read(dirfd(dir), list[i].name, geteuid(),
				      list[i].job, NULL);
		if (record)
			json_array_append_new(records, record);
	}
	free(list);
	return records;
}

static int write_or_remove(const char *metrics_dir, const json_t *records,
			   struct err *e)
{
	struct metrics_text text = { JOB_METRICS_FILE, job_metrics_print,
				     records };
	char path[4200];

	if (json_array_size(records))
		return metrics_file(metrics_dir, &text, e);
	snprintf(path, sizeof(path), "%s/" JOB_METRICS_FILE, metrics_dir);
	if (unlink(path) < 0 && errno != ENOENT)
		return err_errno(e, "remove %s", path);
	return 0;
}

int job_metrics_write(const char *spool, const char *metrics_dir, int64_t now_s,
		      struct err *e)
{
	DIR *dir;
	json_t *records;
	int rc;

	if (!*metrics_dir)
		return 0;
	dir = opendir(spool);
	if (!dir && errno != ENOENT)
		return err_errno(e, "read %s", spool);
	records = dir ? read_all(dir, now_s - JOB_METRICS_AGE_S) : json_array();
	if (dir)
		closedir(dir);
	rc = write_or_remove(metrics_dir, records, e);
	json_decref(records);
	return rc;
}
