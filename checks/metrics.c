/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/metrics.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* What was done, and by which check: the one that the reason names. */
static void count_drain(json_t *doc, const struct record *r)
{
	json_t *drains = json_object_get(doc, "drains");
	int result = r->verdict->result;
	json_int_t n;

	if (strncmp(r->action, "drain", 5) || result < 0 || result >= r->count)
		return;
	if (!drains) {
		json_object_set_new(doc, "drains", json_object());
		drains = json_object_get(doc, "drains");
	}
	n = json_integer_value(
		json_object_get(drains, r->results[result].name));
	json_object_set_new(drains, r->results[result].name,
			    json_integer(n + 1));
}

/* The figures of one measurement: what is a number in it. */
static void keep_figures(json_t *kept, const char *check, json_t *measurement)
{
	const char *subject = json_string_value(
		json_object_get(measurement, "subject"));
	const char *name;
	char labels[256];
	json_t *v;

	json_object_foreach(measurement, name, v) {
		if (!subject || !json_is_number(v))
			continue;
		snprintf(labels, sizeof(labels),
			 "check=\"%s\",subject=\"%s\",figure=\"%s\"", check,
			 subject, name);
		json_object_set(kept, labels, v);
	}
}

/* Most runs measure nothing: the last figures stay until there are others. */
static void keep_measured(json_t *doc, const struct record *r)
{
	json_t *kept = json_object_get(doc, "measured");
	json_t *measurement;
	size_t k;
	int i;

	if (!kept) {
		json_object_set_new(doc, "measured", json_object());
		kept = json_object_get(doc, "measured");
	}
	for (i = 0; i < r->count; i++)
		json_array_foreach(r->results[i].measured, k, measurement)
			keep_figures(kept, r->results[i].name, measurement);
}

void metrics_head(FILE *f, const char *name, const char *type,
		  const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_drains(FILE *f, const json_t *doc)
{
	json_t *drains = json_object_get(doc, "drains"), *n;
	const char *check;

	if (!json_object_size(drains))
		return;
	metrics_head(f, "assay_drains_total", "counter",
		     "Drains of this node by the check that asked for them.");
	json_object_foreach(drains, check, n)
		fprintf(f, "assay_drains_total{check=\"%s\"} %lld\n", check,
			(long long)json_integer_value(n));
}

static void print_measured(FILE *f, const json_t *doc)
{
	json_t *kept = json_object_get(doc, "measured");
	const char *labels;
	json_t *v;

	if (!json_object_size(kept))
		return;
	metrics_head(f, "assay_measured", "gauge",
	     "Last figure of an active probe; the unit is in its name.");
	json_object_foreach(kept, labels, v)
		fprintf(f, "assay_measured{%s} %.6g\n", labels,
			json_number_value(v));
}

struct gate_metrics {
	const json_t *doc;
	const struct record *r;
};

static void print(FILE *f, const void *arg)
{
	const struct gate_metrics *m = arg;
	const json_t *doc = m->doc;
	const struct record *r = m->r;
	size_t v;
	int i;

	metrics_head(f, "assay_gate_runs_total", "counter",
	     "Gate runs on this node by verdict.");
	for (v = 0; v < sizeof(verdicts) / sizeof(verdicts[0]); v++)
		fprintf(f, "assay_gate_runs_total{verdict=\"%s\"} %lld\n",
			verdicts[v],
			(long long)json_integer_value(
				json_object_get(doc, verdicts[v])));
	metrics_head(f, "assay_check_status", "gauge",
	     "Last status: 0 pass, 1 skip, 2 warn, 3 error, 4 timeout, 5 fail.");
	for (i = 0; i < r->count; i++)
		fprintf(f, "assay_check_status{check=\"%s\"} %d\n",
			r->results[i].name, (int)r->results[i].status);
	metrics_head(f, "assay_gate_duration_seconds", "gauge",
	     "Time the last gate run took.");
	fprintf(f, "assay_gate_duration_seconds %.6f\n",
		(double)r->elapsed_us / 1e6);
	metrics_head(f, "assay_gate_blind", "gauge",
	     "1 if the last gate could not judge something.");
	fprintf(f, "assay_gate_blind %d\n", r->verdict->blind);
	metrics_head(f, "assay_gate_last_success_timestamp_seconds", "gauge",
	     "When a gate last judged everything it was asked to.");
	fprintf(f, "assay_gate_last_success_timestamp_seconds %lld\n",
		(long long)json_integer_value(
			json_object_get(doc, "last_success_s")));
	print_drains(f, doc);
	print_measured(f, doc);
}

int metrics_file(const char *dir, const struct metrics_text *text,
		 struct err *e)
{
	char aside[4160], path[4160];
	FILE *f;
	int fd;
	int bad;

	snprintf(path, sizeof(path), "%s/%.40s", dir, text->name);
	snprintf(aside, sizeof(aside), "%s/.%.40s.%d", dir, text->name,
		 (int)getpid());
	fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0644);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f) {
		if (fd >= 0)
			close(fd);
		return err_errno(e, "write %s", aside);
	}
	text->print(f, text->arg);
	bad = fflush(f) != 0 || fchmod(fd, 0644) < 0;
	bad |= fclose(f) != 0;
	if (bad || rename(aside, path) < 0) {
		err_errno(e, "write %s", path);
		unlink(aside);
		return -1;
	}
	return 0;
}

int metrics_write(json_t *doc, const char *dir, const struct record *r,
		  struct err *e)
{
	struct gate_metrics m = { doc, r };
	struct metrics_text text = { "assay.prom", print, &m };

	count(doc, r);
	count_drain(doc, r);
	keep_measured(doc, r);
	return *dir ? metrics_file(dir, &text, e) : 0;
}
