/* SPDX-License-Identifier: Apache-2.0
 *
 * Attacks AdminComment from both sides. What is decoded, whoever wrote it, is
 * printable, within its limits, and a record that can be written again; what
 * is written of any record is one that can be read, or there is none.
 */
#include "config.h"
#include "epilog/js1.h"
#include "epilog/js1_private.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

const char fuzz_name[] = "js1";
const char *const fuzz_words[] = { "JS1:",
				   "JS1:Short",
				   "JS1:None",
				   "H4sIAAAAAAACA",
				   "=",
				   "\"nodes\":",
				   "\"node\":",
				   "\"gpu\":",
				   "\"gpus\":1",
				   "\"assay\":{",
				   "\"total_time\":",
				   "\"total_memory\":0",
				   "\"used_memory\":null",
				   "\"mem_limit_bytes\": 0",
				   "\"cpu_seconds\": 1e17",
				   "\"cores_alloc\": 1",
				   "\"gpu_utilization\":{\"0\":",
				   "\"minor\": -1",
				   "\"busy_pct\": 101",
				   "\\u001b",
				   "\\u0000",
				   "1e400",
				   "-0.0",
				   "null",
				   "[[[[[[[[[[",
				   "}}",
				   ",",
				   NULL };

static void is_line(const char *text)
{
	for (; *text; text++)
		FUZZ_HOLDS(*text >= ' ' && *text <= '~');
}

static void is_written_well(const json_t *record, size_t max)
{
	struct js1_alloc alloc = JS1_ALLOC_UNKNOWN;
	char *comment = js1_encode(record, &alloc, max);
	struct err e = { .text = "" };
	json_t *js1;

	if (!comment) {
		FUZZ_HOLDS(errno == EINVAL || errno == E2BIG);
		return;
	}
	is_line(comment);
	FUZZ_HOLDS(strlen(comment) <= max);
	FUZZ_HOLDS(js1_kind(comment) != JS1_FOREIGN);
	if (js1_kind(comment) == JS1_DATA) {
		js1 = js1_decode(comment, &e);
		if (!js1)
			fprintf(stderr, "%s\n", e.text);
		FUZZ_HOLDS(js1);
		FUZZ_HOLDS(js1_is_own(js1));
		json_decref(js1);
	}
	free(comment);
}

static void read_comment(const char *comment)
{
	struct err e = { .text = "" };
	json_t *js1 = js1_decode(comment, &e), *record;
	char *text;

	if (!js1) {
		FUZZ_HOLDS(errno == EINVAL || errno == EFBIG);
		is_line(e.text);
		return;
	}
	/* Without escapes: what is in it is what a terminal gets. */
	text = json_dumps(js1, JSON_COMPACT);
	FUZZ_HOLDS(text && strlen(text) <= 2 * JS1_JSON_MAX);
	is_line(text);
	free(text);
	record = js1_record(js1);
	FUZZ_HOLDS(record);
	is_written_well(record, JS1_COMMENT_MAX);
	json_decref(record);
	json_decref(js1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *comment;
	json_t *record;

	FUZZ_HOLDS(text);
	memcpy(text, data, size);
	text[size] = '\0';
	read_comment(text);
	comment = js1_pack(text, size);
	FUZZ_HOLDS(comment);
	read_comment(comment);
	free(comment);
	record = json_loadb(text, size, 0, NULL);
	if (record) {
		is_written_well(record, JS1_COMMENT_MAX);
		is_written_well(record, 600);
	}
	json_decref(record);
	free(text);
	return 0;
}
