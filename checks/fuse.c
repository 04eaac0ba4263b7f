/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/fuse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PIECE_MAX 256

/* One piece of the fingerprint: true if it was known before and differs. */
static bool piece(json_t *doc, const char *name, const char *now)
{
	const char *was = json_string_value(json_object_get(doc, name));
	bool differs;

	if (!*now)
		return false;
	differs = was && strcmp(was, now);
	if (!was || differs)
		json_object_set_new(doc, name, json_string(now));
	return differs;
}

/* The VBIOS versions of the GPUs that answered, without repetition. */
static void vbios_of(const struct facts_gpus *g, char *buf, size_t size)
{
	size_t used = 0;
	int i, n;

	buf[0] = '\0';
	for (i = 0; i < g->count; i++) {
		if (!g->gpu[i].vbios[0] || strstr(buf, g->gpu[i].vbios))
			continue;
		n = snprintf(buf + used, size - used, "%s ", g->gpu[i].vbios);
		if (n < 0 || (size_t)n >= size - used)
			return;
		used += (size_t)n;
	}
}

bool fuse_update(json_t *doc, const struct facts *facts, const char *kernel,
		 const struct cfg *cfg, char *changed, size_t size)
{
	char vbios[PIECE_MAX];
	char digest[24];
	const struct {
		const char *name, *now;
	} pieces[] = {
		{ "driver", facts->gpus.driver }, { "vbios", vbios },
		{ "kernel", kernel }, { "config", digest },
		{ "assay", PACKAGE_VERSION },
	};
	bool any = false;
	size_t i;

	vbios_of(&facts->gpus, vbios, sizeof(vbios));
	snprintf(digest, sizeof(digest), "%016" PRIx64, cfg_digest(cfg));
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		if (!piece(doc, pieces[i].name, pieces[i].now))
			continue;
		if (!any && changed)
			snprintf(changed, size, "%s", pieces[i].name);
		any = true;
	}
	if (any)
		json_object_set_new(doc, "passed", json_object());
	return any;
}

bool fuse_untested(const json_t *doc, const char *check)
{
	const json_t *passed = json_object_get(doc, "passed");

	return passed && !json_object_get(passed, check);
}

bool fuse_note_passes(json_t *doc, const struct check_result *results,
		      int count)
{
	json_t *passed = json_object_get(doc, "passed");
	bool changed = false;
	int i;

	for (i = 0; passed && i < count; i++) {
		if (results[i].status != STATUS_PASS ||
		    json_object_get(passed, results[i].name))
			continue;
		json_object_set_new(passed, results[i].name, json_true());
		changed = true;
	}
	return changed;
}
