/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/exec.h"

#include "checks/schema.h"
#include "lib/clock.h"
#include "lib/facts_exec.h"
#include "tests/unit/fixture.h"
#include "tests/unit/nodes.h"

struct site {
	struct fixture x;
	struct cfg *c;
	const char *only;
	struct facts facts;
	struct check_env env;
	struct check_result r;
};

/* '@' in the text of the configuration is the directory of the scripts. */
static void begin(struct site *t, const char *text)
{
	char path[128], conf[1024];
	struct err e = { "" };
	size_t n = 0;

	memset(t, 0, sizeof(*t));
	fixture_open(&t->x);
	for (; *text; text++)
		n += (size_t)snprintf(conf + n, sizeof(conf) - n, "%.*s",
				      *text == '@' ? 64 : 1,
				      *text == '@' ? t->x.dir : text);
	fixture_file(&t->x, "assay.conf", conf);
	snprintf(path, sizeof(path), "%s/assay.conf", t->x.dir);
	t->c = cfg_load(path, schema_sections(), NULL, &e);
	if (!t->c)
		fail_msg("%s", e.text);
	t->env.facts = &t->facts;
	t->env.cfg = t->c;
}

static void script(struct site *t, const char *name, const char *text)
{
	char path[1024];

	fixture_file(&t->x, name, text);
	assert_int_equal(chmod(fixture_path(&t->x, name, path), 0755), 0);
}

static void gather(struct site *t, int deadline_ms)
{
	static struct job j;
	struct exec_request q = { .cfg = t->c, .job = &j, .only = t->only };

	j.id = 4242;
	strcpy(j.node, "gpu001");
	q.deadline_ms = deadline_ms;
	assert_int_equal(facts_exec_gather(&q, &t->facts.exec), 0);
}

static enum status judge(struct site *t, int i)
{
	result_fini(&t->r);
	memset(&t->r, 0, sizeof(t->r));
	exec_judge(&t->env, i, &t->r);
	assert_int_equal(t->r.status, result_status(&t->r));
	return t->r.status;
}

static void end(struct site *t)
{
	result_fini(&t->r);
	cfg_destroy(t->c);
	fixture_close(&t->x);
}

static void codes_of_nagios(void **state)
{
	static const enum status want[] = { STATUS_PASS, STATUS_WARN,
					    STATUS_FAIL, STATUS_ERROR,
					    STATUS_ERROR };
	struct exec_fact *x;
	struct site t;

	(void)state;
	begin(&t, "[exec site]\ncommand = @/c\n");
	x = &t.facts.exec.exec[0];
	t.facts.exec.count = 1;
	strcpy(x->name, "site");
	x->started = true;
	strcpy(x->line, "DISK CRITICAL - 3 of 8 there");
	for (int code = 0; code < 5; code++) {
		x->exit_code = code;
		assert_int_equal(judge(&t, 0), want[code]);
		assert_string_equal(t.r.name, "exec_site");
	}
	x->exit_code = 2;
	judge(&t, 0);
	assert_string_equal(t.r.finding[0].code, "exec_site.critical");
	assert_string_equal(t.r.finding[0].text, x->line);
	x->exit_code = -1;
	x->signal = 11;
	assert_int_equal(judge(&t, 0), STATUS_ERROR);
	x->timed_out = true;
	assert_int_equal(judge(&t, 0), STATUS_TIMEOUT);
	x->started = false;
	assert_int_equal(judge(&t, 0), STATUS_ERROR);
	end(&t);
}

static void it_is_run(void **state)
{
	struct site t;

	(void)state;
	begin(&t, "[exec one]\ncommand = @/one a  'b c'\n"
	      "[exec two]\ncommand = @/two\n");
	script(&t, "one", "#!/bin/sh\necho \"$# $1 $2 | perf=1\"\necho more\n"
	       "exit 2\n");
	script(&t, "two", "#!/bin/sh\nexec env\n");
	setenv("LD_LIBRARY_PATH", "/evil", 1);
	gather(&t, 10000);
	assert_int_equal(t.facts.exec.count, 2);
	assert_string_equal(t.facts.exec.exec[0].name, "one");
	assert_int_equal(t.facts.exec.exec[0].exit_code, 2);
	/* No shell: quotes are letters. */
	assert_string_equal(t.facts.exec.exec[0].line, "3 a 'b");
	assert_int_equal(judge(&t, 0), STATUS_FAIL);
	assert_int_equal(judge(&t, 1), STATUS_PASS);
	end(&t);
}

static void its_environment(void **state)
{
	struct site t;

	(void)state;
	begin(&t, "[exec env]\ncommand = @/env\n");
	script(&t, "env", "#!/bin/sh\n/usr/bin/env | grep -v -e ^PWD= -e ^_="
	       " -e ^SHLVL= | sort | tr '\\n' ' '\n");
	gather(&t, 10000);
	assert_string_equal(t.facts.exec.exec[0].line,
			    "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
			    " SLURMD_NODENAME=gpu001 SLURM_JOB_ID=4242");
	end(&t);
}

static void a_slow_one_costs_itself(void **state)
{
	int64_t started = clock_mono_ms();
	struct site t;

	(void)state;
	begin(&t, "[exec slow]\ncommand = /bin/sleep 30\ntimeout_ms = 200\n"
	      "[exec fast]\ncommand = /bin/true\n"
	      "[exec last]\ncommand = /bin/sleep 30\ntimeout_ms = 20000\n");
	gather(&t, 800);
	assert_true(clock_mono_ms() - started < 800 + 1000);
	assert_true(t.facts.exec.exec[0].timed_out);
	assert_true(t.facts.exec.exec[0].elapsed_us < 700000);
	assert_int_equal(t.facts.exec.exec[1].exit_code, 0);
	assert_true(t.facts.exec.exec[1].started);
	assert_true(t.facts.exec.exec[2].timed_out);
	assert_int_equal(judge(&t, 0), STATUS_TIMEOUT);
	assert_int_equal(judge(&t, 1), STATUS_PASS);
	end(&t);
}

static void what_cannot_be_trusted(void **state)
{
	struct site t;
	char path[1024];

	(void)state;
	begin(&t, "[exec open]\ncommand = @/open\n"
	      "[exec gone]\ncommand = @/gone\n"
	      "[exec path]\ncommand = true\n"
	      "[exec none]\n"
	      "[exec off]\ncommand = /bin/false\nenabled = no\n");
	script(&t, "open", "#!/bin/sh\nexit 2\n");
	chmod(fixture_path(&t.x, "open", path), 0777);
	gather(&t, 10000);
	assert_int_equal(t.facts.exec.count, 4);
	for (int i = 0; i < 4; i++) {
		assert_false(t.facts.exec.exec[i].started);
		assert_true(t.facts.exec.exec[i].why[0] != '\0');
		assert_int_equal(judge(&t, i), STATUS_ERROR);
	}
	end(&t);
}

static void only_those_asked_for(void **state)
{
	struct site t;

	(void)state;
	begin(&t, "[exec one]\ncommand = /bin/true\n"
	      "[exec two]\ncommand = /bin/true\n");
	t.only = "gpu_temp,exec_two";
	gather(&t, 10000);
	assert_int_equal(t.facts.exec.count, 1);
	assert_string_equal(t.facts.exec.exec[0].name, "two");
	assert_true(t.facts.exec.exec[0].started);
	t.only = "two,exec_on";
	gather(&t, 10000);
	assert_int_equal(t.facts.exec.count, 0);
	end(&t);
}

static void sections_by_name(void **state)
{
	struct site t;

	(void)state;
	begin(&t, "[exec one]\ncommand = /bin/true\n");
	assert_string_equal(exec_section(t.c, "exec_one"), "exec one");
	assert_null(exec_section(t.c, "exec_on"));
	assert_null(exec_section(t.c, "one"));
	assert_null(exec_section(t.c, "exec one"));
	end(&t);
}

static void rules(void **state)
{
	struct rule rule;
	struct site t;

	(void)state;
	begin(&t, "[exec a]\ncommand = /bin/true\nscope = site\n"
	      "action.prolog = drain-after\n"
	      "[exec b]\ncommand = /bin/true\n");
	gather(&t, 10000);
	exec_rule(t.c, 0, &t.env, CONTEXT_PROLOG, &rule);
	assert_int_equal(rule.action, ACTION_DRAIN_AFTER);
	assert_int_equal(rule.scope, SCOPE_SITE);
	assert_true(rule.soft);
	exec_rule(t.c, 0, &t.env, CONTEXT_HEALTH, &rule);
	assert_int_equal(rule.action, ACTION_WARN);
	exec_rule(t.c, 1, &t.env, CONTEXT_PROLOG, &rule);
	assert_int_equal(rule.action, ACTION_WARN);
	assert_int_equal(rule.scope, SCOPE_NODE);
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_of_nagios),
		cmocka_unit_test(it_is_run),
		cmocka_unit_test(its_environment),
		cmocka_unit_test(a_slow_one_costs_itself),
		cmocka_unit_test(what_cannot_be_trusted),
		cmocka_unit_test(only_those_asked_for),
		cmocka_unit_test(sections_by_name),
		cmocka_unit_test(rules),
	};

	return cmocka_run_group_tests_name("exec", tests, NULL, NULL);
}
