/* SPDX-License-Identifier: Apache-2.0
 * What is our own in an AdminComment, and what is left of it in a big job's. */
#include "config.h"
#include "tests/unit/js1s.h"

#include <errno.h>

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
		cmocka_unit_test(one_key_of_our_own),
		cmocka_unit_test(long_texts_and_control_characters),
		cmocka_unit_test(lists_are_cut),
		cmocka_unit_test(a_record_again),
		cmocka_unit_test(a_foreign_one),
		cmocka_unit_test(more_nodes_tell_less),
		cmocka_unit_test(a_total_keeps_the_ratios),
		cmocka_unit_test(even_the_totals_may_be_too_much),
	};

	return cmocka_run_group_tests_name("js1_own", tests, NULL, NULL);
}
