/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/memo.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool memo_job_is_short(const struct job *j)
{
	return j->start_s > 0 && j->end_s > j->start_s &&
	       j->end_s - j->start_s < MEMO_SHORT_JOB_S;
}

/* FNV-1a */
static int digest_name(const char *name, void *arg)
{
	uint64_t *h = arg;

	for (; *name; name++)
		*h = (*h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	*h = (*h ^ '/') * UINT64_C(0x100000001b3);
	return 0;
}

uint64_t memo_pci_digest(const struct roots *r)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	if (roots_each(r, "sys/bus/pci/devices", digest_name, &h) < 0)
		return 0;
	return h;
}

static void hex(uint64_t x, char buf[20])
{
	snprintf(buf, 20, "%016" PRIx64, x);
}

static bool same(const json_t *doc, const char *key, const char *now)
{
	const char *was = json_string_value(json_object_get(doc, key));

	return was && !strcmp(was, now);
}

bool memo_holds(const json_t *doc, const struct facts_kmsg *kmsg, bool gpus,
		uint64_t pci_digest, uint64_t cfg_digest, int memo_s,
		int64_t now_s)
{
	int64_t age = now_s -
		      json_integer_value(json_object_get(doc, "time_s"));
	char pci[20], cfg[20];

	hex(pci_digest, pci);
	hex(cfg_digest, cfg);
	return memo_s > 0 && age >= 0 && age <= memo_s && pci_digest &&
	       kmsg->gather.end == GATHER_DONE && !kmsg->new_records &&
	       !kmsg->gap && !kmsg->cut &&
	       (!gpus || json_is_true(json_object_get(doc, "gpus"))) &&
	       same(doc, "boot_id", kmsg->boot_id) &&
	       same(doc, "pci", pci) && same(doc, "config", cfg) &&
	       same(doc, "version", PACKAGE_VERSION);
}

bool memo_is_clean(const struct check_result *results, int count)
{
	int i, k;

	for (i = 0; i < count; i++) {
		if (results[i].status > STATUS_WARN)
			return false;
		for (k = 0; k < results[i].count; k++)
			if (results[i].finding[k].note[0])
				return false;
	}
	return true;
}

void memo_store(json_t *doc, const struct facts_kmsg *kmsg, bool gpus,
		uint64_t pci_digest, uint64_t cfg_digest, int64_t now_s)
{
	char pci[20], cfg[20];

	hex(pci_digest, pci);
	hex(cfg_digest, cfg);
	json_object_set_new(doc, "time_s", json_integer(now_s));
	json_object_set_new(doc, "gpus", json_boolean(gpus));
	json_object_set_new(doc, "boot_id", json_string(kmsg->boot_id));
	json_object_set_new(doc, "pci", json_string(pci));
	json_object_set_new(doc, "config", json_string(cfg));
	json_object_set_new(doc, "version", json_string(PACKAGE_VERSION));
}
