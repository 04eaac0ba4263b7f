/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include <errno.h>

#include "tests/unit/nodes.h"

extern const struct check check_storage_mounts;

static struct mount_fact *add(struct nodes *n, const char *path)
{
	struct facts_storage *s = &n->facts.storage;
	struct mount_fact *m = &s->mount[s->count++];

	strcpy(m->path, path);
	m->mounted = m->answered = true;
	m->bytes_total = 1000000;
	m->bytes_avail = 500000;
	m->inodes_total = 1000;
	m->inodes_free = 900;
	return m;
}

static void healthy_is_silent(void **state)
{
	struct nodes *n = nodes_new(&check_storage_mounts);

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	add(n, "/scratch");
	add(n, "/home")->inodes_total = -1;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	assert_null(n->r.memory);
	assert_int_equal(check_storage_mounts.scope, SCOPE_SITE);
	nodes_free(n);
}

static void absent_fails(void **state)
{
	struct nodes *n = nodes_new(&check_storage_mounts);
	struct mount_fact *m = add(n, "/scratch");

	(void)state;
	m->mounted = false;
	m->bytes_avail = 0;
	m->readonly = true;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "storage_mounts.absent", "/scratch");
	assert_string_equal(n->r.finding[0].evidence, NODE_BOOT ":absent");
	assert_true(n->r.finding[0].grace);
	/* Nothing known but the list of mounts. */
	m->rc = ENOSYS;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	m->mounted = true;
	m->readonly = false;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void hung_is_a_timeout(void **state)
{
	struct nodes *n = nodes_new(&check_storage_mounts);
	struct mount_fact *m = add(n, "/scratch");

	(void)state;
	m->answered = false;
	m->hung = true;
	m->elapsed_us = 1000400;
	m->bytes_total = m->inodes_total = -1;
	assert_int_equal(nodes_run(n), STATUS_TIMEOUT);
	nodes_only(n, "storage_mounts.hung", "/scratch");
	assert_string_equal(n->r.finding[0].text, "does not answer");
	assert_null(n->r.memory);
	m->stuck_pid = 4711;
	m->stuck_start = 99;
	assert_int_equal(nodes_run(n), STATUS_TIMEOUT);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(
		json_object_get(n->r.memory, "stuck"), "/scratch"), "pid")),
		4711);
	assert_int_equal(nodes_next(n, 60), STATUS_TIMEOUT);
	assert_null(n->r.memory);
	m->hung = false;
	m->stuck_pid = 0;
	assert_int_equal(nodes_next(n, 60), STATUS_PASS);
	assert_non_null(n->r.memory);	/* forgotten again */
	nodes_free(n);
}

static void read_only_unless_allowed(void **state)
{
	struct nodes *n = nodes_new(&check_storage_mounts);

	(void)state;
	add(n, "/data")->readonly = true;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "storage_mounts.readonly", "/data");
	nodes_config(n, "ro_ok = /data\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void room(void **state)
{
	struct nodes *n = nodes_new(&check_storage_mounts);
	struct mount_fact *m = add(n, "/scratch");

	(void)state;
	m->bytes_avail = 10000;		/* 1.0% */
	m->inodes_free = 10;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	m->bytes_avail = 9000;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "storage_mounts.space", "/scratch");
	assert_string_equal(n->r.finding[0].text, "0.9<1% space free");
	m->bytes_avail = 500000;
	m->inodes_free = 0;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "storage_mounts.inodes", "/scratch");
	nodes_config(n, "min_inodes_pct = 0\nmin_free_pct = 51\n");
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "storage_mounts.space", "/scratch");
	nodes_free(n);
}

static void errors_are_told_apart(void **state)
{
	struct nodes *n = nodes_new(&check_storage_mounts);
	struct mount_fact *m = add(n, "/scratch");

	(void)state;
	m->rc = ESTALE;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "storage_mounts.broken", "/scratch");
	m->rc = ECHILD;		/* no process to ask */
	assert_int_equal(nodes_run(n), STATUS_ERROR);
	nodes_only(n, "storage_mounts.unknown", "/scratch");
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(absent_fails),
		cmocka_unit_test(hung_is_a_timeout),
		cmocka_unit_test(read_only_unless_allowed),
		cmocka_unit_test(room),
		cmocka_unit_test(errors_are_told_apart),
	};

	return cmocka_run_group_tests_name("storage_mounts", tests, NULL,
					   NULL);
}
