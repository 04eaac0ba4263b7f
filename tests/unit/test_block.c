/* SPDX-License-Identifier: Apache-2.0
 * What of the block is not in tests/golden/blocks: too much to say, too long
 * to say, and records that are none. */
#include "config.h"

#include "epilog/block_private.h"
#include "epilog/outlier.h"
#include "tests/unit/told.h"

static void empty_records_make_a_line(void **state)
{
	static const char *const texts[] = { "{}", "[]", "null", "7", "\"x\"" };
	struct block b;
	json_t *r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		r = json_loads(texts[i], JSON_DECODE_ANY, NULL);
		block_render(r, &b);
		assert_int_equal(b.count, 1);
		assert_string_equal(b.line[0],
				    "# assay job 0 ended after 0:00:00");
		json_decref(r);
	}
	block_render(NULL, &b);
	assert_int_equal(b.count, 1);
}

/* All fifteen lines have something to say. */
static json_t *everything(void)
{
	struct stories *b = stories_new("n1", 8, 240);
	json_t *after = json_loads(
		"{\"verdict\":{\"action\":\"drain\"},\"checks\":[{\"name\":"
		"\"gpu_ecc\",\"status\":\"FAIL\",\"findings\":[{\"status\":"
		"\"FAIL\",\"subject\":\"GPU1\",\"text\":\"bad\"}]}]}",
		0, NULL);
	json_t *r;
	int i, k;

	for (i = 0; i < 8; i++)
		for (k = 0; k < 240; k++) {
			b->sample[i][k].temp_c = k < 80 ? 50 : 80;
			if (k % 40 == 0) {
				b->sample[i][k].busy = 0;
				b->sample[i][k].idle_s = STEP_S;
			}
			if (i == 5) {
				b->sample[i][k].sm_mhz = 1200;
				b->sample[i][k].held_hw_s = 20;
			}
		}
	b->s.watch = WATCH_LATE;
	b->s.job.state = STORY_FAILED;
	b->s.event_count = 1;
	b->s.event[0] = (struct story_event){
		.time_s = T0 + 9, .number = 79, .pid = -1, .device = "GPU1"
	};
	b->s.after = after;
	r = told_of(b);
	json_decref(after);
	return r;
}

static void the_least_telling_lines_go_first(void **state)
{
	json_t *r = everything();
	struct block b;
	int i;

	(void)state;
	block_render(r, &b);
	assert_int_equal(b.count, BLOCK_LINES);
	/* three of fifteen are not there */
	assert_false(told_line(r, "# assay first to last third"));
	assert_false(told_line(r, "# assay host"));
	assert_false(told_line(r, "# assay fabric"));
	assert_true(told_line(r, "# assay stalls"));
	assert_true(told_line(r, "# assay slow: GPU5"));
	assert_true(told_line(r, "# assay checks: after the job: gpu_ecc GPU1 "
				 "bad"));
	/* in their order */
	assert_int_equal(strncmp(b.line[0], "# assay job ", 12), 0);
	assert_int_equal(strncmp(b.line[11], "# assay advice: ", 16), 0);
	for (i = 0; i < b.count; i++)
		assert_true(strlen(b.line[i]) <= BLOCK_WIDTH);
	json_decref(r);
}

static void a_part_that_does_not_fit_is_left_out(void **state)
{
	struct block_line l;
	char long_text[200];

	(void)state;
	memset(long_text, 'x', 100);
	long_text[100] = '\0';
	block_begin(&l, "test: ");
	assert_true(block_is_empty(&l));
	assert_true(block_add(&l, ", ", "%s", "first"));
	assert_false(block_add(&l, ", ", "%s", long_text));
	assert_true(block_add(&l, ", ", "%s", "last"));
	assert_string_equal(l.text, "# assay test: first, last");
	assert_false(block_is_empty(&l));
}

static void the_first_part_is_cut_at_a_word(void **state)
{
	struct block_line l;
	char long_text[400] = "";
	int i;

	(void)state;
	for (i = 0; i < 40; i++)
		strcat(long_text, "words ");
	block_begin(&l, "test: ");
	assert_true(block_add(&l, ", ", "%s", long_text));
	assert_true(strlen(l.text) <= BLOCK_WIDTH);
	assert_true(strlen(l.text) > BLOCK_WIDTH - 10);
	assert_string_equal(l.text + strlen(l.text) - 8, "words...");
	block_begin(&l, "test: ");
	memset(long_text, 'x', 300); /* no word ends */
	long_text[300] = '\0';
	assert_true(block_add(&l, "", "%s", long_text));
	assert_true(strlen(l.text) <= BLOCK_WIDTH);
}

static void text_from_outside_is_harmless(void **state)
{
	struct block_line l;

	(void)state;
	block_begin(&l, "");
	block_add(&l, "", "%s", "a\nb\x1b[31m\xc3\xa4");
	assert_string_equal(l.text, "# assay a b?[31m??");
}

static void sizes_and_times(void **state)
{
	char b[SHORT_MAX];

	(void)state;
	assert_string_equal(block_bytes(0, b), "0 B");
	assert_string_equal(block_bytes(999, b), "999 B");
	assert_string_equal(block_bytes(999.6, b), "1.0 kB");
	assert_string_equal(block_bytes(1.5e9, b), "1.5 GB");
	assert_string_equal(block_bytes(99.96e9, b), "100 GB");
	assert_string_equal(block_bytes(5e17, b), "500 PB");
	assert_string_equal(block_duration(0, b), "0:00:00");
	assert_string_equal(block_duration(3599.9, b), "0:59:59");
	assert_string_equal(block_duration(1e6, b), "277:46:40");
	assert_string_equal(block_duration(NAN, b), "0:00:00");
	assert_string_equal(block_duration(-5, b), "0:00:00");
	assert_string_equal(block_energy(3600, b), "1 Wh");
	assert_string_equal(block_energy(3.6e9, b), "1000.0 kWh");
}

static void medians_and_their_outliers(void **state)
{
	double odd[] = { 5, 1, 9 }, even[] = { 4, 1, 9, 2 };
	double flat[] = { 100, 100, 100, 89, 100 };
	double few[] = { 1, 100 };
	struct outlier o;

	(void)state;
	assert_true(outlier_median(odd, 3) == 5);
	assert_true(outlier_median(even, 4) == 3);
	assert_true(isnan(outlier_median(odd, 0)));
	o = outlier_limit(flat, 5);
	assert_true(o.median == 100 && o.limit == 90);
	assert_true(outlier_is(&o, 89));
	assert_false(outlier_is(&o, 90));
	assert_false(outlier_is(&o, NAN));
	o = outlier_limit(few, 2);
	assert_false(outlier_is(&o, 1));
}

/* Both lines of the driver on one GPU are one fault; on two they are two. */
static void what_the_driver_says_twice_is_told_once(void **state)
{
	static const char form[] =
		"{\"nodes\":{\"expected\":1},\"job\":{\"start\":0},\"faults\":["
		"{\"node\":\"n1\",\"device\":\"GPU1\",\"number\":null,"
		"\"kind\":\"off_bus\",\"time\":10,\"text\":\"lost\","
		"\"confidence\":\"high\"},"
		"{\"node\":\"n1\",\"device\":\"GPU%d\",\"number\":79,"
		"\"kind\":\"xid\",\"time\":%d,\"text\":\"lost\","
		"\"confidence\":\"high\"}]}";
	static const struct {
		int gpu, time;
		const char *line;
	} cases[] = {
		{ 1, 11, "fault: at 0:00:11 GPU1 XID 79, lost" },
		{ 1, 12, "fault: at 0:00:10 GPU1, lost; "
			 "at 0:00:12 GPU1 XID 79, lost" },
		{ 2, 10, "fault: at 0:00:10 GPU1, lost; "
			 "at 0:00:10 GPU2 XID 79, lost" },
	};
	struct block_line l;
	char text[600];
	json_t *r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), form, cases[i].gpu, cases[i].time);
		r = json_loads(text, 0, NULL);
		block_line_fault(&l, r);
		assert_string_equal(l.text + strlen("# assay "), cases[i].line);
		json_decref(r);
	}
}

static void little_memory_is_not_none(void **state)
{
	json_t *r = json_loads("{\"gpus\":{\"allocated\":1,\"used\":1,"
			       "\"mem_peak_bytes\":4e8,"
			       "\"mem_total_bytes\":8e10}}",
			       0, NULL);
	struct block_line l;

	(void)state;
	block_line_gpus(&l, r);
	assert_string_equal(l.text, "# assay GPUs: 1 of 1 used, "
				    "memory peak 0.4 of 80 GB");
	json_decref(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_records_make_a_line),
		cmocka_unit_test(the_least_telling_lines_go_first),
		cmocka_unit_test(a_part_that_does_not_fit_is_left_out),
		cmocka_unit_test(the_first_part_is_cut_at_a_word),
		cmocka_unit_test(text_from_outside_is_harmless),
		cmocka_unit_test(sizes_and_times),
		cmocka_unit_test(medians_and_their_outliers),
		cmocka_unit_test(what_the_driver_says_twice_is_told_once),
		cmocka_unit_test(little_memory_is_not_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
