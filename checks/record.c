/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/fdio.h"

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
	json_t *doc;
	int i;

	for (i = 0; i < r->count; i++)
		json_array_append_new(findings, finding_json(&r->finding[i]));
	doc = json_pack("{s:s, s:s, s:I, s:o, s:o}", "name", r->name,
			"status", status_name(r->status), "elapsed_us",
			(json_int_t)r->elapsed_us, "findings", findings,
			"note", text(r->note));
	if (doc && r->measured)
		json_object_set(doc, "measured", r->measured);
	return doc;
}

/* How long the round of probes took, and each of its phases. */
static json_t *probes_json(const struct facts_probes *p)
{
	json_t *phases = json_object();
	int i;

	for (i = 0; i < PROBE_COUNT; i++)
		if (p->phase_us[i])
			json_object_set_new(phases, probe_name((enum probe)i),
					    json_integer(p->phase_us[i]));
	return json_pack("{s:I, s:o, s:o}", "elapsed_us",
			 (json_int_t)p->elapsed_us, "phases_us", phases,
			 "kernels", text(p->build_id));
}

json_t *record_json(const struct record *r)
{
	json_t *checks = json_array();
	char iso[21];
	json_t *doc;
	int i;

	for (i = 0; i < r->count; i++)
		json_array_append_new(checks, result_json(&r->results[i]));
	doc = json_pack(
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
	if (doc && r->probes)
		json_object_set_new(doc, "probes", probes_json(r->probes));
	return doc;
}

int record_write(const json_t *doc, int dir, const char *name,
		 struct err *e)
{
	char *text = json_dumps(doc, JSON_COMPACT);
	size_t len = text ? strlen(text) : 0;
	int rc;

	if (!text) {
		errno = ENOMEM;
		return err_errno(e, "write %s", name);
	}
	text[len] = '\n';	/* instead of the terminator */
	rc = fdio_replace(dir, name, 0644, text, len + 1);
	free(text);
	return rc < 0 ? err_errno(e, "write %s", name) : 0;
}
