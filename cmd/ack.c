/* SPDX-License-Identifier: Apache-2.0
 * assay ack - an admin has seen it: evidence that drains no more, faults of
 * the kernel log that are closed. What is new afterwards counts again. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/evidence.h"
#include "cmd/audit.h"
#include "cmd/cmd.h"
#include "cmd/page.h"
#include "lib/clock.h"
#include "lib/faults.h"
#include "lib/log.h"

#define INDENT 4

extern char **environ;

/* Which check reports faults of a kind? */
static const char *const check_of[] = {
	[FAULT_XID] = "kmsg_xid",     [FAULT_SXID] = "kmsg_sxid",
	[FAULT_OFFBUS] = "kmsg_offbus", [FAULT_MCE] = "kmsg_hw",
	[FAULT_AER] = "kmsg_hw",      [FAULT_EDAC] = "kmsg_hw",
	[FAULT_OOM] = "kmsg_hw",
};

/* check "": all. */
static bool wanted(const char *check, const char *name)
{
	return !*check || !strcmp(check, name);
}

static void name_of(const char *key, char *buf, size_t size)
{
	snprintf(buf, size, "%.*s", (int)strcspn(key, "|"), key);
}

static void print_head(const char *check, const char *state, int64_t wall_s)
{
	char when[21];

	printf("%-15s %-8s %s\n", check, state, clock_iso(wall_s, when));
}

/* "CHECK|SUBJECT|EVIDENCE" behind its first part, as words. */
static void print_key(const char *key)
{
	char text[EVIDENCE_KEY_MAX];
	char *p;

	key += strcspn(key, "|");
	snprintf(text, sizeof(text), "%s", *key ? key + 1 : "?");
	for (p = text; (p = strchr(p, '|'));)
		*p = ' ';
	page_item(stdout, INDENT, "", text);
}

static const char *text_of(const json_t *entry, const char *key)
{
	return json_string_value(json_object_get(entry, key));
}

static void print_evidence(const char *key, const json_t *entry)
{
	const char *state = text_of(entry, "state");
	const char *reason = text_of(entry, "reason");
	const char *by = text_of(entry, "acked_by");
	char name[64];

	name_of(key, name, sizeof(name));
	print_head(name, state ? state : "?",
		   json_integer_value(json_object_get(entry, "drained_s")));
	print_key(key);
	if (reason)
		page_item(stdout, INDENT, "", reason);
	if (by)
		page_itemf(stdout, INDENT, "", "acknowledged by %s", by);
}

static void print_fault(const struct fault *f, const struct xid_table *t)
{
	print_head(check_of[f->kind], "open", f->seen_s);
	page_itemf(stdout, INDENT, "", "%s %dx %s",
		   f->device[0] ? f->device : "node", (int)f->count,
		   faults_name(f, t));
}

static int list_evidence(const json_t *doc, const char *check)
{
	const char *key;
	char name[64];
	json_t *entry;
	int n = 0;

	json_object_foreach(json_object_get(doc, "entries"), key, entry) {
		name_of(key, name, sizeof(name));
		if (!wanted(check, name))
			continue;
		print_evidence(key, entry);
		n++;
	}
	return n;
}

static int list_faults(const struct facts_kmsg *k, const char *check,
		       const struct xid_table *t)
{
	int i, n = 0;

	for (i = 0; i < k->fault_count; i++)
		if (wanted(check, check_of[k->fault[i].kind])) {
			print_fault(&k->fault[i], t);
			n++;
		}
	return n;
}

/* The open faults as the last pass left them; NULL on ENOMEM. */
static struct facts_kmsg *load_faults(struct session *s)
{
	struct facts_kmsg *k = calloc(1, sizeof(*k));
	json_t *doc = state_get(&s->state, "kmsg");

	if (k)
		faults_load(k, doc);
	json_decref(doc);
	return k;
}

static int list(const char *config, const char *check)
{
	static struct job job;
	struct facts_kmsg *k;
	struct session s;
	struct err e;
	json_t *doc;
	bool known;
	int n = 0;

	job_from_env(&job, environ);
	job.id = 0;
	if (session_open(&s, config, &job, &e) < 0) {
		log_error("%s", e.text);
		return 2;
	}
	doc = state_get(&s.state, "evidence");
	k = load_faults(&s);
	known = k && cmd_state_is_known(&s);
	if (known)
		n = list_evidence(doc, check) + list_faults(k, check, s.xids);
	if (known && !n)
		printf("nothing to acknowledge\n");
	free(k);
	json_decref(doc);
	session_close(&s);
	return known ? 0 : 2;
}

/* Close the faults of a check. How many, or -1. */
static int ack_faults(struct session *s, const char *check)
{
	struct facts_kmsg *k = load_faults(s);
	json_t *doc = NULL;
	int closed = 0;
	int i, n = 0;
	struct err e;

	if (!k)
		return -1;
	for (i = 0; i < k->fault_count; i++) {
		if (wanted(check, check_of[k->fault[i].kind]))
			closed++;
		else
			k->fault[n++] = k->fault[i];
	}
	k->fault_count = n;
	doc = closed ? faults_save(k) : NULL;
	if (closed && (!doc || state_put(&s->state, "kmsg", doc, &e) < 0)) {
		log_error("%s", doc ? e.text : "out of memory");
		closed = -1;
	}
	json_decref(doc);
	free(k);
	return closed;
}

static int ack_evidence(struct session *s, const char *check)
{
	json_t *doc = state_get(&s->state, "evidence");
	char who[160];
	struct err e;
	int n;

	n = evidence_ack(doc, check, audit_who(who, sizeof(who)),
			 clock_wall_s());
	if (n && state_put(&s->state, "evidence", doc, &e) < 0) {
		log_error("%s", e.text);
		n = -1;
	}
	json_decref(doc);
	return n;
}

static int ack(struct session *s, const char *check)
{
	int entries = ack_evidence(s, check);
	int faults = ack_faults(s, check);

	if (entries < 0 || faults < 0)
		return 2;
	if (!entries && !faults) {
		printf("nothing to acknowledge\n");
		return 0;
	}
	audit_say("acknowledged %d entr%s of evidence and %d fault%s of the "
		  "kernel log (%s) on %s", entries, entries == 1 ? "y" : "ies",
		  faults, faults == 1 ? "" : "s", *check ? check : "all",
		  s->job->node);
	return 0;
}

struct wish {
	const char *check;	/* "": all */
	bool list, all;
};

static int parse(struct wish *w, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list"))
			w->list = true;
		else if (!strcmp(argv[i], "--all"))
			w->all = true;
		else if (!strcmp(argv[i], "--config") && i + 1 < argc)
			i++;
		else if (argv[i][0] != '-' && !*w->check)
			w->check = argv[i];
		else
			return cmd_unknown("ack", argv[i]);
	}
	if (w->all && (w->list || *w->check))
		return cmd_usage("ack", "--all stands alone");
	if (*w->check && !checks_find(w->check) &&
	    strncmp(w->check, "exec_", 5))
		return cmd_usage("ack", "no check '%.60s'", w->check);
	return 0;
}

int cmd_ack(const char *config, int argc, char **argv)
{
	static struct job job;
	struct wish w = { .check = "" };
	struct session s;
	int code = parse(&w, argc, argv);

	if (code)
		return code;
	if (w.list || (!w.all && !*w.check))
		return list(config, w.check);
	if (audit_open(&s, config, &job) < 0)
		return 2;
	code = ack(&s, w.check);
	session_close(&s);
	return code;
}
