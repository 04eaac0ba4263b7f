/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"

static json_t *number(double x)
{
	if (!isfinite(x))
		return json_null();
	if (x == floor(x) && fabs(x) < 9e15)
		return json_integer((json_int_t)x);
	return json_real(x);
}

static json_t *text(const char *s)
{
	return s && *s ? json_string(s) : json_null();
}

static json_t *finding_json(const struct finding *f)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o}",
			 "code", f->code, "subject", f->subject, "status",
			 status_name(f->status), "text", f->text, "value",
			 number(f->value), "limit", number(f->limit), "unit",
			 text(f->unit), "evidence", text(f->evidence),
			 "action", remedy_name(f->remedy), "note",
			 text(f->note));
}

static json_t *result_json(const struct check_result *r)
{
	json_t *findings = json_array();
	int i;

	for (i = 0; i < r->count; i++)
		json_array_append_new(findings, finding_json(&r->finding[i]));
	return json_pack("{s:s, s:s, s:I, s:o, s:o}", "name", r->name,
			 "status", status_name(r->status), "elapsed_us",
			 (json_int_t)r->elapsed_us, "findings", findings,
			 "note", text(r->note));
}

json_t *record_json(const struct record *r)
{
	json_t *checks = json_array();
	char iso[21];
	int i;

	for (i = 0; i < r->count; i++)
		json_array_append_new(checks, result_json(&r->results[i]));
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:o, s:I, s:s, s:I, "
		"s:{s:s, s:s, s:s, s:o, s:o}, s:o}",
		"schema", "assay.check/1", "version", PACKAGE_VERSION, "node",
		r->node, "time", clock_iso(r->time_s, iso), "job",
		r->job ? json_integer(r->job) : json_null(), "restart",
		(json_int_t)r->restart, "mode", r->mode, "elapsed_us",
		(json_int_t)r->elapsed_us, "verdict", "action", r->action,
		"would", verdict_name(r->verdict->would), "cause",
		cause_name(r->verdict->cause), "reason", text(r->reason),
		"note", text(r->note), "checks", checks);
}

static int write_all(int fd, const char *s, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, s, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		s += n;
		len -= (size_t)n;
	}
	return 0;
}

int record_write(const json_t *doc, int dir, const char *name,
		 struct err *e)
{
	char aside[64];
	char *s = json_dumps(doc, JSON_COMPACT);
	int fd = -1;
	int rc = -1;

	if (!s) {
		errno = ENOMEM;
		return err_errno(e, "write %s", name);
	}
	snprintf(aside, sizeof(aside), ".%.60s", name);
	unlinkat(dir, aside, 0);
	fd = openat(dir, aside,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0 || write_all(fd, s, strlen(s)) < 0 ||
	    write_all(fd, "\n", 1) < 0 ||
	    renameat(dir, aside, dir, name) < 0) {
		err_errno(e, "write %s", name);
		goto out;
	}
	rc = 0;
out:
	if (fd >= 0)
		close(fd);
	free(s);
	return rc;
}
