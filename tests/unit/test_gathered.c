/* SPDX-License-Identifier: Apache-2.0
 * A job's story while the clock is set: as the sampler writes its tracks and
 * events, and as they are read. */
#include "config.h"
#include "watch/gathered.h"

#include <fcntl.h>
#include <math.h>

#include "epilog/series.h"
#include "lib/jsonfile.h"
#include "tests/unit/fixture.h"
#include "tests/unit/gpus.h"
#include "watch/figures.h"
#include "watch/keeper.h"
#include "watch/sampler.h"

#define THIS_BOOT "11111111-2222-3333-4444-555555555555"
#define WALL 1700000000		/* when it began, */
#define UP 5000			/* and since boot */
#define STEP_S 30
#define STEPS 20
#define WATTS 400

static struct fixture fx;
static struct session s;
static int watch_dir;

static int set_up(void **state)
{
	(void)state;
	fixture_open(&fx);
	fixture_dir(&fx, "7");
	fixture_dir(&fx, KEEPER_DIR);
	s = (struct session){ .run_dir = open(fx.dir, O_RDONLY | O_DIRECTORY) };
	watch_dir = openat(s.run_dir, KEEPER_DIR, O_RDONLY | O_DIRECTORY);
	return s.run_dir < 0 || watch_dir < 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(watch_dir);
	close(s.run_dir);
	fixture_close(&fx);
	return 0;
}

/* After so many seconds of the job, with a clock that was set by so much. */
static struct instant after(int64_t ran_s, int64_t set_s)
{
	return (struct instant){ WALL + ran_s + set_s, UP + ran_s,
				 (UP + ran_s) * 1000000 };
}

static json_t *energy(int64_t ran_s)
{
	return json_pack("{s:{s:I}}", "GPU-1", "energy_mj",
			 (json_int_t)(ran_s * WATTS * 1000));
}

static struct mark a_mark(void)
{
	struct mark m = { .job = 7,
			  .start_s = WALL,
			  .start_up_s = UP,
			  .limit_end_s = WALL + 3600,
			  .array_job = -1,
			  .array_task = -1,
			  .boot_id = THIS_BOOT,
			  .owned = true,
			  .watch = MARK_WANTED,
			  .gpu_count = 1 };

	m.gpu[0] = (struct mark_gpu){ "GPU-1", "0000:1b:00.0", "H100", 3, 3 };
	m.snapshot = json_pack("{s:I, s:o}", "time", (json_int_t)WALL, "gpus",
			       energy(0));
	return m;
}

static struct driver_reading reading(const struct instant *at)
{
	struct driver_reading r = { .at_us = at->mono_us, .round = 1 };

	gpu_all_unknown(&r.gpu, 3);
	r.gpm = (struct gpm_figures){ NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	r.gpu.energy_mj = known((at->up_s - UP) * WATTS * 1000);
	r.gpu.busy_pct = known(90);
	return r;
}

/* From ten steps before the job on; the clock is set in its middle. */
static void sample(int64_t set_s)
{
	struct track_id id = { TRACK_GPU, "GPU-1", THIS_BOOT,
			       after(-10 * STEP_S, 0) };
	struct driver_reading a, b;
	struct figures_when when;
	struct track_sample got;
	struct instant now, then;
	struct track t;
	int i;

	assert_int_equal(track_open(&t, watch_dir, "GPU-1.track", &id), 0);
	a = reading(&id.now);
	for (i = -9; i <= STEPS; i++) {
		then = after(i * STEP_S, 0);
		/* It is taken a second later, maybe by another clock. */
		now = after(i * STEP_S + 1, i > STEPS / 2 ? set_s : 0);
		b = reading(&then);
		when = (struct figures_when){ clock_at(&now, b.at_us).up_s,
					      t.head.epoch_up_s };
		assert_true(figures_of_gpu(&a, &b, &when, &got));
		assert_int_equal(track_add(&t, &got), 0);
		a = b;
	}
	track_close(&t);
}

static void tell(int64_t ran_s, int64_t set_s, int number)
{
	static struct events e;
	struct instant at = after(ran_s, set_s);
	struct event ev = { .time_s = at.wall_s,
			    .up_s = at.up_s,
			    .kind = EVENT_XID,
			    .number = number,
			    .pid = -1,
			    .device = "GPU3" };

	events_open(&e, watch_dir, false);
	assert_true(events_add(&e, &ev));
}

static void write_state(int64_t set_s, json_int_t cut_up_s)
{
	struct instant began = after(1, 0), last = after(STEPS * STEP_S, set_s);
	json_t *doc = json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:i, s:I, s:{s:s, s:o}}", "boot_id",
		THIS_BOOT, "started", (json_int_t)began.wall_s, "started_up",
		(json_int_t)began.up_s, "last", (json_int_t)last.wall_s,
		"last_up", (json_int_t)last.up_s, "interval_s", STEP_S,
		"events_cut", cut_up_s, "snapshot", "boot_id", THIS_BOOT, "gpus",
		energy(STEPS * STEP_S));

	assert_int_equal(jsonfile_replace(watch_dir, SAMPLER_STATE, 0600, doc,
					  0),
			 0);
	json_decref(doc);
}

static void series_is_sound(const struct story *story)
{
	json_t *all = series_of(story), *times, *t;
	json_int_t last = 0;
	size_t i;

	times = json_object_get(
		json_array_get(json_object_get(all, "gpu"), 0), "t");
	assert_int_equal(json_array_size(times), STEPS);
	json_array_foreach(times, i, t) {
		assert_true(json_integer_value(t) > last);
		last = json_integer_value(t);
	}
	json_decref(all);
}

static void samples_are_sound(const struct story_gpu *g)
{
	double length = 0, joule = 0;
	int i;

	assert_int_equal(g->samples, STEPS);
	for (i = 0; i < g->samples; i++) {
		assert_true(g->sample[i].length_s > 29 &&
			    g->sample[i].length_s < 31);
		assert_false(isnan(g->sample[i].busy));
		length += (double)g->sample[i].length_s;
		joule += (double)g->sample[i].energy_j;
	}
	assert_true(fabs(length - STEPS * STEP_S) < 1);
	assert_true(fabs(joule - STEPS * STEP_S * WATTS) < WATTS);
	assert_int_equal(g->epoch_s + g->sample[0].from_s, WALL);
}

static void the_clock_is_set(int64_t by_s)
{
	struct mark m = a_mark();
	struct gathered_from from = { .s = &s, .mark = &m };
	struct gathered *g;

	set_up(NULL);
	sample(by_s);
	tell(-60, 0, 13);	/* of a job before */
	tell(60, 0, 31);
	tell(STEPS * STEP_S - 60, by_s, 79);
	write_state(by_s, 0);
	from.now = after(STEPS * STEP_S, by_s);
	g = gathered_create(&from);
	assert_non_null(g);
	assert_int_equal(g->story.job.start_s, WALL);
	assert_int_equal(g->story.job.end_s, WALL + STEPS * STEP_S);
	assert_int_equal(g->story.watch, WATCH_WHOLE);
	samples_are_sound(&g->story.gpu[0]);
	series_is_sound(&g->story);
	assert_true(fabs(g->story.gpu[0].energy_j.v - STEPS * STEP_S * WATTS) <
		    1);
	assert_int_equal(g->story.event_count, 2);
	assert_int_equal(g->story.event[0].number, 31);
	assert_int_equal(g->story.event[0].time_s, WALL + 60);
	assert_int_equal(g->story.event[1].number, 79);
	assert_int_equal(g->story.event[1].time_s,
			 WALL + STEPS * STEP_S - 60);
	gathered_destroy(g);
	mark_fini(&m);
	tear_down(NULL);
}

static void a_clock_that_is_set_loses_nothing(void **state)
{
	(void)state;
	the_clock_is_set(0);
	the_clock_is_set(4 * 3600);
	the_clock_is_set(-4 * 3600);
	the_clock_is_set(-100);
}

/* What only the Epilog's look at the log has found, of a clock that was set:
 * when by the job's own time? */
static int64_t found_at(int64_t ran_s, int64_t set_s)
{
	static struct facts facts;
	struct mark m = a_mark();
	struct gathered_from from = { .s = &s, .mark = &m, .facts = &facts };
	struct gathered *g;
	int64_t at_s;

	memset(&facts, 0, sizeof(facts));
	strcpy(facts.kmsg.boot_id, THIS_BOOT);
	facts.kmsg.fault_count = 1;
	facts.kmsg.fault[0] = (struct fault){ .kind = FAULT_XID,
					      .number = 79,
					      .seq = 10,
					      .pid = -1,
					      .seen_s = after(ran_s, set_s).wall_s,
					      .device = "0000:1b:00.0" };
	json_object_set_new(m.snapshot, "kmsg_seq", json_integer(5));
	json_object_set_new(m.snapshot, "boot_id", json_string(THIS_BOOT));
	from.now = after(STEPS * STEP_S, set_s);
	g = gathered_create(&from);
	assert_int_equal(g->story.event_count, 1);
	assert_string_equal(g->story.event[0].device, "GPU3");
	at_s = g->story.event[0].time_s;
	gathered_destroy(g);
	mark_fini(&m);
	return at_s - WALL;
}

static void what_the_epilog_finds_has_the_jobs_time(void **state)
{
	(void)state;
	assert_int_equal(found_at(500, 0), 500);
	assert_int_equal(found_at(500, 4 * 3600), 500);
	assert_int_equal(found_at(500, -4 * 3600), 500);
	/* Seen before or behind it. */
	assert_int_equal(found_at(-20, 0), 0);
	assert_int_equal(found_at(5000, 0), STEPS * STEP_S);
}

/* Behind a reboot what is since boot means nothing. */
static void another_boot_goes_by_the_clock(void **state)
{
	struct mark m = a_mark();
	struct gathered_from from = { .s = &s, .mark = &m };
	struct gathered *g;

	(void)state;
	snprintf(m.boot_id, sizeof(m.boot_id), "another");
	from.now = after(600, 0);
	from.now.up_s = 40;
	mark_settle(&m, &from.now, false);
	g = gathered_create(&from);
	assert_int_equal(g->story.job.start_s, WALL);
	assert_int_equal(g->story.job.end_s, WALL + 600);
	assert_int_equal(g->story.watch, WATCH_NONE);
	gathered_destroy(g);
	mark_fini(&m);
}

static bool says_cut(json_int_t cut_up_s)
{
	struct mark m = a_mark();
	struct gathered_from from = { .s = &s, .mark = &m };
	struct gathered *g;
	bool cut;

	write_state(0, cut_up_s);
	from.now = after(STEPS * STEP_S, 0);
	g = gathered_create(&from);
	cut = g->story.events_cut;
	gathered_destroy(g);
	mark_fini(&m);
	return cut;
}

static void a_cut_is_of_the_jobs_that_it_cost(void **state)
{
	(void)state;
	assert_false(says_cut(0));
	assert_false(says_cut(UP - 1));
	assert_true(says_cut(UP));
	assert_true(says_cut(UP + 100));
}

/* The story holds so many events: what repeats leaves room for what does not,
 * and what is another job's takes none. */
static void a_storm_hides_nothing_else(void **state)
{
	struct mark m = a_mark();
	struct gathered_from from = { .s = &s, .mark = &m };
	static struct events e;
	struct event ev = { .kind = EVENT_XID, .number = 13, .pid = -1 };
	struct gathered *g;
	int i;

	(void)state;
	events_open(&e, watch_dir, true);
	for (i = 0; i < 4 * STORY_EVENTS_MAX; i++) {
		events_part(&e, 0);
		ev.up_s = UP + 1 + i / 4;
		snprintf(ev.device, sizeof(ev.device), "GPU%d", i % 2 ? 3 : 5);
		assert_true(events_add(&e, &ev));
	}
	ev.number = 79;
	snprintf(ev.device, sizeof(ev.device), "GPU3");
	assert_true(events_add(&e, &ev));
	write_state(0, 0);
	from.now = after(STEPS * STEP_S, 0);
	g = gathered_create(&from);
	assert_int_equal(g->story.event_count, STORY_EVENTS_MAX / 2 + 1);
	assert_int_equal(g->story.event[STORY_EVENTS_MAX / 2].number, 79);
	assert_true(g->story.events_cut);
	gathered_destroy(g);
	mark_fini(&m);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_that_is_set_loses_nothing),
		TEST(what_the_epilog_finds_has_the_jobs_time),
		TEST(another_boot_goes_by_the_clock),
		TEST(a_cut_is_of_the_jobs_that_it_cost),
		TEST(a_storm_hides_nothing_else),
	};

	return cmocka_run_group_tests_name("gathered", tests, NULL, NULL);
}
