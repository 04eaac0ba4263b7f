/* SPDX-License-Identifier: Apache-2.0
 * Records as AdminComment. Of each record in tests/golden the comment is there,
 * too; GOLDEN=write makes them anew. */
#include "config.h"
#include "epilog/js1.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/js1s.h"

static const struct js1_alloc nothing = JS1_ALLOC_UNKNOWN;

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

static json_t *of_golden(const char *name)
{
	json_t *record = golden_record(name), *js1;
	char *comment = js1_encode(record, &nothing, BIG);

	js1 = decoded(comment);
	free(comment);
	json_decref(record);
	return js1;
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

static json_t *simple_record(void)
{
	return golden_record("one-gpu");
}

static json_t *row_of(json_t *record, const char *list, size_t i)
{
	return json_array_get(json_object_get(record, list), i);
}

static json_t *encoded(const json_t *record, const struct js1_alloc *alloc)
{
	char *comment = js1_encode(record, alloc, BIG);
	json_t *js1;

	assert_non_null(comment);
	js1 = decoded(comment);
	free(comment);
	return js1;
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

/* ---- our own ------------------------------------------------------------------ */

static void one_key_of_our_own(void **state)
{
	json_t *js1 = of_golden("two-nodes"), *node;
	const char *key;

	(void)state;
	assert_int_equal(json_object_size(js1), 4);
	assert_true(js1_is_own(js1));
	assert_int_equal(js1_restart(js1), 1);
	assert_num(js1, "assay.v", 1);
	assert_string_equal(json_string_value(at(js1, "assay.level")), "gpus");
	json_object_foreach(json_object_get(js1, "nodes"), key, node)
		assert_true(json_object_size(node) == 8);
	/* What is of devices is not there twice, what is unknown not at all. */
	assert_absent(js1, "assay.gpu");
	assert_absent(js1, "assay.node");
	assert_absent(js1, "assay.fabric.port");
	assert_absent(js1, "assay.job.signal");
	assert_num(js1, "assay.job.array_task", 7);
	json_decref(js1);
}

static void long_texts_and_control_characters(void **state)
{
	json_t *record = simple_record(), *js1;
	char text[1001];
	const char *kept;

	(void)state;
	memset(text, 'x', 1000);
	text[1000] = '\0';
	text[3] = '\x1b';
	json_object_set_new(json_object_get(record, "blame"), "text",
			    json_string(text));
	json_object_set_new(row_of(record, "node", 0), "node",
			    json_string("n\xc3\xa4\n1"));
	json_object_set_new(row_of(record, "gpu", 0), "node",
			    json_string("n\xc3\xa4\n1"));
	js1 = encoded(record, &nothing);
	kept = json_string_value(at(js1, "assay.blame.text"));
	assert_int_equal(strlen(kept), 160);
	assert_int_equal(kept[3], '?');
	assert_num(js1, "nodes.n?? 1.gpu_utilization.0", 87.5);
	json_decref(js1);
	json_decref(record);
}

/* The first few of each list: the rest is in the record. */
static void lists_are_cut(void **state)
{
	json_t *record = simple_record(), *list = json_array(), *js1;
	json_t *missing = json_array();
	int i;

	(void)state;
	for (i = 0; i < 40; i++) {
		json_array_append_new(list, json_pack("{s:i}", "number", i));
		json_array_append_new(missing, json_sprintf("n%d", i));
	}
	json_object_set(record, "faults", list);
	json_object_set(record, "advice", list);
	json_object_set_new(json_object_get(record, "nodes"), "missing", missing);
	js1 = encoded(record, &nothing);
	assert_int_equal(json_array_size(at(js1, "assay.faults")), 8);
	assert_int_equal(json_array_size(at(js1, "assay.advice")), 3);
	assert_int_equal(json_array_size(at(js1, "assay.nodes.missing")), 16);
	json_decref(list);
	json_decref(js1);
	json_decref(record);
}

static void a_record_again(void **state)
{
	json_t *js1 = of_golden("two-nodes"), *record = js1_record(js1);
	json_t *row = row_of(record, "gpu", 2);

	(void)state;
	assert_string_equal(json_string_value(at(record, "schema")),
			    "assay.job/1");
	assert_num(record, "job.id", 1002);
	assert_string_equal(json_string_value(at(record, "blame.whose")),
			    "hardware");
	assert_int_equal(json_array_size(json_object_get(record, "gpu")), 4);
	assert_string_equal(json_string_value(at(row, "node")), "n2");
	assert_num(row, "minor", 0);
	assert_num(row, "busy_pct", 96.2);
	assert_num(row, "throttle_s.thermal", 900);
	assert_num(row_of(record, "node", 1), "cpu_seconds", 7200.5);
	assert_absent(record, "level");
	json_decref(record);
	json_decref(js1);
}

static void a_foreign_one(void **state)
{
	json_t *js1 = from_text(foreign), *record;

	(void)state;
	assert_non_null(js1);
	assert_false(js1_is_own(js1));
	assert_int_equal(js1_restart(js1), -1);
	assert_int_equal(js1_reported(js1), -1);
	record = js1_record(js1);
	assert_num(record, "job.elapsed_s", 100);
	assert_num(record, "gpus.allocated", 1);
	assert_num(row_of(record, "gpu", 0), "minor", 3);
	assert_num(row_of(record, "gpu", 0), "busy_pct", 12.5);
	assert_num(row_of(record, "node", 0), "mem_limit_bytes", 10);
	json_decref(record);
	json_decref(js1);
}

/* ---- many nodes --------------------------------------------------------------- */

static uint64_t dice_state;

/* 0 .. 1 */
static double dice(void)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) +
		     UINT64_C(1442695040888963407);
	return (double)(dice_state >> 40) / (double)(1 << 24);
}

static json_t *big_record(int nodes)
{
	json_t *record = simple_record();
	json_t *node = json_array(), *gpu = json_array(), *row;
	char name[32];
	int i, k;

	dice_state = 1;
	for (i = 0; i < nodes; i++) {
		snprintf(name, sizeof(name), "gpu%04d", i);
		row = json_copy(row_of(record, "node", 0));
		json_object_set_new(row, "node", json_string(name));
		json_object_set_new(row, "mem_peak_bytes",
				    json_integer((json_int_t)(dice() * 6e10)));
		json_object_set_new(row, "cpu_seconds", json_real(dice() * 4000));
		json_array_append_new(node, row);
		for (k = 0; k < 8; k++) {
			row = json_copy(row_of(record, "gpu", 0));
			json_object_set_new(row, "node", json_string(name));
			json_object_set_new(row, "minor", json_integer(k));
			json_object_set_new(row, "busy_pct",
					    json_real(dice() * 100));
			json_object_set_new(
				row, "mem_peak_bytes",
				json_integer((json_int_t)(dice() * 8e10)));
			json_object_set_new(
				row, "energy_j",
				json_integer((json_int_t)(dice() * 1e6)));
			json_array_append_new(gpu, row);
		}
	}
	json_object_set_new(record, "node", node);
	json_object_set_new(record, "gpu", gpu);
	json_object_set_new(json_object_get(record, "gpus"), "allocated",
			    json_integer(8 * nodes));
	return record;
}

static json_t *big_js1(int nodes, size_t max)
{
	json_t *record = big_record(nodes), *js1;
	char *comment = js1_encode(record, &nothing, max);

	assert_non_null(comment);
	assert_true(strlen(comment) <= max);
	js1 = decoded(comment);
	assert_num(js1, "gpus", 8 * nodes);
	free(comment);
	json_decref(record);
	return js1;
}

static void is_level(const json_t *js1, const char *level, size_t nodes)
{
	assert_string_equal(json_string_value(at(js1, "assay.level")), level);
	assert_int_equal(json_object_size(json_object_get(js1, "nodes")), nodes);
}

static void more_nodes_tell_less(void **state)
{
	json_t *js1 = big_js1(64, BIG);

	(void)state;
	is_level(js1, "gpus", 64);
	json_decref(js1);
	js1 = big_js1(400, BIG);
	is_level(js1, "nodes", 400);
	assert_absent(js1, "nodes.gpu0001.assay");
	json_decref(js1);
	js1 = big_js1(1024, BIG);
	is_level(js1, "totals", 1);
	assert_int_equal(json_array_size(at(js1, "assay.worst")), 16);
	assert_num(js1, "nodes.all-1024-nodes.cpus", 4096);
	json_decref(js1);
}

/* A reader's mean of nodes is that of the one node that stands for all. */
static void a_total_keeps_the_ratios(void **state)
{
	json_t *all = big_js1(40, BIG), *one = big_js1(40, 2 * JS1_COMMENT_MIN);
	double used = 0, busy = 0;
	const char *key, *gpu;
	json_t *node, *v;

	(void)state;
	is_level(one, "totals", 1);
	json_object_foreach(json_object_get(all, "nodes"), key, node) {
		used += num(node, "used_memory");
		json_object_foreach(json_object_get(node, "gpu_utilization"),
				    gpu, v)
			busy += json_number_value(v);
	}
	assert_num(one, "nodes.all-40-nodes.used_memory", used);
	assert_num(one, "nodes.all-40-nodes.total_memory", 40 * 68719476736.0);
	assert_true(fabs(num(one, "nodes.all-40-nodes.gpu_utilization.0") -
			 busy / 320) <= 0.05 + 1e-9);
	assert_num(one, "nodes.all-40-nodes.gpu_total_memory.0",
		   320 * 85520809984.0);
	json_decref(all);
	json_decref(one);
}

/* Texts that do not shrink leave nothing of our own but where from it is. */
static void even_the_totals_may_be_too_much(void **state)
{
	static const char hex[] = "0123456789abcdef";
	json_t *record = big_record(40), *faults = json_array(), *js1;
	char text[161] = "", *comment;
	int i, k;

	(void)state;
	for (i = 0; i < 8; i++) {
		for (k = 0; k < 160; k++)
			text[k] = hex[(int)(dice() * 16)];
		json_array_append_new(faults, json_pack("{s:s}", "text", text));
	}
	json_object_set_new(record, "faults", faults);
	comment = js1_encode(record, &nothing, 1200);
	assert_non_null(comment);
	assert_true(strlen(comment) <= 1200);
	js1 = decoded(comment);
	is_level(js1, "bare", 1);
	assert_int_equal(js1_restart(js1), 0);
	assert_int_equal(js1_reported(js1), 1);
	assert_absent(js1, "assay.faults");
	json_decref(js1);
	free(comment);
	assert_null(js1_encode(record, &nothing, 100));
	assert_int_equal(errno, E2BIG);
	json_decref(record);
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
		cmocka_unit_test(a_node_is_told_of_wholly_or_not_at_all),
		cmocka_unit_test(a_missing_node_is_named_and_no_row),
		cmocka_unit_test(accounting_knows_better),
		cmocka_unit_test(short_and_none),
		cmocka_unit_test(what_is_no_record),
		cmocka_unit_test(one_key_of_our_own),
		cmocka_unit_test(long_texts_and_control_characters),
		cmocka_unit_test(lists_are_cut),
		cmocka_unit_test(a_record_again),
		cmocka_unit_test(a_foreign_one),
		cmocka_unit_test(more_nodes_tell_less),
		cmocka_unit_test(a_total_keeps_the_ratios),
		cmocka_unit_test(even_the_totals_may_be_too_much),
	};

	return cmocka_run_group_tests_name("js1", tests, NULL, NULL);
}
