/* SPDX-License-Identifier: Apache-2.0
 * Before and after: what the gate measured on the job's devices, and what its
 * checks and the Epilog's found there (records assay.check/1).
 */
#include "config.h"
#include "epilog/summary_private.h"

#include <stdio.h>
#include <string.h>

#include "epilog/gate_rows.h"
#include "epilog/members.h"
#include "lib/scrub.h"

#define FINDINGS_MAX 64

static const char *const rate_ends[] = { "_gbps", "tflops", "mbps", "_gbit" };

static bool is_rate(const char *name)
{
	size_t i, n = strlen(name), end;

	for (i = 0; i < sizeof(rate_ends) / sizeof(rate_ends[0]); i++) {
		end = strlen(rate_ends[i]);
		if (n >= end && !strcmp(name + n - end, rate_ends[i]))
			return true;
	}
	return !strcmp(name, "gbps");
}

/* A GPU that is not the job's. */
static bool is_foreign(const struct story *s, const char *subject)
{
	int i, index, end = 0;

	if (sscanf(subject, "GPU%d%n", &index, &end) != 1 || subject[end])
		return false;
	for (i = 0; i < s->gpu_count; i++)
		if (s->gpu[i].index == index)
			return false;
	return true;
}

static void add_measured(json_t *rows, const struct story *s, const char *check,
			 json_t *of_device)
{
	char subject[64], device[160];
	const char *name;
	json_t *v;

	member_text(of_device, "subject", subject, sizeof(subject));
	if (is_foreign(s, subject))
		return;
	snprintf(device, sizeof(device), "%s %s", s->job.node, subject);
	scrub(device);
	json_object_foreach(of_device, name, v) {
		if (is_rate(name) && json_is_number(v))
			gate_rows_add(rows, check, name, device,
				      json_number_value(v));
	}
}

/* PASS and SKIP are not worth a word. */
static bool is_news(const char *status)
{
	return strcmp(status, "PASS") && strcmp(status, "SKIP") && *status;
}

static void add_finding(json_t *list, const struct story *s,
			const struct gate_check *c)
{
	if (is_news(c->status) && !is_foreign(s, c->subject) &&
	    json_array_size(list) < FINDINGS_MAX)
		json_array_append_new(list, gate_check_json(c));
}

/* A check that found nothing may have a note. */
static void add_findings(json_t *list, const struct story *s, const json_t *check)
{
	json_t *f, *findings = json_object_get(check, "findings");
	struct gate_check c = { .name = "" };
	size_t i;

	member_text(check, "name", c.name, sizeof(c.name));
	scrub_copy(c.node, sizeof(c.node), s->job.node);
	json_array_foreach(findings, i, f) {
		member_text(f, "status", c.status, sizeof(c.status));
		member_text(f, "subject", c.subject, sizeof(c.subject));
		member_text(f, "text", c.text, sizeof(c.text));
		add_finding(list, s, &c);
	}
	if (json_array_size(findings))
		return;
	member_text(check, "status", c.status, sizeof(c.status));
	member_text(check, "note", c.text, sizeof(c.text));
	add_finding(list, s, &c);
}

/* A record assay.check/1 as a part of ours. */
static json_t *part_json(const struct story *s, const json_t *record)
{
	json_t *checks = json_object_get(record, "checks");
	json_t *rows = json_array(), *findings = json_array(), *c, *m;
	json_t *verdict = json_object_get(record, "verdict");
	char name[64], action[16];
	size_t i, k;

	json_array_foreach(checks, i, c) {
		member_text(c, "name", name, sizeof(name));
		json_array_foreach(json_object_get(c, "measured"), k, m)
			add_measured(rows, s, name, m);
		add_findings(findings, s, c);
	}
	member_text(verdict, "action", action, sizeof(action));
	return json_pack("{s:o, s:o, s:o}", "verdict", member_text_json(action),
			 "measured", rows, "checks", findings);
}

void summary_gate(struct sheet *sheet, const struct story *s)
{
	if (json_is_object(s->gate))
		sheet->gate = part_json(s, s->gate);
	if (json_is_object(s->after))
		sheet->after = part_json(s, s->after);
}
