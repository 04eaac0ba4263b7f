/* SPDX-License-Identifier: Apache-2.0
 * nodes - run one judge of host, storage or fabric facts. */
#ifndef ASSAY_TESTS_NODES_H
#define ASSAY_TESTS_NODES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks/check.h"
#include "checks/schema.h"
#include "tests/unit/unit.h"

#define NODE_BOOT "2b1d7a5e-0000-4000-8000-000000000001"

struct nodes {
	const struct check *check;
	struct facts facts;
	struct check_env env;
	struct check_result r;
	struct cfg *cfg;
	char section[64];
};

/* config: the keys of the check's section, a line each; NULL: all default. */
static inline void nodes_config(struct nodes *n, const char *config)
{
	char path[] = "/tmp/assay-unit-XXXXXX";
	struct err e = { "" };
	FILE *f;

	cfg_destroy(n->cfg);
	if (config) {
		f = fdopen(mkstemp(path), "w");
		assert_non_null(f);
		fprintf(f, "[%s]\n%s", n->section, config);
		fclose(f);
		n->cfg = cfg_load(path, schema_sections(), NULL, &e);
		unlink(path);
	} else {
		n->cfg = cfg_defaults(schema_sections());
	}
	if (!n->cfg)
		fail_msg("%s", e.text);
	if (cfg_broken(n->cfg, n->section))
		fail_msg("%s", cfg_broken(n->cfg, n->section));
	n->env.cfg = n->cfg;
}

static inline struct nodes *nodes_new(const struct check *c)
{
	struct nodes *n = calloc(1, sizeof(*n));

	assert_non_null(n);
	n->check = c;
	snprintf(n->section, sizeof(n->section), "check %s", c->name);
	strcpy(n->facts.kmsg.boot_id, NODE_BOOT);
	n->facts.kmsg.uptime_s = 100000;
	n->env.facts = &n->facts;
	n->env.now_s = 1800000000;
	nodes_config(n, NULL);
	return n;
}

static inline enum status nodes_run(struct nodes *n)
{
	result_fini(&n->r);
	memset(&n->r, 0, sizeof(n->r));
	n->r.check = n->check;
	n->r.name = n->check->name;
	if (n->check->run(&n->env, &n->r))
		return STATUS_ERROR;
	return result_status(&n->r);
}

/* Run as the next run would, after_s later: with what was remembered. */
static inline enum status nodes_next(struct nodes *n, int after_s)
{
	json_t *old = (json_t *)(uintptr_t)n->env.memory;

	if (n->r.memory) {
		n->env.memory = json_incref(n->r.memory);
		json_decref(old);
	}
	n->env.now_s += after_s;
	return nodes_run(n);
}

static inline void nodes_reboot(struct nodes *n)
{
	n->facts.kmsg.boot_id[35]++;
}

static inline void nodes_free(struct nodes *n)
{
	json_decref((json_t *)(uintptr_t)n->env.memory);
	result_fini(&n->r);
	cfg_destroy(n->cfg);
	free(n);
}

/* Exactly one finding, of this code, about this subject. */
#define nodes_only(n, c, subj) \
	do { \
		assert_int_equal((n)->r.count, 1); \
		assert_string_equal((n)->r.finding[0].code, c); \
		assert_string_equal((n)->r.finding[0].subject, subj); \
	} while (0)

#endif
