/* SPDX-License-Identifier: Apache-2.0
 * What a step leaves in the job's run directory. */
#include "config.h"
#include "spank/note.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/unit/rundirs.h"

static struct note a_note(struct rundirs *d, enum event_kind kind,
			  const char *step)
{
	struct note n = { .dir = d->dir, .event = { .kind = kind } };

	snprintf(n.event.step, sizeof(n.event.step), "%s", step);
	return n;
}

static int lines(struct rundirs *d, const char *name)
{
	char *text = rundirs_text(d, name);
	int n = 0;
	char *p;

	for (p = text; p && *p; p++)
		n += *p == '\n';
	free(text);
	return n;
}

static void events_and_choice(void **state)
{
	struct rundirs d;
	struct note n;
	char *text;

	(void)state;
	rundirs_open(&d);
	n = a_note(&d, EVENT_BEGIN, "0");
	assert_int_equal(note_make(&n), 0);
	assert_null(rundirs_text(&d, NOTE_CHOICE_FILE));
	n = a_note(&d, EVENT_TASK, "0");
	n.choice.report = REPORT_NO;
	assert_int_equal(note_make(&n), 0);
	n.choice.report = REPORT_YES;
	n.event.kind = EVENT_END;
	assert_int_equal(note_make(&n), 0);
	assert_int_equal(n.block.count, 0);
	rundirs_is(&d, NOTE_CHOICE_FILE, "no-report\n");
	text = rundirs_text(&d, NOTE_FILE);
	assert_non_null(text);
	assert_int_equal(lines(&d, NOTE_FILE), 3);
	assert_ptr_equal(strstr(text, "{\"event\":\"begin\""), text);
	assert_non_null(strstr(text, "\n{\"event\":\"task\""));
	assert_non_null(strstr(text, "\n{\"event\":\"end\""));
	free(text);
	assert_null(rundirs_text(&d, NOTE_DROPPED_FILE));
	rundirs_close(&d);
}

static void the_block_comes_back(void **state)
{
	struct rundirs d;
	struct note n;

	(void)state;
	rundirs_open(&d);
	rundirs_put(&d, BLOCK_FILE, "# assay a\n# assay b\n");
	n = a_note(&d, EVENT_TASK, "batch");
	assert_int_equal(note_make(&n), 0);
	assert_int_equal(n.block.count, 0);
	n.wants_block = true;
	assert_int_equal(note_make(&n), 0);
	assert_int_equal(n.block.count, 2);
	assert_string_equal(n.block.line[1], "# assay b");
	rundirs_close(&d);
}

/* A place once found is kept: later its processes have gone. */
static void the_place_is_kept(void **state)
{
	struct rundirs d;
	struct note n;
	char path[CGROUP_PATH_BYTES];
	char *text;

	(void)state;
	rundirs_open(&d);
	fixture_file(&d.x, "step/cpu.stat", "usage_usec 5\n");
	n = a_note(&d, EVENT_TASK, "0");
	snprintf(n.place.step.dir[CGROUP_V2], CGROUP_PATH_BYTES, "%s/step",
		 d.x.dir);
	strcpy(path, n.place.step.dir[CGROUP_V2]);
	assert_int_equal(note_make(&n), 0);
	assert_string_equal(n.place.step.dir[CGROUP_V2], path);
	text = rundirs_text(&d, NOTE_FILE);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"cpu_us\":5"));
	free(text);
	n.cgroups_gone = true;
	n.event.kind = EVENT_END;
	assert_int_equal(note_make(&n), 0);
	text = rundirs_text(&d, NOTE_FILE);
	assert_null(strstr(strchr(text, '\n'), "cpu_us\":5"));
	free(text);
	rundirs_close(&d);
}

/* Steps by the thousand: the file ends, what had no place is counted, and the
 * job's own end is still told. */
static void the_file_is_bounded(void **state)
{
	struct rundirs d;
	struct note n;
	char *full = calloc(1, NOTE_BYTES + 1);
	char *text;

	(void)state;
	assert_non_null(full);
	rundirs_open(&d);
	memset(full, 'x', NOTE_BYTES);
	full[NOTE_BYTES - 1] = '\n';
	rundirs_put(&d, NOTE_FILE, full);
	n = a_note(&d, EVENT_BEGIN, "77");
	assert_int_equal(note_make(&n), 0);
	assert_int_equal(note_make(&n), 0);
	rundirs_is(&d, NOTE_FILE, full);
	assert_int_equal(lines(&d, NOTE_DROPPED_FILE), 2);
	n = a_note(&d, EVENT_END, "batch");
	assert_int_equal(note_make(&n), 0);
	text = rundirs_text(&d, NOTE_FILE);
	assert_non_null(strstr(text, "\"batch\""));
	free(text);
	assert_int_equal(lines(&d, NOTE_DROPPED_FILE), 2);
	free(full);
	rundirs_close(&d);
}

/* The child dies in its write: whoever called goes on. */
static void a_child_that_dies(void **state)
{
	struct rlimit none = { 0, RLIM_INFINITY }, old;
	struct rundirs d;
	struct note n;

	(void)state;
	rundirs_open(&d);
	n = a_note(&d, EVENT_BEGIN, "0");
	getrlimit(RLIMIT_FSIZE, &old);
	none.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &none);
	assert_int_equal(note_make(&n), -1);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(lines(&d, NOTE_FILE), 0);
	assert_int_equal(note_make(&n), 0);
	assert_int_equal(lines(&d, NOTE_FILE), 1);
	rundirs_close(&d);
}

static void no_child_can_be_had(void **state)
{
	struct rlimit few, old;
	struct rundirs d;
	struct note n;

	(void)state;
	rundirs_open(&d);
	n = a_note(&d, EVENT_BEGIN, "0");
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){ 0, old.rlim_max };
	setrlimit(RLIMIT_NOFILE, &few);
	assert_int_equal(note_make(&n), -1);
	setrlimit(RLIMIT_NOFILE, &old);
	rundirs_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_and_choice),
		cmocka_unit_test(the_block_comes_back),
		cmocka_unit_test(the_place_is_kept),
		cmocka_unit_test(the_file_is_bounded),
		cmocka_unit_test(a_child_that_dies),
		cmocka_unit_test(no_child_can_be_had),
	};

	umask(022);
	return cmocka_run_group_tests_name("spank_note", tests, NULL, NULL);
}
