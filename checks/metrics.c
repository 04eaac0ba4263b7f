/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/metrics.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const verdicts[] = { "run", "drain-after", "drain",
					"refuse" };

static void count(json_t *doc, const struct record *r)
{
	json_int_t n = json_integer_value(json_object_get(doc, r->action));

	json_object_set_new(doc, r->action, json_integer(n + 1));
	if (!r->verdict->blind)
		json_object_set_new(doc, "last_success_s",
				    json_integer(r->time_s));
}

static void head(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print(FILE *f, const json_t *doc, const struct record *r)
{
	size_t v;
	int i;

	head(f, "assay_gate_runs_total", "counter",
	     "Gate runs on this node by verdict.");
	for (v = 0; v < sizeof(verdicts) / sizeof(verdicts[0]); v++)
		fprintf(f, "assay_gate_runs_total{verdict=\"%s\"} %lld\n",
			verdicts[v],
			(long long)json_integer_value(
				json_object_get(doc, verdicts[v])));
	head(f, "assay_check_status", "gauge",
	     "Last status: 0 pass, 1 skip, 2 warn, 3 error, 4 timeout, 5 fail.");
	for (i = 0; i < r->count; i++)
		fprintf(f, "assay_check_status{check=\"%s\"} %d\n",
			r->results[i].name, (int)r->results[i].status);
	head(f, "assay_gate_duration_seconds", "gauge",
	     "Time the last gate run took.");
	fprintf(f, "assay_gate_duration_seconds %.6f\n",
		(double)r->elapsed_us / 1e6);
	head(f, "assay_gate_blind", "gauge",
	     "1 if the last gate could not judge something.");
	fprintf(f, "assay_gate_blind %d\n", r->verdict->blind);
	head(f, "assay_gate_last_success_timestamp_seconds", "gauge",
	     "When a gate last judged everything it was asked to.");
	fprintf(f, "assay_gate_last_success_timestamp_seconds %lld\n",
		(long long)json_integer_value(
			json_object_get(doc, "last_success_s")));
}

int metrics_write(json_t *doc, const char *dir, const struct record *r,
		  struct err *e)
{
	char aside[4128], path[4128];
	FILE *f;
	int fd;
	int bad;

	count(doc, r);
	if (!*dir)
		return 0;
	snprintf(path, sizeof(path), "%s/assay.prom", dir);
	snprintf(aside, sizeof(aside), "%s/.assay.prom.%d", dir, (int)getpid());
	fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0644);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f) {
		if (fd >= 0)
			close(fd);
		return err_errno(e, "write %s", aside);
	}
	print(f, doc, r);
	bad = fflush(f) != 0 || fchmod(fd, 0644) < 0;
	bad |= fclose(f) != 0;
	if (bad || rename(aside, path) < 0) {
		err_errno(e, "write %s", path);
		unlink(aside);
		return -1;
	}
	return 0;
}
