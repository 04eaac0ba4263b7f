/* SPDX-License-Identifier: Apache-2.0
 * Records as AdminComment. Of each record in tests/golden the comment is there,
 * too; GOLDEN=write makes them anew. */
#include "config.h"
#include "epilog/js1.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/js1s.h"

/* As the writer prints it. */
static char *text_of(const json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT | JSON_ENSURE_ASCII |
					   JSON_REAL_PRECISION(15));

	assert_non_null(text);
	return text;
}

/* ---- golden comments ---------------------------------------------------------- */

static const char *const golden[] = { "mig",	  "no-gpu",  "none",
				      "one-gpu",  "partial", "short",
				      "two-nodes" };

static void write_golden(const char *name, const char *comment)
{
	char path[4096];
	FILE *f = fopen(golden_path(name, "js1", path), "w");

	assert_non_null(f);
	fprintf(f, "%s\n", comment);
	assert_int_equal(fclose(f), 0);
}

/* How well zlib packs is its own affair. */
static void is_same_comment(const char *name, const char *a, const char *b)
{
	json_t *x, *y;
	char *s, *t;

	assert_int_equal(js1_kind(a), js1_kind(b));
	if (js1_kind(a) != JS1_DATA) {
		assert_string_equal(a, b);
		return;
	}
	x = decoded(a);
	y = decoded(b);
	s = text_of(x);
	t = text_of(y);
	if (strcmp(s, t))
		fail_msg("%s:\n%s\nis not\n%s", name, s, t);
	free(s);
	free(t);
	json_decref(x);
	json_decref(y);
}

static void golden_comments(void **state)
{
	char *comment, *wanted;
	json_t *record;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		record = golden_record(golden[i]);
		comment = js1_encode(record, &nothing, BIG);
		assert_non_null(comment);
		if (getenv("GOLDEN"))
			write_golden(golden[i], comment);
		wanted = golden_comment(golden[i]);
		is_same_comment(golden[i], comment, wanted);
		free(wanted);
		free(comment);
		json_decref(record);
	}
}

/* ---- what readers want -------------------------------------------------------- */

/* The first example of the readers' own form. */
static void one_gpu_for_twenty_minutes(void **state)
{
	json_t *js1 = of_golden("one-gpu");

	(void)state;
	assert_num(js1, "total_time", 1200);
	assert_num(js1, "gpus", 1);
	/* The host part of the name. */
	assert_num(js1, "nodes.gpu-a01.total_memory", 68719476736);
	assert_num(js1, "nodes.gpu-a01.used_memory", 8589934592);
	assert_num(js1, "nodes.gpu-a01.total_time", 3540.2);
	assert_num(js1, "nodes.gpu-a01.cpus", 4);
	assert_num(js1, "nodes.gpu-a01.gpu_total_memory.0", 85520809984);
	assert_num(js1, "nodes.gpu-a01.gpu_used_memory.0", 31138512896);
	assert_num(js1, "nodes.gpu-a01.gpu_utilization.0", 87.5);
	assert_num(js1, "nodes.gpu-a01.assay.gpu.0.sm_active_pct", 71.23);
	assert_num(js1, "assay.power.energy_j", 624001);
	json_decref(js1);
}

static void the_blob_is_gzip_without_a_time(void **state)
{
	char *comment = golden_comment("one-gpu");

	(void)state;
	/* 1f 8b 08, no flags, no time */
	assert_memory_equal(comment, "JS1:H4sIAAAAAA", 14);
	assert_null(strpbrk(comment, " \n;"));
	free(comment);
}

static void a_minor_number_is_the_key(void **state)
{
	json_t *js1 = of_golden("two-nodes");

	(void)state;
	/* GPU0 has minor 1 there */
	assert_num(js1, "nodes.n1.gpu_utilization.1", 98.0);
	assert_num(js1, "nodes.n1.gpu_utilization.0", 97.9);
	assert_num(js1, "nodes.n1.assay.gpu.1.index", 0);
	json_decref(js1);
}

static void without_minor_numbers_the_index(void **state)
{
	json_t *record = golden_record("two-nodes"), *js1;

	(void)state;
	json_object_set_new(row_of(record, "gpu", 0), "minor", json_null());
	js1 = encoded(record, &nothing);
	assert_num(js1, "nodes.n1.gpu_utilization.0", 98.0);
	assert_num(js1, "nodes.n1.gpu_utilization.1", 97.9);
	json_decref(js1);
	/* Two of one number: which is which cannot be told. */
	json_object_set_new(row_of(record, "gpu", 0), "index", json_integer(1));
	js1 = encoded(record, &nothing);
	assert_absent(js1, "nodes.n1.gpu_utilization");
	assert_absent(js1, "nodes.n1.gpu_total_memory");
	assert_num(js1, "nodes.n2.gpu_utilization.0", 96.2);
	json_decref(js1);
	json_decref(record);
}

/* A GPU is in all three objects or in none: unknown is never 0. */
static void an_unknown_gpu_is_left_out(void **state)
{
	static const char *const member[] = { "busy_pct", "mem_peak_bytes",
					      "mem_total_bytes" };
	json_t *js1 = of_golden("mig"), *record;
	size_t i;

	(void)state;
	assert_absent(js1, "nodes.m1.gpu_utilization");
	assert_absent(js1, "nodes.m1.gpu_total_memory");
	assert_num(js1, "gpus", 1);
	json_decref(js1);
	for (i = 0; i < 3; i++) {
		record = golden_record("two-nodes");
		json_object_set_new(row_of(record, "gpu", 3), member[i],
				    json_null());
		js1 = encoded(record, &nothing);
		assert_absent(js1, "nodes.n2.gpu_utilization.1");
		assert_absent(js1, "nodes.n2.gpu_used_memory.1");
		assert_absent(js1, "nodes.n2.gpu_total_memory.1");
		assert_num(js1, "nodes.n2.gpu_utilization.0", 96.2);
		json_decref(js1);
		json_decref(record);
	}
}

static void no_memory_of_zero(void **state)
{
	json_t *record = simple_record(), *js1;

	(void)state;
	json_object_set_new(row_of(record, "gpu", 0), "mem_total_bytes",
			    json_integer(0));
	js1 = encoded(record, &nothing);
	assert_absent(js1, "nodes.gpu-a01.gpu_total_memory");
	json_decref(js1);
	json_decref(record);
}

/* An unlimited job: what Slurm allocated, an even share of it. */
static void no_limit_is_what_was_allocated(void **state)
{
	struct js1_alloc alloc = nothing;
	json_t *record = golden_record("two-nodes"), *js1;

	(void)state;
	json_object_set_new(row_of(record, "node", 0), "mem_limit_bytes",
			    json_integer(0));
	json_object_set_new(row_of(record, "node", 1), "mem_limit_bytes",
			    json_null());
	alloc.mem_bytes = 100001;
	alloc.nodes = 2;
	js1 = encoded(record, &alloc);
	assert_num(js1, "nodes.n1.total_memory", 50000);
	assert_num(js1, "nodes.n2.total_memory", 50000);
	/* More than that was used: cut, and kept as it was. */
	assert_num(js1, "nodes.n1.used_memory", 50000);
	assert_num(js1, "nodes.n1.assay.mem_peak_bytes", 17179869184);
	assert_true(json_is_true(at(js1, "nodes.n1.assay.mem_of_alloc")));
	json_decref(js1);
	json_decref(record);
}

/* Of a job without cgroups it is no more than the largest process. */
static void whose_memory_it_was(void **state)
{
	json_t *record = golden_record("two-nodes"), *js1, *again;

	(void)state;
	json_object_set_new(row_of(record, "node", 0), "mem_of",
			    json_string("largest process"));
	json_object_set_new(row_of(record, "node", 1), "mem_of",
			    json_string("cgroup"));
	js1 = encoded(record, &nothing);
	assert_true(json_is_true(at(js1, "nodes.n1.assay.mem_of_process")));
	assert_absent(js1, "nodes.n2.assay.mem_of_process");
	again = js1_record(js1);
	assert_string_equal(json_string_value(json_object_get(
				    row_of(again, "node", 0), "mem_of")),
			    "largest process");
	assert_null(json_object_get(row_of(again, "node", 1), "mem_of"));
	json_decref(again);
	json_decref(js1);
	json_decref(record);
}

static void a_node_is_told_of_wholly_or_not_at_all(void **state)
{
	static const char *const member[] = { "cpu_seconds", "cores_alloc",
					      "mem_peak_bytes",
					      "mem_limit_bytes" };
	struct js1_alloc alloc = nothing;
	json_t *record, *js1;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		record = golden_record("two-nodes");
		json_object_set_new(row_of(record, "node", 1), member[i],
				    json_null());
		js1 = encoded(record, &nothing);
		assert_absent(js1, "nodes.n2");
		assert_num(js1, "nodes.n1.cpus", 4);
		assert_string_equal(json_string_value(json_array_get(
					    at(js1, "assay.partial"), 0)),
				    "n2");
		json_decref(js1);
		json_decref(record);
	}
	/* How many CPUs Slurm knows, too. */
	record = golden_record("two-nodes");
	json_object_set_new(row_of(record, "node", 1), "cores_alloc",
			    json_integer(0));
	alloc.cpus = 16;
	alloc.nodes = 2;
	js1 = encoded(record, &alloc);
	assert_num(js1, "nodes.n2.cpus", 8);
	json_decref(js1);
	json_decref(record);
}

static void a_missing_node_is_named_and_no_row(void **state)
{
	struct js1_alloc alloc = nothing;
	json_t *record = golden_record("partial"), *js1;

	(void)state;
	alloc.mem_bytes = INT64_C(4) << 33;
	alloc.nodes = 4;
	js1 = encoded(record, &alloc);
	assert_absent(js1, "nodes.n4");
	assert_absent(js1, "nodes.n3");
	assert_num(js1, "assay.nodes.expected", 4);
	assert_num(js1, "assay.nodes.reported", 3);
	assert_int_equal(js1_reported(js1), 3);
	assert_string_equal(json_string_value(json_array_get(
				    at(js1, "assay.nodes.missing"), 0)),
			    "n4");
	/* More than all CPUs all the time: cut, and kept as it was. */
	assert_num(js1, "nodes.n2.total_time", 8 * 1800);
	assert_num(js1, "nodes.n2.assay.cpu_seconds", 99999999);
	assert_absent(js1, "nodes.n1.assay.cpu_seconds");
	json_decref(js1);
	json_decref(record);
}

static void accounting_knows_better(void **state)
{
	struct js1_alloc alloc = {
		.wall_s = 700, .gpus = 8, .cpus = -1, .mem_bytes = -1, .nodes = -1
	};
	json_t *record = simple_record(), *js1 = encoded(record, &alloc);

	(void)state;
	assert_num(js1, "total_time", 700);
	assert_num(js1, "gpus", 8);
	assert_num(js1, "nodes.gpu-a01.total_time", 4 * 700);
	json_decref(js1);
	json_decref(record);
}

static void short_and_none(void **state)
{
	struct js1_alloc alloc = nothing;
	json_t *record = simple_record();
	char *comment;

	(void)state;
	alloc.wall_s = JS1_SHORT_S - 1;
	comment = js1_encode(record, &alloc, BIG);
	assert_string_equal(comment, "JS1:Short");
	free(comment);
	comment = js1_encode(NULL, &alloc, BIG);
	assert_string_equal(comment, "JS1:Short");
	free(comment);
	alloc.wall_s = JS1_SHORT_S;
	comment = js1_encode(record, &alloc, BIG);
	assert_int_equal(js1_kind(comment), JS1_DATA);
	free(comment);
	comment = js1_encode(NULL, &alloc, BIG);
	assert_string_equal(comment, "JS1:None");
	free(comment);
	/* No node tells enough: an object without nodes ends a reader. */
	json_array_clear(json_object_get(record, "node"));
	comment = js1_encode(record, &alloc, BIG);
	assert_string_equal(comment, "JS1:None");
	free(comment);
	json_decref(record);
}

static void what_is_no_record(void **state)
{
	json_t *v = json_pack("{s:s}", "schema", "assay.check/1");

	(void)state;
	errno = 0;
	assert_null(js1_encode(v, &nothing, BIG));
	assert_int_equal(errno, EINVAL);
	json_decref(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_comments),
		cmocka_unit_test(one_gpu_for_twenty_minutes),
		cmocka_unit_test(the_blob_is_gzip_without_a_time),
		cmocka_unit_test(a_minor_number_is_the_key),
		cmocka_unit_test(without_minor_numbers_the_index),
		cmocka_unit_test(an_unknown_gpu_is_left_out),
		cmocka_unit_test(no_memory_of_zero),
		cmocka_unit_test(no_limit_is_what_was_allocated),
		cmocka_unit_test(whose_memory_it_was),
		cmocka_unit_test(a_node_is_told_of_wholly_or_not_at_all),
		cmocka_unit_test(a_missing_node_is_named_and_no_row),
		cmocka_unit_test(accounting_knows_better),
		cmocka_unit_test(short_and_none),
		cmocka_unit_test(what_is_no_record),
	};

	return cmocka_run_group_tests_name("js1", tests, NULL, NULL);
}
