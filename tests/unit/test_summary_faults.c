/* SPDX-License-Identifier: Apache-2.0
 * What broke, and whose fault that was. */
#include "config.h"

#include "tests/unit/told.h"

static struct story_event *add(struct stories *b, enum story_event_kind kind,
			       int at, const char *device)
{
	struct story_event *e = &b->s.event[b->s.event_count++];

	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->time_s = T0 + at;
	e->number = e->subcode = -1;
	e->pid = -1;
	snprintf(e->device, sizeof(e->device), "%s", device);
	strcpy(e->text, "as it was told");
	return e;
}

static struct story_event *xid(struct stories *b, int number, int at,
			       const char *device)
{
	struct story_event *e = add(b, EVENT_XID, at, device);

	e->number = number;
	return e;
}

static struct stories *failed(void)
{
	struct stories *b = stories_new("n1", 4, 120);

	b->s.job.state = STORY_FAILED;
	b->s.job.exit_code = 1;
	return b;
}

static void judged(const json_t *r, const char *whose, const char *confidence)
{
	is_text(r, "blame.whose", whose);
	is_text(r, "blame.confidence", confidence);
}

static void off_the_bus_is_the_hardwares(void **state)
{
	struct stories *b = failed();
	json_t *r;

	(void)state;
	xid(b, 79, 1805, "GPU3");
	r = told_of(b);
	is_text(r, "faults.0.kind", "xid");
	is_number(r, "faults.0.number", 79);
	is_number(r, "faults.0.time", T0 + 1805);
	is_text(r, "faults.0.node", "n1");
	is_text(r, "faults.0.device", "GPU3");
	is_text(r, "faults.0.text", "GPU has fallen off the bus");
	is_text(r, "faults.0.blame", "hardware");
	is_text(r, "faults.0.confidence", "high");
	judged(r, "hardware", "high");
	is_text(r, "blame.node", "n1");
	is_text(r, "blame.device", "GPU3");
	assert_true(told_line(r, "fault: at 0:30:05 GPU3 XID 79, GPU has "
				 "fallen off the bus"));
	assert_true(told_line(r, "failure: the hardware's (high confidence)"));
	json_decref(r);
}

static void a_bad_address_is_the_programs(void **state)
{
	struct stories *b = failed();
	struct story_event *e = xid(b, 31, 100, "GPU0");
	json_t *r;

	(void)state;
	e->pid = 4711;
	e->pid_is_jobs = true;
	r = told_of(b);
	is_text(r, "faults.0.blame", "program");
	is_text(r, "faults.0.confidence", "high");
	judged(r, "program", "high");
	assert_true(told_line(r, "failure: the program's (high confidence): "
				 "n1 GPU0 XID 31: MMU page fault"));
	json_decref(r);
}

static void without_its_pid_less_sure(void **state)
{
	struct stories *b = failed();
	json_t *r;

	(void)state;
	xid(b, 31, 100, "GPU0");
	r = told_of(b);
	judged(r, "program", "medium");
	json_decref(r);
}

static void another_ones_process_is_not_it(void **state)
{
	struct stories *b = failed();
	json_t *r;

	(void)state;
	xid(b, 31, 100, "GPU0")->pid = 99;
	r = told_of(b);
	is_text(r, "faults.0.blame", "unknown");
	judged(r, "program", "medium"); /* nothing else is known */
	is_text(r, "blame.text", "no fault of the hardware was seen");
	json_decref(r);
}

static void a_job_that_went_on_was_not_stopped(void **state)
{
	struct stories *b = stories_new("n1", 4, 120);
	struct story_event *e = xid(b, 31, 100, "GPU0");
	json_t *r;

	(void)state;
	e->pid = 4711;
	e->pid_is_jobs = true;
	r = told_of(b);
	is_text(r, "faults.0.confidence", "medium");
	judged(r, "none", "high");
	assert_false(told_line(r, "failure"));
	json_decref(r);
}

static void memory_errors_are_hardware_of_any_class(void **state)
{
	struct stories *b = failed();
	struct story_event *e = xid(b, 94, 100, "GPU0"); /* class app */
	json_t *r;

	(void)state;
	e->pid = 4711;
	e->pid_is_jobs = true;
	r = told_of(b);
	judged(r, "hardware", "high");
	json_decref(r);
}

static void what_is_only_noted_stops_nothing(void **state)
{
	struct stories *b = failed();
	json_t *r;

	(void)state;
	xid(b, 63, 100, "GPU0"); /* a row was remapped */
	xid(b, 92, 100, "GPU0"); /* many corrected errors */
	r = told_of(b);
	is_text(r, "faults.0.blame", "hardware");
	is_text(r, "faults.0.confidence", "low");
	is_text(r, "faults.1.confidence", "low");
	judged(r, "program", "medium");
	json_decref(r);
}

static void a_reset_behind_a_crash_may_be_its_aftermath(void **state)
{
	struct stories *b = failed();
	struct story_event *e = xid(b, 13, 100, "GPU0");
	json_t *r;

	(void)state;
	e->pid = 4711;
	e->pid_is_jobs = true;
	xid(b, 46, 130, "GPU0");
	xid(b, 46, 131, "GPU1"); /* of another GPU: its own */
	r = told_of(b);
	is_text(r, "faults.1.confidence", "medium");
	is_text(r, "faults.2.confidence", "high");
	judged(r, "hardware", "medium");
	json_decref(r);
}

static void what_came_long_before_is_the_cause(void **state)
{
	struct stories *b = failed();
	struct story_event *e = xid(b, 13, 100, "GPU0");
	json_t *r;

	(void)state;
	e->pid = 4711;
	e->pid_is_jobs = true;
	xid(b, 79, 2000, "GPU2");
	r = told_of(b);
	judged(r, "program", "medium");
	json_decref(r);
}

static void who_cannot_be_told(void **state)
{
	struct stories *b = failed();
	json_t *r;

	(void)state;
	xid(b, 109, 100, "GPU0");
	r = told_of(b);
	is_text(r, "faults.0.blame", "unknown");
	is_text(r, "faults.0.confidence", "medium");
	json_decref(r);
	b = failed();
	xid(b, 12345, 100, "GPU0"); /* a number that nobody knows */
	r = told_of(b);
	is_text(r, "faults.0.blame", "unknown");
	is_text(r, "faults.0.text", "as it was told");
	json_decref(r);
}

static void faults_without_a_number(void **state)
{
	static const struct {
		enum story_event_kind kind;
		bool fatal;
		const char *name, *blame, *confidence;
	} rows[] = {
		{ EVENT_OFFBUS, false, "off_bus", "hardware", "high" },
		{ EVENT_HW, true, "hardware", "hardware", "high" },
		{ EVENT_HW, false, "hardware", "hardware", "low" },
		{ EVENT_ECC, true, "ecc", "hardware", "high" },
		{ EVENT_ECC, false, "ecc", "hardware", "low" },
		{ EVENT_LINK_DOWN, false, "link_down", "hardware", "medium" },
		{ EVENT_RATE_DROP, false, "rate_drop", "hardware", "low" },
		{ EVENT_OOM, false, "oom", "program", "high" },
	};
	struct stories *b;
	struct story_event *e;
	size_t i;
	json_t *r;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		b = failed();
		e = add(b, rows[i].kind, 60, "X");
		e->fatal = rows[i].fatal;
		e->number = 3; /* of them, not a number of the driver's */
		r = told_of(b);
		is_text(r, "faults.0.kind", rows[i].name);
		is_text(r, "faults.0.blame", rows[i].blame);
		is_text(r, "faults.0.confidence", rows[i].confidence);
		is_null(r, "faults.0.number");
		json_decref(r);
	}
}

static void what_is_no_fault_is_an_event_only(void **state)
{
	struct stories *b = stories_new("n1", 1, 100);
	json_t *r, *events;

	(void)state;
	add(b, EVENT_LINK_UP, 60, "mlx5_0");
	add(b, EVENT_HELD, 90, "GPU0");
	r = summary_node(&b->s);
	assert_int_equal(json_array_size(told(r, "faults")), 0);
	events = summary_events(&b->s);
	is_text(events, "0.kind", "link_up");
	is_text(events, "1.kind", "held");
	json_decref(events);
	free(b);
	json_decref(r);
}

static void a_link_that_fell_shortly_before_the_end(void **state)
{
	struct stories *b = failed();
	json_t *r;

	(void)state;
	add(b, EVENT_LINK_DOWN, 3000, "mlx5_1");
	r = told_of(b);
	judged(r, "hardware", "medium");
	is_text(r, "blame.device", "mlx5_1");
	json_decref(r);
	b = failed();
	add(b, EVENT_LINK_DOWN, 1000, "mlx5_1"); /* and it went on for long */
	r = told_of(b);
	judged(r, "program", "medium");
	json_decref(r);
}

static void how_it_ended_without_a_fault(void **state)
{
	static const struct {
		enum story_state state;
		int signal;
		enum story_watch watch;
		const char *whose, *confidence;
	} rows[] = {
		{ STORY_COMPLETED, 0, WATCH_WHOLE, "none", "high" },
		{ STORY_RUNNING, -1, WATCH_WHOLE, "none", "high" },
		{ STORY_CANCELLED, 15, WATCH_WHOLE, "none", "high" },
		{ STORY_TIMEOUT, 15, WATCH_WHOLE, "none", "high" },
		{ STORY_OOM, 9, WATCH_WHOLE, "program", "high" },
		{ STORY_NODE_FAIL, -1, WATCH_WHOLE, "hardware", "medium" },
		{ STORY_FAILED, 11, WATCH_WHOLE, "program", "medium" },
		{ STORY_FAILED, 9, WATCH_WHOLE, "unknown", "low" },
		{ STORY_FAILED, 0, WATCH_NONE, "unknown", "low" },
		{ STORY_UNKNOWN, -1, WATCH_WHOLE, "unknown", "low" },
	};
	struct stories *b;
	size_t i;
	json_t *r;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		b = stories_new("n1", 1, 100);
		b->s.job.state = rows[i].state;
		b->s.job.signal = rows[i].signal;
		b->s.watch = rows[i].watch;
		r = told_of(b);
		judged(r, rows[i].whose, rows[i].confidence);
		json_decref(r);
	}
}

static void a_hang_on_sick_hardware_ends_at_the_limit(void **state)
{
	struct stories *b = failed();
	json_t *r;

	(void)state;
	b->s.job.state = STORY_TIMEOUT;
	xid(b, 79, 1000, "GPU1");
	r = told_of(b);
	judged(r, "hardware", "medium");
	json_decref(r);
}

static void the_sites_own_table_is_used(void **state)
{
	struct xid_table *t = xid_load(NULL, NULL);
	struct stories *b = failed();
	json_t *r;

	(void)state;
	assert_non_null(t);
	b->s.xids = t;
	xid(b, 48, 1000, "GPU1");
	r = told_of(b);
	is_text(r, "faults.0.text", "double-bit ECC error");
	json_decref(r);
	xid_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_the_bus_is_the_hardwares),
		cmocka_unit_test(a_bad_address_is_the_programs),
		cmocka_unit_test(without_its_pid_less_sure),
		cmocka_unit_test(another_ones_process_is_not_it),
		cmocka_unit_test(a_job_that_went_on_was_not_stopped),
		cmocka_unit_test(memory_errors_are_hardware_of_any_class),
		cmocka_unit_test(what_is_only_noted_stops_nothing),
		cmocka_unit_test(a_reset_behind_a_crash_may_be_its_aftermath),
		cmocka_unit_test(what_came_long_before_is_the_cause),
		cmocka_unit_test(who_cannot_be_told),
		cmocka_unit_test(faults_without_a_number),
		cmocka_unit_test(what_is_no_fault_is_an_event_only),
		cmocka_unit_test(a_link_that_fell_shortly_before_the_end),
		cmocka_unit_test(how_it_ended_without_a_fault),
		cmocka_unit_test(a_hang_on_sick_hardware_ends_at_the_limit),
		cmocka_unit_test(the_sites_own_table_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
