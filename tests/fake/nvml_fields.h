/* SPDX-License-Identifier: Apache-2.0
 * nvml_fields - field ids: the type a value comes in, and the functions that
 * tell the same fact.
 */
#ifndef ASSAY_FAKE_NVML_FIELDS_H
#define ASSAY_FAKE_NVML_FIELDS_H

#include "lib/nvml.h"
#include "tests/fake/scenario.h"

/* The type in which the driver answers a field; unknown: ULONG_LONG. */
enum nvml_value_type field_type(unsigned int field);

/* The places that tell a field, the field's own first. Returns how many of
 * the at most FIELD_PATHS_MAX were filled; text keeps their keys. */
#define FIELD_PATHS_MAX 3
struct field_text {
	char scoped[32], plain[16], link[16];
};
int field_paths(unsigned int field, unsigned int scope, struct field_text *text,
		struct scn_path *path);

/* The other way: the field that tells what func [/ key [/ member]] tells;
 * 0: none. per_link: its scope is the number in key. */
unsigned int field_of(const char *func, const char *key, bool *per_link);

#endif
