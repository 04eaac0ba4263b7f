/* SPDX-License-Identifier: Apache-2.0
 * The table of open faults as a JSON document, and back. The document is a
 * state file: it may be old, cut or touched by anyone with a shell. */
#include "config.h"
#include "lib/faults.h"

#include <string.h>

#include "lib/scrub.h"

static const char *const kind_names[] = {
	[FAULT_XID] = "xid", [FAULT_SXID] = "sxid", [FAULT_OFFBUS] = "offbus",
	[FAULT_MCE] = "mce", [FAULT_AER] = "aer",   [FAULT_EDAC] = "edac",
	[FAULT_OOM] = "oom",
};

#define KINDS (sizeof(kind_names) / sizeof(kind_names[0]))

static json_int_t get_int(const json_t *obj, const char *key, json_int_t min,
			  json_int_t max, json_int_t def)
{
	const json_t *v = json_object_get(obj, key);
	json_int_t n = json_integer_value(v);

	return json_is_integer(v) && n >= min && n <= max ? n : def;
}

static void get_text(const json_t *obj, const char *key, char *dst, size_t size)
{
	scrub_copy(dst, size, json_string_value(json_object_get(obj, key)));
}

static bool get_kind(const json_t *obj, enum fault_kind *kind)
{
	const char *word = json_string_value(json_object_get(obj, "kind"));
	size_t i;

	for (i = 0; word && i < KINDS; i++)
		if (!strcmp(word, kind_names[i])) {
			*kind = (enum fault_kind)i;
			return true;
		}
	return false;
}

static void get_pids(const json_t *obj, struct fault *f)
{
	json_int_t pid;
	size_t i;
	json_t *v;

	json_array_foreach(json_object_get(obj, "pids"), i, v) {
		pid = json_integer_value(v);
		if (f->pid_count < FACTS_FAULT_PIDS && pid >= 0)
			f->pids[f->pid_count++] = pid;
	}
}

static bool get_fault(const json_t *obj, struct fault *f)
{
	json_int_t seq = get_int(obj, "seq", 0, INT64_MAX - 1, -1);

	memset(f, 0, sizeof(*f));
	if (seq < 0 || !get_kind(obj, &f->kind))
		return false;
	f->number = (int32_t)get_int(obj, "number", -1, 99999, -1);
	f->subcode = (int32_t)get_int(obj, "subcode", -1, 63, -1);
	f->previous = (int32_t)get_int(obj, "previous", -1, 99999, -1);
	f->recovery_to = (int32_t)get_int(obj, "recovery_to", -1, 0xffff, -1);
	f->count = (uint32_t)get_int(obj, "count", 1, UINT32_MAX, 1);
	f->pid = get_int(obj, "pid", -1, INT32_MAX, -1);
	f->seq = (uint64_t)seq;
	f->first_seq = (uint64_t)get_int(obj, "first_seq", 0, seq, seq);
	f->usec = get_int(obj, "usec", 0, INT64_MAX, 0);
	f->seen_s = get_int(obj, "seen_s", 0, INT64_MAX, 0);
	f->fatal = json_is_true(json_object_get(obj, "fatal"));
	get_text(obj, "device", f->device, sizeof(f->device));
	get_text(obj, "mig", f->mig, sizeof(f->mig));
	get_text(obj, "comm", f->comm, sizeof(f->comm));
	get_text(obj, "text", f->text, sizeof(f->text));
	get_pids(obj, f);
	return true;
}

void faults_load(struct facts_kmsg *k, const json_t *doc)
{
	json_t *v;
	size_t i;

	get_text(doc, "boot_id", k->boot_id, sizeof(k->boot_id));
	k->next_seq = (uint64_t)get_int(doc, "next_seq", 0, INT64_MAX, 0);
	k->gap_noted = json_is_true(json_object_get(doc, "gap_noted"));
	k->fault_count = 0;
	json_array_foreach(json_object_get(doc, "faults"), i, v)
		if (k->fault_count < FACTS_FAULTS_MAX &&
		    get_fault(v, &k->fault[k->fault_count]))
			k->fault_count++;
}

/* What is at its default is left out: the document is rewritten whenever the
 * log has grown. */
static int put_int(json_t *obj, const char *key, json_int_t v, json_int_t def)
{
	return v == def ? 0 : json_object_set_new(obj, key, json_integer(v));
}

static int put_text(json_t *obj, const char *key, const char *text)
{
	return *text ? json_object_set_new(obj, key, json_string(text)) : 0;
}

static int put_pids(json_t *obj, const struct fault *f)
{
	json_t *list;
	int i, rc = 0;

	if (!f->pid_count)
		return 0;
	list = json_array();
	for (i = 0; i < f->pid_count; i++)
		rc |= json_array_append_new(list, json_integer(f->pids[i]));
	return rc | json_object_set_new(obj, "pids", list);
}

static json_t *fault_json(const struct fault *f)
{
	json_t *o = json_pack("{s:s, s:I}", "kind", kind_names[f->kind], "seq",
			      (json_int_t)f->seq);
	int rc = 0;

	if (!o)
		return NULL;
	rc |= put_int(o, "number", f->number, -1);
	rc |= put_int(o, "subcode", f->subcode, -1);
	rc |= put_int(o, "previous", f->previous, -1);
	rc |= put_int(o, "recovery_to", f->recovery_to, -1);
	rc |= put_int(o, "count", f->count, 1);
	rc |= put_int(o, "pid", f->pid, -1);
	rc |= put_int(o, "first_seq", (json_int_t)f->first_seq,
		      (json_int_t)f->seq);
	rc |= put_int(o, "usec", f->usec, 0);
	rc |= put_int(o, "seen_s", f->seen_s, 0);
	if (f->fatal)
		rc |= json_object_set_new(o, "fatal", json_true());
	rc |= put_text(o, "device", f->device);
	rc |= put_text(o, "mig", f->mig);
	rc |= put_text(o, "comm", f->comm);
	rc |= put_text(o, "text", f->text);
	rc |= put_pids(o, f);
	if (rc) {
		json_decref(o);
		return NULL;
	}
	return o;
}

json_t *faults_save(const struct facts_kmsg *k)
{
	json_t *list = json_array(), *doc;
	int i, rc = 0;

	for (i = 0; i < k->fault_count; i++)
		rc |= json_array_append_new(list, fault_json(&k->fault[i]));
	if (rc) {
		json_decref(list);
		return NULL;
	}
	doc = json_pack("{s:s, s:I, s:b, s:o}", "boot_id", k->boot_id,
			"next_seq", (json_int_t)k->next_seq, "gap_noted",
			k->gap_noted, "faults", list);
	return doc;
}
