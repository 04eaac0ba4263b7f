/* SPDX-License-Identifier: Apache-2.0
 * The fake NVML, rule by rule (CONTRACTS: scenario). Each scenario is played
 * in a child, because the fake reads its scenario once per process.
 */
#include "config.h"
#include "tests/unit/fake_nvml.h"

#include <string.h>
#include <time.h>

/* ---- what follows from the scenario itself ---------------------------- */

static void see_handles(void)
{
	unsigned int n = 0;
	char text[80];

	SAME(CALL("nvmlDeviceGetCount_v2", (unsigned int *))(&n),
	     NVML_RC_UNINITIALIZED);
	SAME(init(), 0);
	SAME(CALL("nvmlDeviceGetCount_v2", (unsigned int *))(&n), 0);
	SAME(n, 2);
	SAME(gpu(2) == NULL, 1);
	SAME(by_bus_id("00000000:1B:00.0"), 0);
	SAME(by_bus_id("0000:1b:00.0"), 0);
	SAME(by_bus_id("0000:2c:00.0"), 1);
	SAME(by_bus_id("0000:3d:00.0"), -NVML_RC_NOT_FOUND);
	SAME(CALL("nvmlSystemGetDriverVersion",
		  (char *, unsigned int))(text, sizeof(text)),
	     0);
	SAME(strcmp(text, "580.95.05"), 0);
	SAME(CALL("nvmlSystemGetDriverVersion", (char *, unsigned int))(text, 5),
	     NVML_RC_INSUFFICIENT_SIZE);
	SAME(CALL("nvmlShutdown", (void))(), 0);
	SAME(CALL("nvmlShutdown", (void))(), NVML_RC_UNINITIALIZED);
}

static void handles_follow_from_the_list(void **state)
{
	(void)state;
	play("{\"nvml\": {\"SystemGetDriverVersion\": \"580.95.05\", \"gpus\": "
	     "[{" GPU0 "}, {\"GetPciInfo_v3\": {\"busId\": "
	     "\"0000:2C:00.0\"}}]}}",
	     see_handles);
}

static void see_unreadable(void)
{
	SAME(init(), 0);
	SAME(by_bus_id("0000:1b:00.0"), -NVML_RC_NOT_FOUND);
	SAME(gpu(0) != NULL, 1);
}

static void an_unreadable_bus_id_matches_none(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", "
	     "\"GetPciInfo_v3\": {\"hang_ms\": -1}}]}}",
	     see_unreadable);
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", "
	     "\"GetPciInfo_v3\": {\"rc\": 15}}]}}",
	     see_unreadable);
}

static void see_listed_getters(void)
{
	unsigned int n = 0;

	SAME(init(), NVML_RC_DRIVER_NOT_LOADED);
	SAME(CALL("nvmlInitWithFlags", (unsigned int))(0), 9);
	SAME(CALL("nvmlDeviceGetCount_v2", (unsigned int *))(&n), 1);
}

static void listed_getters_answer_as_listed(void **state)
{
	(void)state;
	play("{\"nvml\": {\"Init_v2\": {\"rc\": 9}, \"gpus\": []}}",
	     see_listed_getters);
}

static void see_bad_handle(void)
{
	SAME(init(), 0);
	SAME(by_bus_id("0000:1b:00.0"), -NVML_RC_GPU_IS_LOST);
	SAME(by_bus_id("0000:2c:00.0"), 1);
}

static void one_handle_can_fail(void **state)
{
	(void)state;
	play("{\"nvml\": {\"GetHandleByPciBusId_v2\": {\"00000000:1B:00.0\": "
	     "{\"rc\": 15}}, \"gpus\": [{" GPU0 "}, {\"GetPciInfo_v3\": "
	     "{\"busId\": \"00000000:2C:00.0\"}}]}}",
	     see_bad_handle);
}

/* ---- templates and merging -------------------------------------------- */

static void see_bare(void)
{
	unsigned int out[4];

	SAME(init(), 0);
	SAME(u32("nvmlDeviceGetCurrPcieLinkWidth"), -NVML_RC_NOT_SUPPORTED);
	SAME(field_number(230, 0), -NVML_RC_NOT_SUPPORTED);
	SAME(rows(out), NVML_RC_NOT_SUPPORTED);
}

static void unlisted_is_not_supported(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{" GPU0 "}]}}", see_bare);
}

static void see_merged(void)
{
	unsigned int out[4] = { 0 };

	SAME(init(), 0);
	SAME(u32("nvmlDeviceGetCurrPcieLinkWidth"), 8); /* scalar */
	SAME(u32("nvmlDeviceGetMaxPcieLinkWidth"), 16); /* template */
	SAME(u32("nvmlDeviceGetPersistenceMode"), -3);	/* null */
	SAME(rows(out), 0);				/* object */
	SAME(out[1], 8);
	SAME(out[3], 0);
	SAME(keyed("nvmlDeviceGetNvLinkState", 7), 0);
	SAME(keyed("nvmlDeviceGetNvLinkState", 8), 1);
	SAME(keyed("nvmlDeviceGetNvLinkState", 18), -3);
	SAME(keyed("nvmlDeviceGetClockInfo", 1), -15); /* control */
	SAME(field_number(230, 0), 1);
	SAME(field_number(91, 0), 18);
}

static void entries_lie_over_the_template(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", " GPU0
	     ", \"GetCurrPcieLinkWidth\": 8, \"GetPersistenceMode\": null, "
	     "\"GetRemappedRows\": {\"uncRows\": 8}, \"GetNvLinkState\": "
	     "{\"7\": 0}, \"GetClockInfo\": {\"rc\": 15}, "
	     "\"GetFieldValues\": {\"230\": 1}}]}}",
	     see_merged);
}

static void see_broken(void)
{
	SAME(init(), NVML_RC_UNKNOWN);
}

static void a_broken_scenario_breaks_init(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"K80\"}]}}", see_broken);
	play("{\"nvml\": {", see_broken);
	unlink(getenv("ASSAY_SCENARIO"));
	in_child(see_broken);
}

/* ---- controls ---------------------------------------------------------- */

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void see_late(void)
{
	unsigned int out[4] = { 0 };
	double before;

	SAME(init(), 0);
	before = now_ms();
	SAME(rows(out), 0);
	SAME(out[1], 3);
	SAME(now_ms() - before >= 60, 1);
	SAME(now_ms() - before < 120, 1); /* once, not once a member */
}

static void late_answers_come_once(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", " GPU0
	     ", \"GetRemappedRows\": {\"hang_ms\": 60, \"value\": "
	     "{\"uncRows\": 3}}}]}}",
	     see_late);
}

static void see_seq_start(void)
{
	SAME(init(), 0);
	SAME(u32("nvmlDeviceGetPowerUsage"), 1);
	SAME(u32("nvmlDeviceGetPowerUsage"), -15);
	SAME(u32("nvmlDeviceGetPowerManagementLimit"), 5);
}

static void see_seq_end(void)
{
	SAME(init(), 0);
	SAME(u32("nvmlDeviceGetPowerUsage"), 3);
	SAME(u32("nvmlDeviceGetPowerUsage"), 3);
	SAME(u32("nvmlDeviceGetPowerManagementLimit"), 6);
}

static void sequences_count_across_processes(void **state)
{
	const char *text =
		"{\"nvml\": {\"gpus\": [{" GPU0 ", \"GetPowerUsage\": {\"seq\":"
		" [1, {\"rc\": 15}, 3]}, \"GetPowerManagementLimit\": "
		"{\"seq\": [5, 6]}}]}}";

	(void)state;
	play(text, see_seq_start);
	in_child(see_seq_end);
	play(text, see_seq_start); /* a new file starts afresh */
}

static void see_ramp(void)
{
	long long v;

	SAME(init(), 0);
	v = field_number(83, 0);
	SAME(v >= 1000 && v < 1000 + 60 * 1000, 1);
	SAME(field_number(138, NVML_SCOPE_ALL), 77); /* has not begun */
	usleep(20000);
	SAME(field_number(83, 0) >= v + 19, 1);
}

static void ramps_move_with_time(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{" GPU0 ", \"GetFieldValues\": {\"83\": "
	     "{\"ramp\": {\"start\": 1000, \"per_s\": 1000}}, "
	     "\"138:4294967295\": {\"ramp\": {\"start\": 77, \"per_s\": 5, "
	     "\"from_s\": 3600}}}}]}}",
	     see_ramp);
}

/* ---- one fact, several routes ------------------------------------------ */

static void see_twins_of_functions(void)
{
	unsigned long long reasons = 0;

	SAME(init(), 0);
	SAME(field_number(142, 0), 1);
	SAME(field_number(143, 0), 8);
	SAME(field_number(145, 0), 1);
	SAME(field_number(165, 7), 0);
	SAME(field_number(165, 8), 1);
	SAME(field_number(94, 0), 12);
	SAME(field_number(31, 0), 1);
	SAME(field_number(74, 0), 5000);
	SAME(CALL("nvmlDeviceGetCurrentClocksThrottleReasons",
		  (struct nvml_device *, unsigned long long *))(gpu(0), &reasons),
	     0);
	SAME(reasons, 0x40);
}

static void functions_move_their_twins(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", " GPU0
	     ", \"GetRemappedRows\": {\"corrRows\": 1, \"uncRows\": 8, "
	     "\"isPending\": 0, \"failureOccurred\": 1}, "
	     "\"GetNvLinkState\": {\"7\": 0}, \"GetPcieReplayCounter\": 12, "
	     "\"GetRetiredPagesPendingStatus\": 1, \"GetViolationStatus\": "
	     "{\"0\": {\"violationTime\": 5000}}, "
	     "\"GetCurrentClocksEventReasons\": 64}]}}",
	     see_twins_of_functions);
}

static void see_twins_of_fields(void)
{
	unsigned int out[4] = { 0 };
	unsigned long long mj = 0;

	SAME(init(), 0);
	SAME(rows(out), 0);
	SAME(out[0], 0);
	SAME(out[1], 5);
	SAME(out[3], 1);
	SAME(keyed("nvmlDeviceGetNvLinkState", 3), 0);
	SAME(keyed("nvmlDeviceGetNvLinkState", 4), 1);
	SAME(u32("nvmlDeviceGetPcieReplayCounter"), 9);
	SAME(CALL("nvmlDeviceGetTotalEnergyConsumption",
		  (struct nvml_device *, unsigned long long *))(gpu(0), &mj),
	     0);
	SAME(mj, 123);
}

static void fields_move_their_twins(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", " GPU0
	     ", \"GetFieldValues\": {\"143\": 5, \"145\": 1, \"165:3\": 0, "
	     "\"94\": 9, \"83\": 123}}]}}",
	     see_twins_of_fields);
}

static void see_both_listed(void)
{
	SAME(init(), 0);
	SAME(field_number(94, 0), 1);
	SAME(u32("nvmlDeviceGetPcieReplayCounter"), 2);
}

static void both_listed_stay_apart(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{" GPU0 ", \"GetPcieReplayCounter\": 2, "
	     "\"GetFieldValues\": {\"94\": 1}}]}}",
	     see_both_listed);
}

static void see_errors_move(void)
{
	unsigned int out[4];

	SAME(init(), 0);
	SAME(field_number(142, 0), -15);
	SAME(rows(out), 15);
	SAME(u32("nvmlDeviceGetPcieReplayCounter"), 0);
}

static void errors_move_but_a_broken_batch_does_not(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", " GPU0
	     ", \"GetRemappedRows\": {\"rc\": 15}}]}}",
	     see_errors_move);
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", " GPU0
	     ", \"GetRemappedRows\": {\"rc\": 15}, \"GetFieldValues\": "
	     "{\"rc\": 15}}]}}",
	     see_errors_move);
}

/* ---- types, structs and what is missing -------------------------------- */

static void see_types(void)
{
	struct nvml_field_value f;

	SAME(init(), 0);
	SAME(field(142, 0).type, NVML_TYPE_UINT);
	SAME(field(230, 0).type, NVML_TYPE_UINT);
	SAME(field(193, 0).type, NVML_TYPE_INT);
	SAME(field(193, 0).value.i, -8);
	SAME(field(161, 0).type, NVML_TYPE_ULONG_LONG);
	SAME(field(9999, 0).type, NVML_TYPE_ULONG_LONG);
	f = field(9999, 0);
	SAME(f.value.ull == 1ULL << 40, 1);
	SAME(field_number(9999, 1), -3); /* another scope */
}

static void fields_have_their_types(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", " GPU0
	     ", \"GetFieldValues\": {\"9999\": 1099511627776}}]}}",
	     see_types);
}

static void see_structs(void)
{
	struct nvml_fabric_v3 f = { .version = NVML_VERSION(
					    struct nvml_fabric_v3, 3) };
	struct nvml_sram_ecc e = { .version = 1 };
	struct nvml_process p[2];
	unsigned int n = 1;
	struct nvml_pci_info pci;

	SAME(init(), 0);
	SAME(CALL("nvmlDeviceGetGpuFabricInfoV",
		  (struct nvml_device *, void *))(gpu(0), &f),
	     0);
	SAME(f.state, 3);
	SAME(f.clique, 7);
	SAME(f.cluster_uuid[0], 0xab);
	SAME(f.cluster_uuid[15], 0x01);
	SAME(f.version, 0x03000028);
	SAME(CALL("nvmlDeviceGetSramEccErrorStatus",
		  (struct nvml_device *, void *))(gpu(0), &e),
	     NVML_RC_ARGUMENT_VERSION);
	e.version = NVML_VERSION(struct nvml_sram_ecc, 1);
	SAME(CALL("nvmlDeviceGetSramEccErrorStatus",
		  (struct nvml_device *, void *))(gpu(0), &e),
	     0);
	SAME(e.threshold_exceeded, 1);
	SAME(CALL("nvmlDeviceGetComputeRunningProcesses_v3",
		  (struct nvml_device *, unsigned int *, void *))(gpu(0), &n, p),
	     7);
	SAME(n, 2);
	SAME(CALL("nvmlDeviceGetComputeRunningProcesses_v3",
		  (struct nvml_device *, unsigned int *, void *))(gpu(0), &n, p),
	     0);
	SAME(p[0].pid, 123);
	SAME(p[1].used_memory == NVML_MEMORY_UNKNOWN, 1);
	SAME(CALL("nvmlDeviceGetPciInfo_v3",
		  (struct nvml_device *, void *))(gpu(0), &pci),
	     0);
	SAME(pci.pci_device_id, 0x233010DE);
	SAME(pci.bus, 0x1b);
	SAME(strcmp(pci.bus_id, "00000000:1B:00.0"), 0);
}

static void structs_come_by_member(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", " GPU0
	     ", \"GetGpuFabricInfoV\": {\"cliqueId\": 7, \"clusterUuid\": "
	     "\"ab000000-0000-0000-0000-000000000001\"}, "
	     "\"GetSramEccErrorStatus\": {\"bThresholdExceeded\": true}, "
	     "\"GetComputeRunningProcesses_v3\": [{\"pid\": 123, "
	     "\"usedGpuMemory\": 1}, {\"pid\": 124}]}]}}",
	     see_structs);
}

static void see_missing(void)
{
	SAME(dlsym(so, "nvmlDeviceGetFieldValues") == NULL, 1);
	SAME(dlsym(so, "nvmlDeviceGetRemappedRows") == NULL, 1);
	SAME(dlsym(so, "nvmlDeviceGetUUID") != NULL, 1);
}

static void see_nothing(void)
{
	SAME(dlsym(so, "nvmlInit_v2") == NULL, 1);
}

static void missing_symbols_are_missing(void **state)
{
	(void)state;
	play("{\"nvml\": {\"missing_symbols\": [\"nvmlDeviceGetFieldValues\", "
	     "\"nvmlDeviceGetRemappedRows\"], \"gpus\": []}}",
	     see_missing);
	play("{\"nvml\": {\"no_library\": true, \"gpus\": []}}", see_nothing);
}

/* ---- where the scenario lies ---------------------------------------------- */

static void see_two(void)
{
	unsigned int n = 0;

	SAME(init(), 0);
	SAME(CALL("nvmlDeviceGetCount_v2", (unsigned int *))(&n), 0);
	SAME(n, 2);
}

/* Without the variable the file beside the library counts. */
static void the_scenario_may_lie_beside_the_library(void **state)
{
	char saved[512], link[128];

	(void)state;
	write_scenario("{\"nvml\": {\"gpus\": [{}, {}]}}");
	unsetenv("ASSAY_SCENARIO");
	snprintf(saved, sizeof(saved), "%s", library);
	snprintf(link, sizeof(link), "%s/libnvidia-ml.so.1", dir);
	assert_int_equal(symlink(library, link), 0);
	snprintf(library, sizeof(library), "%s", link);
	in_child(see_two);
	unlink(link);
	snprintf(library, sizeof(library), "%s", saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handles_follow_from_the_list),
		cmocka_unit_test(an_unreadable_bus_id_matches_none),
		cmocka_unit_test(listed_getters_answer_as_listed),
		cmocka_unit_test(one_handle_can_fail),
		cmocka_unit_test(unlisted_is_not_supported),
		cmocka_unit_test(entries_lie_over_the_template),
		cmocka_unit_test(a_broken_scenario_breaks_init),
		cmocka_unit_test(late_answers_come_once),
		cmocka_unit_test(sequences_count_across_processes),
		cmocka_unit_test(ramps_move_with_time),
		cmocka_unit_test(functions_move_their_twins),
		cmocka_unit_test(fields_move_their_twins),
		cmocka_unit_test(both_listed_stay_apart),
		cmocka_unit_test(errors_move_but_a_broken_batch_does_not),
		cmocka_unit_test(fields_have_their_types),
		cmocka_unit_test(structs_come_by_member),
		cmocka_unit_test(missing_symbols_are_missing),
		cmocka_unit_test(the_scenario_may_lie_beside_the_library),
	};

	return cmocka_run_group_tests_name("fake_nvml", tests, fake_set_up,
					   fake_tear_down);
}
