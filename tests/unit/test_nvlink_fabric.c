/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/gpus.h"

extern const struct check check_nvlink_fabric;

static void healthy_is_silent(void **state)
{
	(void)state;
	gpus_passes_healthy(&check_nvlink_fabric);
}

static void unknown_is_a_skip(void **state)
{
	(void)state;
	gpus_skips_unknown(&check_nvlink_fabric);
}

static void states(void **state)
{
	static const struct {
		int state;
		enum status status;
		const char *code;
	} t[] = {
		{ 1, STATUS_FAIL, "nvlink_fabric.not_started" },
		{ 2, STATUS_FAIL, "nvlink_fabric.in_progress" },
		{ 9, STATUS_WARN, "nvlink_fabric.state" },
	};
	struct gpus *s = gpus_healthy(8);
	size_t i;

	(void)state;
	assert_int_equal((&check_nvlink_fabric)->def, ACTION_WARN);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		s->facts.gpus.gpu[2].fabric_state = known(t[i].state);
		assert_int_equal(gpus_run(s, &check_nvlink_fabric), t[i].status);
		assert_only(s, t[i].code, "GPU2");
		/* A young boot may still be at it. */
		assert_true(s->r.finding[0].grace);
	}
	gpus_free(s);
}

static void boards_without_a_fabric_are_a_skip(void **state)
{
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		s->facts.gpus.gpu[i].fabric_state = known(0);
	assert_int_equal(gpus_run(s, &check_nvlink_fabric), STATUS_SKIP);
	gpus_free(s);
}

static void failed_registration(void **state)
{
	struct gpus *s = gpus_healthy(8);

	(void)state;
	s->facts.gpus.gpu[0].fabric_status = known(999);
	assert_int_equal(gpus_run(s, &check_nvlink_fabric), STATUS_FAIL);
	assert_only(s, "nvlink_fabric.status", "GPU0");
	/* The status means something only once it is completed. */
	s->facts.gpus.gpu[0].fabric_state = known(2);
	gpus_run(s, &check_nvlink_fabric);
	assert_only(s, "nvlink_fabric.in_progress", "GPU0");
	gpus_free(s);
}

/* All two-bit fields say no, the configuration is right. */
#define FINE (2 << 0 | 2 << 2 | 2 << 4 | 2 << 6 | 1 << 8 | 1 << 12)

static void every_health_field(void **state)
{
	static const struct {
		int64_t mask;
		enum status status;
	} t[] = {
		{ 0, STATUS_PASS },
		{ FINE, STATUS_PASS },
		{ (FINE & ~3) | 1, STATUS_FAIL },
		{ (FINE & ~(3 << 2)) | 1 << 2, STATUS_WARN },
		{ (FINE & ~(3 << 4)) | 1 << 4, STATUS_FAIL },
		{ (FINE & ~(3 << 6)) | 1 << 6, STATUS_WARN },
		{ (FINE & ~(15 << 8)) | 2 << 8, STATUS_FAIL },
		{ (FINE & ~(15 << 8)) | 8 << 8, STATUS_FAIL },
		{ (FINE & ~(15 << 8)) | 15 << 8, STATUS_FAIL },
		{ (FINE & ~(3 << 12)) | 2 << 12, STATUS_WARN },
		{ FINE & ~(3 << 12), STATUS_PASS },
	};
	struct gpus *s = gpus_healthy(8);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		s->facts.gpus.gpu[7].fabric_health = known(t[i].mask);
		assert_int_equal(gpus_run(s, &check_nvlink_fabric), t[i].status);
		assert_int_equal(s->r.count, t[i].status != STATUS_PASS);
	}
	gpus_free(s);
}

static void summary(void **state)
{
	static const enum status want[] = { STATUS_PASS, STATUS_PASS,
					    STATUS_FAIL, STATUS_WARN };
	struct gpus *s = gpus_healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		s->facts.gpus.gpu[5].fabric_summary = known(i);
		assert_int_equal(gpus_run(s, &check_nvlink_fabric), want[i]);
	}
	gpus_free(s);
}

static void cliques_of_one_node_are_one(void **state)
{
	struct gpus *s = gpus_healthy(4);
	int i;

	(void)state;
	/* Without a fabric id there is no clique to compare. */
	s->facts.gpus.gpu[3].fabric_clique = known(7);
	assert_int_equal(gpus_run(s, &check_nvlink_fabric), STATUS_PASS);
	for (i = 0; i < 4; i++)
		strcpy(s->facts.gpus.gpu[i].fabric_uuid, "00112233");
	assert_int_equal(gpus_run(s, &check_nvlink_fabric), STATUS_FAIL);
	assert_only(s, "nvlink_fabric.clique", "GPU3");
	assert_int_equal((&check_nvlink_fabric)->scope, SCOPE_DOMAIN);
	s->facts.gpus.gpu[3].fabric_clique = known(0);
	assert_int_equal(gpus_run(s, &check_nvlink_fabric), STATUS_PASS);
	gpus_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(unknown_is_a_skip),
		cmocka_unit_test(states),
		cmocka_unit_test(boards_without_a_fabric_are_a_skip),
		cmocka_unit_test(failed_registration),
		cmocka_unit_test(every_health_field),
		cmocka_unit_test(summary),
		cmocka_unit_test(cliques_of_one_node_are_one),
	};

	return cmocka_run_group_tests_name("nvlink_fabric", tests, NULL, NULL);
}
