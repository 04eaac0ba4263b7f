/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/rdma_fault.h"

#include "lib/facts_rdma.h"
#include "tests/unit/unit.h"

static void only_hardware_fails(void **state)
{
	int failed = 0;
	int rc;

	(void)state;
	for (rc = -10; rc < 40; rc++)
		failed += rdma_fault_of(rc)->status == STATUS_FAIL;
	assert_int_equal(failed, 3);
	assert_int_equal(rdma_fault_of(RDMA_RC_GONE)->status, STATUS_FAIL);
	assert_int_equal(rdma_fault_of(RDMA_RC_FATAL)->status, STATUS_FAIL);
	/* IBV_WC_FATAL_ERR */
	assert_int_equal(rdma_fault_of(19)->status, STATUS_FAIL);
	assert_int_equal(rdma_fault_of(19)->remedy, REMEDY_SERVICE);
}

/* A link that goes away is the cable's, as likely as not. */
static void who_does_not_answer_warns(void **state)
{
	(void)state;
	assert_int_equal(rdma_fault_of(12)->status, STATUS_WARN);
	assert_int_equal(rdma_fault_of(12)->remedy, REMEDY_CHECK_CABLE);
	assert_int_equal(rdma_fault_of(RDMA_RC_PORT_DOWN)->status, STATUS_WARN);
}

static void our_own_mistakes_are_errors(void **state)
{
	static const int own[] = { 1, 4, 8, 9, 10, 13 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		assert_int_equal(rdma_fault_of(own[i])->status, STATUS_ERROR);
}

static void what_nobody_knows_warns(void **state)
{
	(void)state;
	assert_int_equal(rdma_fault_of(99)->status, STATUS_WARN);
	assert_string_equal(rdma_fault_of(99)->text, "RDMA error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_hardware_fails),
		cmocka_unit_test(who_does_not_answer_warns),
		cmocka_unit_test(our_own_mistakes_are_errors),
		cmocka_unit_test(what_nobody_knows_warns),
	};

	return cmocka_run_group_tests_name("rdma_fault", tests, NULL, NULL);
}
