/* SPDX-License-Identifier: Apache-2.0
 * record_fields - every field of NVML that the card knows. */
#include "config.h"
#include "tests/device/record.h"

#include <stdio.h>
#include <string.h>

#include "lib/facts.h"

#define FIELDS 256	/* ids behind the last one that NVML 13 knows */
#define BATCH 64

static json_t *field_value(const struct nvml_field_value *f)
{
	switch (f->type) {
	case NVML_TYPE_DOUBLE:
		return json_real(f->value.d);
	case NVML_TYPE_UINT:
		return json_integer(f->value.u);
	case NVML_TYPE_INT:
		return json_integer(f->value.i);
	case NVML_TYPE_USHORT:
		return json_integer(f->value.us);
	default:
		return json_integer((json_int_t)f->value.ll);
	}
}

static void put_field(json_t *all, const struct nvml_field_value *f)
{
	json_t *value = record_answer(f->rc, field_value(f));
	char key[32];

	if (f->scope)
		snprintf(key, sizeof(key), "%u:%u", f->field, f->scope);
	else
		snprintf(key, sizeof(key), "%u", f->field);
	if (value)
		json_object_set_new(all, key, value);
}

/* All ids there may be, or one id of all links. */
static void ask_batch(struct record *x, json_t *all,
		      struct nvml_field_value *f, int n)
{
	int i;

	for (i = 0; i < n; i++)
		f[i].rc = NVML_RC_NOT_SUPPORTED;
	if (x->nvml->field_values(x->gpu, n, f) != NVML_RC_OK)
		return;
	for (i = 0; i < n; i++)
		put_field(all, &f[i]);
}

static const unsigned int by_link[] = {
	NVML_FIELD_LINK_DATA_TX, NVML_FIELD_LINK_DATA_RX,
	NVML_FIELD_LINK_REPLAY,	 NVML_FIELD_LINK_RECOVERY,
	NVML_FIELD_LINK_CRC,	 NVML_FIELD_LINK_STATE,
};

static void ask_links(struct record *x, json_t *all, unsigned int field)
{
	struct nvml_field_value f[FACTS_LINKS_MAX] = { { 0 } };
	unsigned int i;

	for (i = 0; i < FACTS_LINKS_MAX; i++) {
		f[i].field = field;
		/* Link 0 is asked with the plain ids. */
		f[i].scope = i ? i : NVML_SCOPE_ALL;
	}
	ask_batch(x, all, f, FACTS_LINKS_MAX);
}

json_t *record_fields(struct record *x)
{
	struct nvml_field_value f[BATCH];
	json_t *all = json_object();
	unsigned int id, i;

	for (id = 0; id < FIELDS; id += BATCH) {
		memset(f, 0, sizeof(f));
		for (i = 0; i < BATCH; i++)
			f[i].field = id + i;
		ask_batch(x, all, f, BATCH);
	}
	for (i = 0; i < sizeof(by_link) / sizeof(*by_link); i++)
		ask_links(x, all, by_link[i]);
	return all;
}
