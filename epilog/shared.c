/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "epilog/records.h"
#include "epilog/summary.h"
#include "lib/fdio.h"
#include "lib/jsonfile.h"

struct place {
	char job[32];	  /* "123.0" */
	const char *node; /* "n1.json" */
	char series[300]; /* "n1.series" */
};

static int find_place(const char *name, struct place *to)
{
	size_t suffix = strlen(RECORDS_SUFFIX);
	uint32_t job, restart;

	to->node = records_node(name, &job, &restart);
	if (!to->node || strlen(to->node) >= sizeof(to->series)) {
		errno = EINVAL;
		return -1;
	}
	snprintf(to->job, sizeof(to->job), "%u.%u", job, restart);
	snprintf(to->series, sizeof(to->series), "%.*s" RECORDS_SERIES,
		 (int)(strlen(to->node) - suffix), to->node);
	return 0;
}

static int open_made(int at, const char *name)
{
	if (mkdirat(at, name, 0750) < 0 && errno != EEXIST)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int open_run(const char *shared_dir, const char *job)
{
	int shared = open(shared_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int jobs = shared < 0 ? -1 : open_made(shared, "jobs");
	int dir = jobs < 0 ? -1 : open_made(jobs, job);

	fdio_close(jobs);
	fdio_close(shared);
	return dir;
}

static int put_series(int dir, const struct place *to, const json_t *record)
{
	json_t *series = json_object_get(record, "series");
	json_t *doc;
	int rc;

	if (!json_array_size(json_object_get(series, "gpu")))
		return 0;
	doc = json_pack("{s:s, s:O, s:O}", "schema", RECORDS_SERIES_SCHEMA,
			"job", json_object_get(record, "job"), "series", series);
	rc = jsonfile_replace(dir, to->series, 0640, doc, SUMMARY_DUMP);
	json_decref(doc);
	return rc;
}

/* The series first: who finds the record finds them, too. */
static int put(int dir, const struct place *to, json_t *record)
{
	if (put_series(dir, to, record) < 0)
		return -1;
	json_object_del(record, "series");
	return jsonfile_replace(dir, to->node, 0640, record, SUMMARY_DUMP);
}

int shared_put(const char *shared_dir, const struct shared_text *t)
{
	json_t *record = json_loadb(t->text, t->size, 0, NULL);
	struct place to;
	int rc = -1;
	int dir;

	if (!record || find_place(t->name, &to) < 0) {
		json_decref(record);
		errno = EINVAL;
		return -1;
	}
	dir = open_run(shared_dir, to.job);
	if (dir >= 0)
		rc = put(dir, &to, record);
	fdio_close(dir);
	json_decref(record);
	return rc;
}
