/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include <errno.h>

#include "tests/unit/nodes.h"

#define MIB (1024 * 1024LL)

extern const struct check check_host_shm;

static struct nodes *with(int64_t avail_mib)
{
	struct nodes *n = nodes_new(&check_host_shm);

	n->facts.host.shm_total = (struct val){ 4096 * MIB, 0 };
	n->facts.host.shm_avail = (struct val){ avail_mib * MIB, 0 };
	return n;
}

static void room_is_silent(void **state)
{
	struct nodes *n = with(1024);

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void full_fails(void **state)
{
	struct nodes *n = with(1023);

	(void)state;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "host_shm.room", "node");
	assert_string_equal(n->r.finding[0].text,
			    "/dev/shm has 1023<1024 of 4096 MB free");
	nodes_config(n, "min_mb = 64\n");
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_config(n, "min_mb = 0\n");
	n->facts.host.shm_avail.v = 0;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void unknown_absent_broken(void **state)
{
	struct nodes *n = with(0);

	(void)state;
	n->facts.host.shm_avail = (struct val){ 0, ENOSYS };
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	n->facts.host.shm_avail.rc = VAL_UNASKED;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	n->facts.host.shm_avail.rc = ENOENT;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "host_shm.absent", "node");
	n->facts.host.shm_avail.rc = EACCES;
	assert_int_equal(nodes_run(n), STATUS_ERROR);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_is_silent),
		cmocka_unit_test(full_fails),
		cmocka_unit_test(unknown_absent_broken),
	};

	return cmocka_run_group_tests_name("host_shm", tests, NULL, NULL);
}
