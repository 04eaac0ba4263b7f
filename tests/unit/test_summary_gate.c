/* SPDX-License-Identifier: Apache-2.0
 * What the gate measured before the job, and what was found after it. */
#include "config.h"

#include "epilog/gate_rows.h"
#include "tests/unit/told.h"

static json_t *checked(const char *name, const char *status,
		       const char *subject, const char *text)
{
	return json_pack("{s:s, s:s, s:n, s:[{s:s, s:s, s:s}]}", "name", name,
			 "status", status, "note", "findings", "status", status,
			 "subject", subject, "text", text);
}

static json_t *measured(const char *subject, double gbps)
{
	return json_pack("{s:s, s:f, s:i, s:{s:i}}", "subject", subject,
			 "read_gbps", gbps, "samples", 7, "conditions",
			 "sm_mhz", 1980);
}

static json_t *record(const char *action)
{
	return json_pack("{s:s, s:{s:s}, s:[]}", "schema", "assay.check/1",
			 "verdict", "action", action, "checks");
}

static void what_was_measured_on_the_jobs_gpus(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *gate = record("run"), *check, *r;

	(void)state;
	check = checked("gpu_membw", "PASS", "GPU0", "");
	json_object_set_new(check, "measured",
			    json_pack("[o, o, o]", measured("GPU0", 2600),
				      measured("GPU1", 2500),
				      measured("GPU7", 100)));
	json_array_append_new(json_object_get(gate, "checks"), check);
	b->s.gate = gate;
	r = told_of(b);
	assert_int_equal(json_array_size(told(r, "gate.measured")), 1);
	is_text(r, "gate.measured.0.name", "gpu_membw");
	is_text(r, "gate.measured.0.figure", "read_gbps");
	is_number(r, "gate.measured.0.count", 2);
	is_number(r, "gate.measured.0.mean", 2550);
	is_number(r, "gate.measured.0.lowest", 2500);
	is_text(r, "gate.measured.0.lowest_of", "n1 GPU1");
	is_text(r, "gate.verdict", "run");
	assert_int_equal(json_array_size(told(r, "gate.checks")), 0);
	is_null(r, "after");
	json_decref(r);
	json_decref(gate);
}

static void what_the_checks_found_afterwards(void **state)
{
	struct stories *b = stories_new("n1", 2, 100);
	json_t *after = record("drain"), *list, *r;

	(void)state;
	list = json_object_get(after, "checks");
	json_array_append_new(
		list, checked("gpu_remap", "FAIL", "GPU1", "row remap failed"));
	json_array_append_new(
		list, checked("gpu_ecc", "FAIL", "GPU7", "is another job's"));
	json_array_append_new(list, checked("gpu_temp", "PASS", "GPU0", ""));
	json_array_append_new(list,
			      json_pack("{s:s, s:s, s:s, s:[]}", "name",
					"ib_ports", "status", "ERROR", "note",
					"no permission", "findings"));
	b->s.after = after;
	r = told_of(b);
	is_text(r, "after.verdict", "drain");
	assert_int_equal(json_array_size(told(r, "after.checks")), 2);
	is_text(r, "after.checks.0.name", "gpu_remap");
	is_text(r, "after.checks.0.subject", "GPU1");
	is_text(r, "after.checks.0.text", "row remap failed");
	is_text(r, "after.checks.1.status", "ERROR");
	is_text(r, "after.checks.1.text", "no permission");
	assert_true(told_line(r, "checks: after the job: gpu_remap GPU1 row "
				 "remap failed (1 more)"));
	json_decref(r);
	json_decref(after);
}

static void what_is_no_record_says_nothing(void **state)
{
	static const char *const texts[] = {
		"[]",
		"{}",
		"7",
		"{\"checks\":{}}",
		"{\"checks\":[7,[]]}",
		"{\"checks\":[{\"name\":7,\"measured\":[7,{\"a_gbps\":\"x\"}],"
		"\"findings\":[[]]}],\"verdict\":[]}",
	};
	struct stories *b = stories_new("n1", 2, 100);
	json_t *gate, *r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		gate = json_loads(texts[i], JSON_DECODE_ANY, NULL);
		assert_non_null(gate);
		b->s.gate = b->s.after = gate;
		r = summary_node(&b->s);
		assert_int_equal(json_array_size(told(r, "gate.measured")), 0);
		assert_int_equal(json_array_size(told(r, "after.checks")), 0);
		json_decref(r);
		json_decref(gate);
	}
	free(b);
}

static void parts_of_two_nodes_together(void **state)
{
	json_t *a = json_pack("{s:s, s:[], s:[]}", "verdict", "run", "measured",
			      "checks");
	json_t *b = json_pack("{s:s, s:[], s:[{s:s}]}", "verdict", "drain",
			      "measured", "checks", "name", "gpu_ecc");
	json_t *sum = NULL;

	(void)state;
	gate_rows_add(json_object_get(a, "measured"), "gpu_gemm", "tflops",
		      "n1 GPU0", 600);
	gate_rows_add(json_object_get(b, "measured"), "gpu_gemm", "tflops",
		      "n2 GPU0", 500);
	gate_rows_add(json_object_get(b, "measured"), "gpu_gemm", "tflops",
		      "n2 GPU1", 700);
	gate_rows_add(json_object_get(b, "measured"), "gpu_gemm", "tflops",
		      "n2 GPU2", NAN);
	gate_part_merge(&sum, a);
	gate_part_merge(&sum, b);
	gate_part_merge(&sum, json_object_get(a, "measured"));
	is_text(sum, "verdict", "drain");
	is_number(sum, "measured.0.count", 3);
	is_number(sum, "measured.0.mean", 600);
	is_number(sum, "measured.0.lowest", 500);
	is_text(sum, "measured.0.lowest_of", "n2 GPU0");
	is_text(sum, "checks.0.name", "gpu_ecc");
	json_decref(a);
	json_decref(b);
	json_decref(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_measured_on_the_jobs_gpus),
		cmocka_unit_test(what_the_checks_found_afterwards),
		cmocka_unit_test(what_is_no_record_says_nothing),
		cmocka_unit_test(parts_of_two_nodes_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
