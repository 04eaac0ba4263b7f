/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/series.h"

#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

static struct story story;
static struct track_sample sample[1000];

static void begin(int samples)
{
	int i;

	memset(&story, 0, sizeof(story));
	memset(sample, 0, sizeof(sample));
	story.gpu_count = 1;
	story.gpu[0].index = 3;
	story.gpu[0].epoch_s = 1000;
	story.gpu[0].sample = sample;
	story.gpu[0].samples = samples;
	for (i = 0; i < samples; i++) {
		sample[i].from_s = 30 * i;
		sample[i].length_s = 30;
		sample[i].busy = NAN;
		sample[i].power_w = NAN;
		sample[i].temp_c = INT16_MIN;
	}
}

static const json_t *column(const json_t *series, const char *name)
{
	const json_t *gpu = json_array_get(json_object_get(series, "gpu"), 0);

	return json_object_get(gpu, name);
}

static float at(const json_t *series, const char *name, size_t i)
{
	const json_t *v = json_array_get(column(series, name), i);

	return json_is_number(v) ? (float)json_number_value(v) : NAN;
}

static void each_sample_is_a_step(void **state)
{
	json_t *s;

	(void)state;
	begin(2);
	sample[0].busy = 0.25F;
	sample[0].power_w = 310.26F;
	sample[0].sm_mhz = 1410;
	sample[0].temp_c = 61;
	sample[0].reasons = 4;
	sample[1].busy = 1;
	s = series_of(&story);
	assert_int_equal(json_array_size(column(s, "t")), 2);
	assert_float_equal(at(s, "t", 0), 1000, 0);
	assert_float_equal(at(s, "t", 1), 1030, 0);
	assert_float_equal(at(s, "length_s", 1), 30, 0);
	assert_float_equal(at(s, "busy", 0), 0.25F, 1e-6F);
	assert_float_equal(at(s, "power_w", 0), 310.3F, 1e-6F);
	assert_float_equal(at(s, "sm_mhz", 0), 1410, 0);
	assert_float_equal(at(s, "temp_c", 0), 61, 0);
	assert_float_equal(at(s, "reasons", 0), 4, 0);
	assert_float_equal(at(s, "busy", 1), 1, 1e-6F);
	json_decref(s);
}

static void unknown_is_null(void **state)
{
	static const char *const names[] = { "busy", "power_w", "sm_mhz",
					     "temp_c" };
	json_t *s;
	size_t i;

	(void)state;
	begin(1);
	s = series_of(&story);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(json_is_null(json_array_get(column(s, names[i]), 0)));
	json_decref(s);
}

/* 1000 samples: five make a step. What is unknown of them does not count. */
static void neighbours_are_weighed_by_their_time(void **state)
{
	json_t *s;

	(void)state;
	begin(1000);
	sample[0].busy = 1;
	sample[0].length_s = 10;
	sample[1].busy = 0;
	sample[1].length_s = 30;
	sample[2].temp_c = 50;
	sample[3].temp_c = 70;
	sample[4].reasons = 8;
	s = series_of(&story);
	assert_int_equal(json_array_size(column(s, "t")), 200);
	assert_float_equal(at(s, "busy", 0), 0.25F, 1e-6F);
	assert_float_equal(at(s, "length_s", 0), 130, 1e-6F);
	assert_float_equal(at(s, "temp_c", 0), 70, 0);
	assert_float_equal(at(s, "reasons", 0), 8, 0);
	assert_float_equal(at(s, "t", 1), 1150, 0);
	json_decref(s);
}

static void without_samples_there_is_no_lane(void **state)
{
	json_t *s;

	(void)state;
	begin(0);
	s = series_of(&story);
	assert_int_equal(json_array_size(json_object_get(s, "gpu")), 0);
	json_decref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample_is_a_step),
		cmocka_unit_test(unknown_is_null),
		cmocka_unit_test(neighbours_are_weighed_by_their_time),
		cmocka_unit_test(without_samples_there_is_no_lane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
