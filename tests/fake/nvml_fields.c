/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/nvml_fields.h"

#include <stdio.h>
#include <string.h>

/* One fact, several routes. key NULL: the function tells one number. */
static const struct twin {
	unsigned int field;
	const char *func, *key, *member;
} twins[] = {
	{ 1, "GetEccMode", "current", NULL },
	{ 3, "GetTotalEccErrors", "0:0", NULL },
	{ 4, "GetTotalEccErrors", "1:0", NULL },
	{ 5, "GetTotalEccErrors", "0:1", NULL },
	{ 6, "GetTotalEccErrors", "1:1", NULL },
	{ 31, "GetRetiredPagesPendingStatus", NULL, NULL },
	{ 74, "GetViolationStatus", "0", "violationTime" },
	{ 75, "GetViolationStatus", "1", "violationTime" },
	{ 83, "GetTotalEnergyConsumption", NULL, NULL },
	{ 94, "GetPcieReplayCounter", NULL, NULL },
	{ 142, "GetRemappedRows", "corrRows", NULL },
	{ 143, "GetRemappedRows", "uncRows", NULL },
	{ 144, "GetRemappedRows", "isPending", NULL },
	{ 145, "GetRemappedRows", "failureOccurred", NULL },
	{ 187, "GetPowerManagementLimitConstraints", "minLimit", NULL },
	{ 188, "GetPowerManagementLimitConstraints", "maxLimit", NULL },
	{ 189, "GetPowerManagementDefaultLimit", NULL, NULL },
	{ 190, "GetEnforcedPowerLimit", NULL, NULL },
	{ 192, "GetPowerManagementLimit", NULL, NULL },
};

#define TWINS (sizeof(twins) / sizeof(*twins))
#define LINK_STATE "GetNvLinkState" /* its key is the link */

static const struct {
	unsigned int from, to;
	enum nvml_value_type type;
} types[] = {
	{ 1, 2, NVML_TYPE_UINT },	  /* ECC mode */
	{ 3, 28, NVML_TYPE_ULONG_LONG },  /* ECC counts */
	{ 29, 31, NVML_TYPE_UINT },	  /* retired pages */
	{ 32, 59, NVML_TYPE_ULONG_LONG }, /* link errors by lane */
	{ 82, 82, NVML_TYPE_UINT },	  /* memory temperature */
	{ 84, 93, NVML_TYPE_UINT },	  /* link speed and count */
	{ 94, 95, NVML_TYPE_UINT },	  /* PCIe replays */
	{ 132, 137, NVML_TYPE_UINT },	  /* link speed */
	{ 142, 147, NVML_TYPE_UINT },	  /* row remaps, link ids */
	{ 164, 168, NVML_TYPE_UINT },	  /* link state */
	{ 169, 169, NVML_TYPE_UINT },	  /* PCIe recoveries */
	{ 170, 172, NVML_TYPE_UINT },	  /* C2C */
	{ 173, 184, NVML_TYPE_UINT },	  /* PCIe errors */
	{ 185, 190, NVML_TYPE_UINT },	  /* power, mW */
	{ 192, 192, NVML_TYPE_UINT },
	{ 193, 196, NVML_TYPE_INT }, /* temperature margins */
	{ 226, 227, NVML_TYPE_UINT },
	{ 230, 230, NVML_TYPE_UINT }, /* recovery action */
};

enum nvml_value_type field_type(unsigned int field)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (field >= types[i].from && field <= types[i].to)
			return types[i].type;
	return NVML_TYPE_ULONG_LONG;
}

static struct scn_path path_of(const char *a, const char *b, const char *c)
{
	struct scn_path p = { { a, b, b ? c : NULL, NULL } };

	return p;
}

int field_paths(unsigned int field, unsigned int scope, struct field_text *text,
		struct scn_path *path)
{
	size_t i;
	int n = 0;

	snprintf(text->scoped, sizeof(text->scoped), "%u:%u", field, scope);
	snprintf(text->plain, sizeof(text->plain), "%u", field);
	path[n++] = path_of("GetFieldValues", text->scoped, NULL);
	if (scope == 0)
		path[n++] = path_of("GetFieldValues", text->plain, NULL);
	if (field == NVML_FIELD_LINK_STATE) {
		snprintf(text->link, sizeof(text->link), "%u", scope);
		path[n++] = path_of(LINK_STATE, text->link, NULL);
		return n;
	}
	for (i = 0; i < TWINS && scope == 0; i++)
		if (twins[i].field == field)
			path[n++] = path_of(twins[i].func, twins[i].key,
					    twins[i].member);
	return n;
}

unsigned int field_of(const char *func, const char *key, bool *per_link)
{
	size_t i;

	*per_link = strcmp(func, LINK_STATE) == 0;
	if (*per_link)
		return NVML_FIELD_LINK_STATE;
	for (i = 0; i < TWINS; i++)
		if (strcmp(twins[i].func, func) == 0 &&
		    (!twins[i].key || (key && strcmp(twins[i].key, key) == 0)))
			return twins[i].field;
	return 0;
}
