/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/retest.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct facts facts;
static struct check_result results[2];
static struct verdict verdict;
static const struct retest_limits limits = { .passes = 3, .min_s = 600 };
static json_t *doc;

static int well_node(void **state)
{
	(void)state;
	memset(&facts, 0, sizeof(facts));
	strcpy(facts.kmsg.boot_id, "boot-1");
	strcpy(facts.gpus.gpu[0].uuid, "GPU-a");
	facts.gpus.count = 1;
	memset(results, 0, sizeof(results));
	results[0].name = "gpu_remap";
	results[1].name = "kmsg_xid";
	verdict = (struct verdict){ .would = ACTION_RUN };
	doc = json_pack("{s:s, s:{s:s}}", "boot_id", "boot-1", "keys",
			"kmsg_xid|GPU-a|boot-1:7", "reset_gpu");
	return 0;
}

static int free_doc(void **state)
{
	(void)state;
	result_fini(&results[0]);
	result_fini(&results[1]);
	json_decref(doc);
	return 0;
}

static enum retest step(int64_t now)
{
	return retest_step(doc, &facts, results, 2, &verdict, &limits, now);
}

static void often_enough_and_long_enough(void **state)
{
	(void)state;
	assert_int_equal(step(1000), RETEST_WAIT);
	assert_int_equal(step(1100), RETEST_WAIT);
	/* Three passes, but not over ten minutes. */
	assert_int_equal(step(1200), RETEST_WAIT);
	assert_int_equal(step(1600), RETEST_RESUME);
}

static enum tier tier_of(const char *key)
{
	json_object_clear(json_object_get(doc, "keys"));
	if (key)
		json_object_set_new(json_object_get(doc, "keys"), key,
				    json_string("service"));
	return retest_tier(doc);
}

static void what_drained_is_what_tests(void **state)
{
	(void)state;
	assert_int_equal(tier_of(NULL), TIER_PASSIVE);
	assert_int_equal(tier_of("gpu_remap|GPU-a|boot:1"), TIER_PASSIVE);
	assert_int_equal(tier_of("gpu_sdc|GPU-a|sm=17"), TIER_DEEP);
	assert_int_equal(tier_of("exec_burn|node|1"), TIER_PASSIVE);
	json_object_del(doc, "keys");
	assert_int_equal(retest_tier(doc), TIER_PASSIVE);
}

static void a_relapse_starts_over(void **state)
{
	(void)state;
	step(1000);
	step(1300);
	verdict.would = ACTION_DRAIN;
	assert_int_equal(step(1400), RETEST_SICK);
	verdict.would = ACTION_RUN;
	assert_int_equal(step(1700), RETEST_WAIT);
	assert_int_equal(step(2000), RETEST_WAIT);
	assert_int_equal(step(2300), RETEST_RESUME);
}

static void unknown_is_not_good(void **state)
{
	(void)state;
	results[1].status = STATUS_SKIP;
	assert_int_equal(step(1000), RETEST_SICK);
	results[1].status = STATUS_ERROR;
	assert_int_equal(step(1000), RETEST_SICK);
	results[1].status = STATUS_TIMEOUT;
	assert_int_equal(step(1000), RETEST_SICK);
}

static void a_lowered_failure_is_not_good(void **state)
{
	struct finding *f;

	(void)state;
	f = result_add(&results[1], STATUS_WARN, "x", "GPU0", "t");
	results[1].status = STATUS_WARN;
	assert_int_equal(step(1000), RETEST_WAIT);
	strcpy(f->note, "the node has just booted");
	assert_int_equal(step(1000), RETEST_SICK);
}

static void what_is_still_open_is_not_good(void **state)
{
	struct finding *f;

	(void)state;
	/* Of another check's probe, or of another fault of this one. */
	result_add(&results[1], STATUS_WARN, "fault", "GPU0", "t");
	f = result_add(&results[1], STATUS_SKIP, "low", "GPU0", "t");
	f->gpu = 0;
	results[1].status = STATUS_WARN;
	strcpy(f->evidence, "boot-1:8");
	assert_int_equal(step(1000), RETEST_WAIT);
	strcpy(f->evidence, "boot-1:7");
	assert_int_equal(step(1300), RETEST_SICK);
}

static void service_needs_a_hand(void **state)
{
	(void)state;
	json_object_set_new(json_object_get(doc, "keys"),
			    "gpu_remap|GPU-a|failure=1",
			    json_string("service"));
	assert_int_equal(step(1000), RETEST_HAND);
	/* The GPU was replaced. */
	strcpy(facts.gpus.gpu[0].uuid, "GPU-b");
	assert_int_equal(step(1000), RETEST_WAIT);
	/* Or the node was rebooted. */
	strcpy(facts.gpus.gpu[0].uuid, "GPU-a");
	assert_int_equal(step(1000), RETEST_HAND);
	strcpy(facts.kmsg.boot_id, "boot-2");
	assert_int_equal(step(1000), RETEST_WAIT);
}

static void a_check_switched_off_holds_nobody_back(void **state)
{
	(void)state;
	json_object_clear(json_object_get(doc, "keys"));
	json_object_set_new(json_object_get(doc, "keys"), "gpu_temp|GPU-a|x",
			    json_string("none"));
	assert_int_equal(step(1000), RETEST_WAIT);
}

static void a_clock_set_back_holds_nobody(void **state)
{
	(void)state;
	assert_int_equal(step(1000000), RETEST_WAIT);
	assert_int_equal(step(1000), RETEST_WAIT);
	assert_int_equal(step(1300), RETEST_WAIT);
	assert_int_equal(step(1601), RETEST_RESUME);
}

static void no_drain_of_ours(void **state)
{
	(void)state;
	json_object_clear(doc);
	assert_int_equal(step(1000), RETEST_NONE);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, well_node, free_doc)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(often_enough_and_long_enough),
		TEST(what_drained_is_what_tests),
		TEST(a_relapse_starts_over),
		TEST(unknown_is_not_good),
		TEST(what_is_still_open_is_not_good),
		TEST(a_lowered_failure_is_not_good),
		TEST(service_needs_a_hand),
		TEST(a_check_switched_off_holds_nobody_back),
		TEST(a_clock_set_back_holds_nobody),
		TEST(no_drain_of_ours),
	};

	return cmocka_run_group_tests_name("retest", tests, NULL, NULL);
}
