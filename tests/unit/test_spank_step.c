/* SPDX-License-Identifier: Apache-2.0
 * The plugin in slurmstepd and in sbatch, with a Slurm that tells all, little
 * or nothing. */
#include "config.h"
#include "spank/hooks.h"

#include <jansson.h>
#include <slurm/slurm.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "spank/note.h"
#include "tests/unit/rundirs.h"

/* ---- a Slurm -------------------------------------------------------------- */

static struct {
	spank_context_t context;
	bool tells;		/* else no item is there */
	uint32_t job, step, tasks, array, array_task, rank;
	uint16_t cpus;
	int status;
	bool array_env;
	const char *addr, *pattern;	/* of the topology, NULL: not set */
	char said[4096];	/* what the user has seen */
	struct spank_option *option;	/* as registered */
} slurm;

spank_context_t spank_context(void)
{
	return slurm.context;
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
	va_list ap;
	void *to;

	va_start(ap, item);
	to = va_arg(ap, void *);
	va_end(ap);
	if (!sp || !slurm.tells)
		return ESPANK_BAD_ARG;
	switch ((int)item) {
	case S_JOB_ID: *(uint32_t *)to = slurm.job; break;
	case S_JOB_STEPID: *(uint32_t *)to = slurm.step; break;
	case S_JOB_LOCAL_TASK_COUNT: *(uint32_t *)to = slurm.tasks; break;
	case S_JOB_NCPUS: *(uint16_t *)to = slurm.cpus; break;
	case S_JOB_ARRAY_ID: *(uint32_t *)to = slurm.array; break;
	case S_JOB_ARRAY_TASK_ID: *(uint32_t *)to = slurm.array_task; break;
	case S_TASK_GLOBAL_ID: *(uint32_t *)to = slurm.rank; break;
	case S_TASK_EXIT_STATUS: *(int *)to = slurm.status; break;
	case S_TASK_PID: *(pid_t *)to = getpid(); break;
	case S_JOB_ALLOC_MEM: *(uint64_t *)to = 0; break;
	case S_STEP_ALLOC_MEM: *(uint64_t *)to = 300; break;
	default: return ESPANK_BAD_ARG;
	}
	return ESPANK_SUCCESS;
}

spank_err_t spank_getenv(spank_t sp, const char *var, char *buf, int len)
{
	const struct {
		const char *var, *value;
	} all[] = { { "SLURM_ARRAY_TASK_ID", slurm.array_env ? "3" : NULL },
		    { "SLURM_TOPOLOGY_ADDR", slurm.addr },
		    { "SLURM_TOPOLOGY_ADDR_PATTERN", slurm.pattern } };
	size_t i = 0;

	if (!sp)
		return ESPANK_BAD_ARG;
	while (strcmp(all[i].var, var))
		assert_true(++i < sizeof(all) / sizeof(all[0]));
	if (!all[i].value)
		return ESPANK_ENV_NOEXIST;
	return snprintf(buf, (size_t)len, "%s", all[i].value) < len ?
		       ESPANK_SUCCESS :
		       ESPANK_NOSPACE;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *option)
{
	if (!sp || slurm.option)
		return ESPANK_BAD_ARG;
	slurm.option = option;
	return ESPANK_SUCCESS;
}

void slurm_spank_log(const char *fmt, ...)
{
	size_t len = strlen(slurm.said);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(slurm.said + len, sizeof(slurm.said) - len, fmt, ap);
	va_end(ap);
	strcat(slurm.said, "\n");
}

void slurm_debug(const char *fmt, ...)
{
	(void)fmt;
}

/* ---- a step --------------------------------------------------------------- */

static const spank_t handle = (spank_t)&slurm;

static void begins(struct rundirs *d, uint32_t step)
{
	slurm.context = S_CTX_REMOTE;
	slurm.tells = true;
	slurm.job = 12;
	slurm.step = step;
	slurm.tasks = 1;
	slurm.array = 0;
	slurm.cpus = 4;
	slurm.status = 0;
	slurm.array_env = false;
	slurm.array_task = NO_VAL;
	slurm.addr = slurm.pattern = NULL;
	slurm.said[0] = '\0';
	rundirs_open(d);
}

static void runs(struct rundirs *d, spank_t sp, int tasks)
{
	step_init(sp, d->x.dir);
	for (int i = 0; i < tasks; i++)
		step_task_began(sp);
	for (int i = 0; i < tasks; i++) {
		slurm.rank = (uint32_t)i;
		step_task_ended(sp);
	}
	step_ended(sp);
}

/* Line i of the file, as JSON; NULL behind the last. */
static json_t *noted(struct rundirs *d, int i)
{
	char *text = rundirs_text(d, NOTE_FILE);
	char *line = text ? strtok(text, "\n") : NULL;
	json_t *o = NULL;

	while (line && i--)
		line = strtok(NULL, "\n");
	if (line) {
		o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(o);
	}
	free(text);
	return o;
}

static void event_is(struct rundirs *d, int i, const char *event, int task)
{
	json_t *o = noted(d, i);

	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "event")),
			    event);
	if (task >= 0)
		assert_int_equal(json_integer_value(
					 json_object_get(o, "task")), task);
	json_decref(o);
}

static void nothing_noted(struct rundirs *d)
{
	assert_null(rundirs_text(d, NOTE_FILE));
	assert_null(rundirs_text(d, NOTE_CHOICE_FILE));
	assert_string_equal(slurm.said, "");
}

static void a_step(void **state)
{
	struct rundirs d;
	json_t *o;

	(void)state;
	begins(&d, 7);
	runs(&d, handle, 1);
	event_is(&d, 0, "begin", -1);
	event_is(&d, 1, "task", 0);
	event_is(&d, 2, "end", -1);
	assert_null(noted(&d, 3));
	o = noted(&d, 1);
	assert_string_equal(json_string_value(json_object_get(o, "step")), "7");
	assert_int_equal(json_integer_value(json_object_get(o, "cpus")), 4);
	assert_int_equal(json_integer_value(
				 json_object_get(o, "mem_alloc_bytes")),
			 300LL << 20);
	assert_true(json_is_null(json_object_get(json_object_get(o, "job"),
						 "mem_alloc_bytes")));
	assert_non_null(json_object_get(o, "rusage"));
	json_decref(o);
	rundirs_close(&d);
}

static json_t *begun(struct rundirs *d)
{
	json_t *o;

	runs(d, handle, 1);
	o = noted(d, 1);	/* once is enough */
	assert_null(json_object_get(o, "array_job"));
	assert_null(json_object_get(o, "leaf"));
	json_decref(o);
	o = noted(d, 0);
	rundirs_close(d);
	return o;
}

/* 0 and NO_VAL are none; but 0 is a task, too. */
static void tasks_of_an_array(void **state)
{
	static const struct {
		uint32_t array, task;
		const char *job_is, *task_is;
	} all[] = { { 0, NO_VAL, NULL, NULL },
		    { 0, 0, NULL, NULL },
		    { NO_VAL, 7, NULL, NULL },
		    { 12, 0, "12", "0" },
		    { 12, 4000000, "12", "4000000" },
		    { 12, NO_VAL, NULL, NULL } };
	const char *const names[] = { "array_job", "array_task" };
	struct rundirs d;
	json_t *o, *v;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *want[] = { all[i].job_is, all[i].task_is };

		begins(&d, 0);
		slurm.array = all[i].array;
		slurm.array_task = all[i].task;
		o = begun(&d);
		for (int k = 0; k < 2; k++) {
			char *text = NULL;

			v = json_object_get(o, names[k]);
			if (v)
				text = json_dumps(v, JSON_ENCODE_ANY);
			if (want[k])
				assert_string_equal(text, want[k]);
			else
				assert_null(text);
			free(text);
		}
		json_decref(o);
	}
}

static void where_the_node_hangs(void **state)
{
	char *longer = calloc(1, 1000);
	const struct {
		const char *addr, *pattern, *leaf, *why;
	} all[] = { { "s0.s1.n1", "switch.switch.node", "s1", NULL },
		    { NULL, NULL, NULL, EVENT_NOT_TOLD },
		    { "n1", NULL, NULL, EVENT_NOT_TOLD },
		    { "n1", "node", NULL, LEAF_NONE },
		    { longer, "switch.node", NULL, EVENT_NOT_TOLD } };
	struct rundirs d;
	json_t *o;

	(void)state;
	memset(longer, 'a', 999);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		begins(&d, 0);
		slurm.addr = all[i].addr;
		slurm.pattern = all[i].pattern;
		o = begun(&d);
		if (all[i].leaf)
			assert_string_equal(json_string_value(json_object_get(
						    o, "leaf")), all[i].leaf);
		else
			assert_string_equal(
				json_string_value(json_object_get(
					json_object_get(o, "why"), "leaf")),
				all[i].why);
		json_decref(o);
	}
	free(longer);
}

static void steps_have_names(void **state)
{
	static const struct {
		uint32_t id;
		const char *name;
	} all[] = { { SLURM_BATCH_SCRIPT, "batch" },
		    { SLURM_INTERACTIVE_STEP, "interactive" },
		    { 0, "0" },
		    { 4000000000u, "4000000000" } };
	struct rundirs d;
	json_t *o;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		begins(&d, all[i].id);
		runs(&d, handle, 1);
		o = noted(&d, 0);
		assert_string_equal(
			json_string_value(json_object_get(o, "step")),
			all[i].name);
		json_decref(o);
		rundirs_close(&d);
	}
}

/* 40 tasks, of which 30 fail: not a line for each. */
static void many_tasks(void **state)
{
	struct rundirs d;
	json_t *o;

	(void)state;
	begins(&d, 0);
	slurm.tasks = 40;
	step_init(handle, d.x.dir);
	for (uint32_t i = 0; i < 40; i++) {
		slurm.rank = i;
		slurm.status = i > 4 && i < 35 ? (int)i << 8 : 0;
		step_task_ended(handle);
	}
	step_ended(handle);
	event_is(&d, 0, "task", 0);
	event_is(&d, 1, "task", 5);
	event_is(&d, 16, "task", 20);
	event_is(&d, 17, "task", 39);
	event_is(&d, 18, "end", -1);
	o = noted(&d, 18);
	assert_int_equal(json_integer_value(json_object_get(o, "ended")), 40);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(o, "exit"), "code")), 5);
	json_decref(o);
	rundirs_close(&d);
}

static void where_nothing_is_noted(void **state)
{
	struct rundirs d;

	(void)state;
	begins(&d, SLURM_EXTERN_CONT);
	runs(&d, handle, 1);
	nothing_noted(&d);
	rundirs_close(&d);
	begins(&d, 0);
	slurm.context = S_CTX_LOCAL;
	runs(&d, handle, 1);
	nothing_noted(&d);
	rundirs_close(&d);
	begins(&d, 0);
	slurm.job = 13;		/* no directory: no Prolog of ours */
	runs(&d, handle, 1);
	nothing_noted(&d);
	rundirs_close(&d);
	begins(&d, 0);
	slurm.tells = false;
	runs(&d, handle, 1);
	nothing_noted(&d);
	runs(&d, NULL, 1);
	nothing_noted(&d);
	rundirs_close(&d);
	begins(&d, 0);		/* hooks without their beginning */
	step_task_began(handle);
	step_task_ended(handle);
	step_ended(handle);
	nothing_noted(&d);
	rundirs_close(&d);
}

/* Slurm tells who it is, and then nothing more. */
static void items_that_vanish(void **state)
{
	struct rundirs d;
	json_t *o;

	(void)state;
	begins(&d, SLURM_BATCH_SCRIPT);
	rundirs_put(&d, BLOCK_FILE, "# assay a\n");
	step_init(handle, d.x.dir);
	slurm.tells = false;
	step_task_began(handle);
	step_task_ended(handle);
	step_ended(NULL);
	o = noted(&d, 1);
	assert_true(json_is_null(json_object_get(o, "exit")));
	assert_true(json_is_null(json_object_get(o, "task")));
	json_decref(o);
	event_is(&d, 2, "end", -1);
	rundirs_close(&d);
}

/* The first note fails: no more are tried. */
static void a_note_that_fails(void **state)
{
	struct rlimit few, old;
	struct rundirs d;

	(void)state;
	begins(&d, 0);
	step_init(handle, d.x.dir);
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){ 0, old.rlim_max };
	setrlimit(RLIMIT_NOFILE, &few);
	step_task_began(handle);
	setrlimit(RLIMIT_NOFILE, &old);
	step_task_ended(handle);
	step_ended(handle);
	nothing_noted(&d);
	rundirs_close(&d);
}

static void printed(uint32_t step, uint32_t array_task, bool array_env,
		    const char *choice, const char *want)
{
	struct rundirs d;

	begins(&d, step);
	slurm.array = 12;
	slurm.array_task = array_task;
	slurm.array_env = array_env;
	rundirs_put(&d, BLOCK_FILE, "# assay %s a\nbad\n# assay b\n");
	if (choice)
		step_option(choice);
	runs(&d, handle, 1);
	assert_string_equal(slurm.said, want);
	event_is(&d, 2, "end", -1);
	rundirs_close(&d);
}

static void the_block_is_printed(void **state)
{
	static const char block[] = "\n# assay %s a\n# assay b\n";
	const uint32_t batch = SLURM_BATCH_SCRIPT, none = NO_VAL;

	(void)state;
	printed(batch, none, false, NULL, block);
	printed(batch, none, false, "report", block);
	printed(batch, none, false, "no-report", "");
	printed(batch, none, false, "\n\033]0;x\007,no-report", "");
	printed(batch, none, false, "forged", block);
	printed(batch, none, false, NULL, block);
	printed(batch, 4, false, "report", "");
	printed(batch, 0, false, "report", "");
	printed(batch, none, true, "report", "");
	printed(0, none, false, "report", "");
	printed(SLURM_INTERACTIVE_STEP, none, false, NULL, "");
}

static void the_choice_is_noted(void **state)
{
	struct rundirs d;

	(void)state;
	begins(&d, SLURM_BATCH_SCRIPT);
	step_option("no-report");
	runs(&d, handle, 1);
	rundirs_is(&d, NOTE_CHOICE_FILE, "no-report\n");
	/* a step of the job has its own: the job's stays */
	slurm.step = 0;
	step_option("report");
	runs(&d, handle, 1);
	rundirs_is(&d, NOTE_CHOICE_FILE, "no-report\n");
	rundirs_close(&d);
	begins(&d, SLURM_BATCH_SCRIPT);
	step_option("forged\nno-report");
	runs(&d, handle, 1);
	assert_null(rundirs_text(&d, NOTE_CHOICE_FILE));
	rundirs_close(&d);
}

static void submission(void **state)
{
	(void)state;
	slurm.said[0] = '\0';
	assert_int_equal(submit_option("report"), 0);
	assert_string_equal(slurm.said, "");
	assert_int_equal(submit_option("no-report,li%nt\033"), -1);
	assert_string_equal(slurm.said,
			    "assay: --assay does not know 'li%nt?' (it knows: "
			    "report, no-report)\n");
}

static spank_f *const hooks[] = {
	slurm_spank_init,	slurm_spank_init_post_opt,
	slurm_spank_task_post_fork, slurm_spank_task_exit,
	slurm_spank_exit,	slurm_spank_slurmd_exit
};

#define HOOKS (sizeof(hooks) / sizeof(hooks[0]))

/* Whatever comes, Slurm is told that all is well. */
static void every_hook_returns_0(void **state)
{
	char *argv[] = { (char *)"run=/nonexistent", (char *)"x", (char *)"" };
	spank_t handles[] = { NULL, handle };

	(void)state;
	for (int tells = 0; tells < 2; tells++)
		for (int context = S_CTX_ERROR; context <= S_CTX_JOB_SCRIPT;
		     context++)
			for (size_t i = 0; i < 2 * HOOKS; i++) {
				slurm.tells = tells;
				slurm.context = (spank_context_t)context;
				assert_int_equal(hooks[i / 2](handles[i % 2], 3,
							      argv), 0);
				assert_int_equal(hooks[i / 2](handles[i % 2], 0,
							      NULL), 0);
			}
}

static void the_directory_is_an_argument(void **state)
{
	char run[80] = "run=relative";
	char *argv[] = { (char *)"run=/nonexistent", run };
	struct rundirs d;
	size_t i;

	(void)state;
	begins(&d, 0);
	for (i = 1; i < HOOKS; i++)
		hooks[i](handle, 2, argv);
	nothing_noted(&d);
	snprintf(run, sizeof(run), "run=%s", d.x.dir);
	for (i = 1; i < HOOKS; i++)
		hooks[i](handle, 2, argv);
	event_is(&d, 2, "end", -1);
	rundirs_close(&d);
}

static void the_option(void **state)
{
	(void)state;
	slurm.option = NULL;
	slurm.said[0] = '\0';
	assert_int_equal(slurm_spank_init(handle, 0, NULL), 0);
	assert_non_null(slurm.option);
	assert_string_equal(slurm.option->name, "assay");
	assert_true(slurm.option->has_arg);
	assert_int_equal(slurm.option->cb(0, "report", 0), 0);
	assert_int_equal(slurm.option->cb(0, "quark", 0), -1);
	/* where the job is, nothing is refused any more */
	assert_int_equal(slurm.option->cb(0, "quark", 1), 0);
	assert_int_equal(slurm.option->cb(0, NULL, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_hook_returns_0),
		cmocka_unit_test(the_directory_is_an_argument),
		cmocka_unit_test(the_option),
		cmocka_unit_test(a_step),
		cmocka_unit_test(tasks_of_an_array),
		cmocka_unit_test(where_the_node_hangs),
		cmocka_unit_test(steps_have_names),
		cmocka_unit_test(many_tasks),
		cmocka_unit_test(where_nothing_is_noted),
		cmocka_unit_test(items_that_vanish),
		cmocka_unit_test(a_note_that_fails),
		cmocka_unit_test(the_block_is_printed),
		cmocka_unit_test(the_choice_is_noted),
		cmocka_unit_test(submission),
	};

	umask(022);
	return cmocka_run_group_tests_name("spank_step", tests, NULL, NULL);
}
