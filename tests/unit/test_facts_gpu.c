/* SPDX-License-Identifier: Apache-2.0
 * The GPU gatherer against a fixture root and the fake NVML. It runs in a
 * child, as in life; its facts come back through shared memory.
 */
#include "config.h"
#include "lib/facts_gpu.h"
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/nvml.h"

#define GPUS 8

static const char *const bus[GPUS] = { "1b", "2c", "3d", "4e",
				       "9a", "ab", "bc", "cd" };

static struct shared {
	struct facts_gpus gpus;
	struct facts_gpu_progress progress;
	int emits[FACTS_GPUS_MAX];
	int64_t took_ms;
	int rc;
} * shared;

static char dir[64];
static char library[512];
static struct roots root;
static bool skip[FACTS_GPUS_MAX];

/* Eight H100; GPU k gets more entries, the section too. */
static void scenario(int k, const char *entries, const char *section)
{
	char path[128];
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "%s/scenario.json", dir);
	unlink(path);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"{\"nvml\": {\"SystemGetDriverVersion\": \"580.95.05\", "
		"%s\"gpus\": [",
		section);
	for (i = 0; i < GPUS; i++) {
		fprintf(f,
			"%s{\"like\": \"H100-SXM5\", \"GetMinorNumber\": %d, "
			"\"GetUUID\": \"GPU-%d\"",
			i ? ", " : "", i, i);
		if (i != k || !strstr(entries, "GetPciInfo_v3"))
			fprintf(f,
				", \"GetPciInfo_v3\": {\"busId\": "
				"\"00000000:%s:00.0\"}",
				bus[i]);
		fprintf(f, "%s%s}", i == k && *entries ? ", " : "",
			i == k ? entries : "");
	}
	fputs("]}}", f);
	fclose(f);
	setenv("ASSAY_SCENARIO", path, 1);
}

static void emit(const struct facts_gpus *g, int i, void *arg)
{
	(void)arg;
	assert_ptr_equal(g, &shared->gpus);
	shared->emits[i]++;
}

static void child(const char *path, int second_look_ms)
{
	struct facts_gpu_request q = {
		.roots = &root,
		.nvml_path = path,
		.skip = skip,
		.second_look_ms = second_look_ms,
		.progress = &shared->progress,
		.emit = emit,
	};
	int64_t before = clock_mono_ms();

	shared->rc = facts_gpu_ask(&q, &shared->gpus);
	shared->took_ms = clock_mono_ms() - before;
	_exit(0);
}

static pid_t start(const char *path, int second_look_ms)
{
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	facts_gpu_inventory(&root, &shared->gpus);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		child(path, second_look_ms);
	return pid;
}

static struct facts_gpus *gather_with(const char *path, int second_look_ms)
{
	int status;
	pid_t pid = start(path, second_look_ms);

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(shared->rc, 0);
	return &shared->gpus;
}

static struct facts_gpus *gather(void)
{
	return gather_with(library, 20);
}

static void known(struct val v, int64_t want)
{
	assert_int_equal(v.rc, 0);
	assert_int_equal(v.v, want);
}

/* ---- files -------------------------------------------------------------- */

static void inventory_reads_files(void **state)
{
	struct facts_gpus *g = &shared->gpus;

	(void)state;
	assert_int_equal(facts_gpu_inventory(&root, g), 0);
	assert_int_equal(g->pci_count, 8);
	assert_int_equal(g->proc_count, 8);
	assert_int_equal(g->count, 8);
	assert_true(g->module_loaded);
	assert_string_equal(g->kernel_driver, "580.95.05");
	assert_int_equal(g->init_rc, VAL_UNASKED);
	assert_int_equal(g->nvml_count, -1);
	assert_string_equal(g->gpu[0].bus_id, "0000:1b:00.0");
	assert_string_equal(g->gpu[7].bus_id, "0000:cd:00.0");
	assert_int_equal(g->gpu[7].index, 7);
	assert_int_equal(g->gpu[3].minor, 3);
	assert_string_equal(g->gpu[0].name, "NVIDIA H100 80GB HBM3");
	assert_memory_equal(g->gpu[0].uuid, "GPU-", 4);
	assert_int_equal(g->gpu[0].pci_id, 0x233010de);
	assert_int_equal(g->gpu[0].pci_width, 16);
	assert_int_equal(g->gpu[0].pci_width_max, 16);
	assert_int_equal(g->gpu[0].pci_parent_width_max, 16);
	assert_true(g->gpu[0].in_pci && g->gpu[0].in_proc);
	assert_false(g->gpu[0].in_nvml || g->gpu[0].asked);
	assert_int_equal(g->gpu[0].recovery.rc, VAL_UNASKED);
	assert_int_equal(g->gpu[0].proc_count, -1);
}

static void no_gpu_is_no_error(void **state)
{
	struct facts_gpus *g = &shared->gpus;
	struct roots empty;

	(void)state;
	assert_int_equal(roots_open(&empty, dir, NULL), 0);
	assert_int_equal(facts_gpu_inventory(&empty, g), 0);
	roots_close(&empty);
	assert_int_equal(g->count, 0);
	assert_int_equal(g->pci_count, -1);
	assert_int_equal(g->proc_count, -1);
	assert_false(g->module_loaded);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Hostile and half-read files: never a crash, never a wrong number. */
static void odd_files_are_survived(void **state)
{
	struct facts_gpus *g = &shared->gpus;
	char path[512], cmd[512];
	struct roots odd;

	(void)state;
	snprintf(cmd, sizeof(cmd),
		 "mkdir -p %s/odd/proc/driver/nvidia/gpus/"
		 "0000:01:00.0 %s/odd/proc/driver/nvidia/gpus/nonsense "
		 "%s/odd/sys/bus/pci/devices/0000:02:00.0",
		 dir, dir, dir);
	assert_int_equal(system(cmd), 0);
	snprintf(path, sizeof(path),
		 "%s/odd/proc/driver/nvidia/gpus/"
		 "0000:01:00.0/information",
		 dir);
	write_file(path, "Model: \t evil\x1b[2J\nGPU UUID: \t GPU-????????\n"
			 "Video BIOS: ??.??\nDevice Minor: x\nDevice Minor\n");
	snprintf(path, sizeof(path), "%s/odd/proc/driver/nvidia/version", dir);
	write_file(path, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  "
			 "535.104.05  Sat\nGCC version: 12.2.0\n");
	snprintf(path, sizeof(path), "%s/odd", dir);
	assert_int_equal(roots_open(&odd, path, NULL), 0);
	facts_gpu_inventory(&odd, g);
	roots_close(&odd);
	assert_int_equal(g->count, 1);
	assert_int_equal(g->pci_count, 0);
	assert_string_equal(g->gpu[0].name, "evil?[2J");
	assert_string_equal(g->gpu[0].uuid, "");
	assert_string_equal(g->gpu[0].vbios, "");
	assert_int_equal(g->gpu[0].minor, -1);
	assert_string_equal(g->kernel_driver, "535.104.05");
}

static void bus_ids_have_many_forms(void **state)
{
	char out[24];

	(void)state;
	assert_int_equal(facts_gpu_bus_id("00000000:1B:00.0", out, 24), 0);
	assert_string_equal(out, "0000:1b:00.0");
	assert_int_equal(facts_gpu_bus_id("0000:1b:00", out, 24), 0);
	assert_string_equal(out, "0000:1b:00.0");
	assert_int_equal(facts_gpu_bus_id("0009:01:00.1", out, 24), 0);
	assert_string_equal(out, "0009:01:00.1");
	assert_int_equal(facts_gpu_bus_id("00010000:01:00.0", out, 24), 0);
	assert_string_equal(out, "10000:01:00.0");
	assert_int_equal(facts_gpu_bus_id("", out, 24), -1);
	assert_int_equal(facts_gpu_bus_id("nonsense", out, 24), -1);
	assert_int_equal(facts_gpu_bus_id("0000:1b:00x", out, 24), -1);
}

/* ---- the driver ---------------------------------------------------------- */

static void healthy_gpus_tell_everything(void **state)
{
	struct facts_gpus *g;
	struct gpu *x;
	int i;

	(void)state;
	scenario(-1, "", "");
	g = gather();
	assert_int_equal(g->init_rc, 0);
	assert_int_equal(g->nvml_count, 8);
	assert_string_equal(g->driver, "580.95.05");
	assert_int_equal(g->count, 8);
	for (i = 0; i < GPUS; i++) {
		assert_int_equal(shared->emits[i], 1);
		assert_true(g->gpu[i].asked && g->gpu[i].answered);
		assert_true(g->gpu[i].in_nvml);
	}
	x = &g->gpu[7];
	assert_string_equal(x->uuid, "GPU-7");
	known(x->recovery, 0);
	known(x->remap_failure, 0);
	known(x->bank_max, 2560);
	known(x->ecc_mode, 1);
	known(x->ecc_unc_volatile, 0);
	known(x->sram_threshold, 0);
	known(x->pcie_width, 16);
	known(x->pcie_gen_max, 5);
	known(x->pcie_replay, 0);
	known(x->throttle, 1);
	known(x->throttle_again, 1);
	known(x->temp, 33);
	known(x->temp_again, 33);
	known(x->temp_margin, 54);
	known(x->temp_mem, 41);
	known(x->power_limit_mw, 700000);
	known(x->power_default_mw, 700000);
	known(x->power_min_mw, 200000);
	known(x->persistence, 1);
	known(x->mig_mode, 0);
	known(x->mem_total, 81559LL << 20);
	known(x->sm_clock_max, 1980);
	known(x->cc_major, 9);
	known(x->nvlink_count, 18);
	known(x->nvlink_crc, 0);
	known(x->link_state[0], 1);
	known(x->link_state[17], 1);
	known(x->fabric_state, 3);
	known(x->fabric_summary, 0);
	assert_string_equal(x->fabric_uuid, "");
	assert_int_equal(x->proc_count, 0);
	assert_int_equal(x->retired_sbe.rc, NVML_RC_NOT_SUPPORTED);
	assert_string_equal(shared->progress.call, "");
	assert_true(shared->progress.calls > 8 * 30);
	assert_true(shared->took_ms < 1000);
}

static void faults_come_through(void **state)
{
	struct gpu *x;

	(void)state;
	scenario(5,
		 "\"GetRemappedRows\": {\"uncRows\": 8, \"failureOccurred\": "
		 "1}, \"GetFieldValues\": {\"230\": 2, \"161:3\": 40, "
		 "\"161:4\": 2, \"94\": 7}, \"GetNvLinkState\": {\"7\": 0}, "
		 "\"GetCurrPcieLinkWidth\": 8, \"GetSramEccErrorStatus\": "
		 "{\"bThresholdExceeded\": 1, \"aggregateUncSecDed\": 3}, "
		 "\"GetGpuFabricInfoV\": {\"clusterUuid\": "
		 "\"ab00000000000000000000000000cd01\", \"cliqueId\": 4, "
		 "\"healthMask\": 21}",
		 "");
	x = &gather()->gpu[5];
	known(x->remap_unc, 8);
	known(x->remap_failure, 1);
	known(x->recovery, 2);
	known(x->nvlink_replay, 42);
	known(x->pcie_replay, 7);
	known(x->link_state[7], 0);
	known(x->link_state[8], 1);
	known(x->pcie_width, 8);
	known(x->sram_threshold, 1);
	known(x->sram_unc_secded, 3);
	known(x->fabric_clique, 4);
	known(x->fabric_health, 21);
	assert_string_equal(x->fabric_uuid, "ab00000000000000000000000000cd01");
	known(shared->gpus.gpu[4].remap_unc, 0);
}

static void errors_stay_errors(void **state)
{
	struct gpu *x;

	(void)state;
	scenario(1,
		 "\"GetSramEccErrorStatus\": {\"rc\": 4}, "
		 "\"GetTemperature\": {\"rc\": 999}, \"GetFieldValues\": "
		 "{\"230\": {\"rc\": 2}}, \"GetRowRemapperHistogram\": null",
		 "");
	x = &gather()->gpu[1];
	assert_int_equal(x->sram_threshold.rc, NVML_RC_NO_PERMISSION);
	assert_int_equal(x->temp.rc, 999);
	assert_int_equal(x->temp_again.rc, 999);
	assert_int_equal(x->recovery.rc, NVML_RC_NOT_SUPPORTED);
	assert_int_equal(x->bank_max.rc, NVML_RC_NOT_SUPPORTED);
	assert_int_equal(x->bank_max.v, 0);
	assert_true(x->answered);
}

/* All ones: the driver has no such number, and says so as a number. */
static void all_ones_are_no_number(void **state)
{
	struct gpu *x;

	(void)state;
	scenario(1,
		 "\"GetTotalEnergyConsumption\": -1, "
		 "\"GetCurrentClocksEventReasons\": -1, "
		 "\"GetPowerUsage\": 4294967295, "
		 "\"GetTemperature\": {\"0\": -1}, "
		 "\"GetMemoryInfo_v2\": {\"total\": -1, \"used\": 5}, "
		 "\"GetFieldValues\": {\"3\": -1, \"74\": -1, \"4\": 7, \"94\": -1}",
		 "");
	x = &gather()->gpu[1];
	assert_int_equal(x->energy_mj.rc, NVML_RC_NO_DATA);
	assert_int_equal(x->power_mw.rc, NVML_RC_NO_DATA);
	assert_int_equal(x->temp.rc, NVML_RC_NO_DATA);
	assert_int_equal(x->pcie_replay.rc, NVML_RC_NO_DATA);
	assert_int_equal(x->throttle.rc, NVML_RC_NO_DATA);
	assert_int_equal(x->mem_total.rc, NVML_RC_NO_DATA);
	assert_int_equal(x->ecc_corr_volatile.rc, NVML_RC_NO_DATA);
	assert_int_equal(x->held_power_ns.rc, NVML_RC_NO_DATA);
	assert_int_equal(x->mem_used.v, 5);
	assert_true(VAL_KNOWN(x->mem_used));
	assert_int_equal(x->ecc_unc_volatile.v, 7);
	assert_true(VAL_KNOWN(x->ecc_unc_volatile));
}

static void an_older_library_costs_only_what_it_lacks(void **state)
{
	struct gpu *x;

	(void)state;
	scenario(-1, "",
		 "\"missing_symbols\": [\"nvmlDeviceGetFieldValues\", "
		 "\"nvmlDeviceGetCurrentClocksEventReasons\", "
		 "\"nvmlInitWithFlags\"], ");
	x = &gather()->gpu[0];
	assert_int_equal(x->recovery.rc, VAL_NO_SYMBOL);
	assert_int_equal(x->nvlink_replay.rc, VAL_NO_SYMBOL);
	known(x->remap_failure, 0);
	known(x->throttle, 1);	     /* by its old name */
	known(x->link_state[17], 1); /* by its own call */
	scenario(-1, "",
		 "\"missing_symbols\": [\"nvmlDeviceGetRemappedRows\"]"
		 ", ");
	x = &gather()->gpu[0];
	known(x->remap_failure, 0); /* as a field */
}

static void a_missing_library_is_a_fact(void **state)
{
	struct facts_gpus *g;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/no/libnvidia-ml.so.1", dir);
	g = gather_with(path, 20);
	assert_true(g->no_library);
	assert_non_null(strstr(g->library_error, "libnvidia-ml.so.1"));
	assert_int_equal(g->init_rc, VAL_UNASKED);
	scenario(-1, "",
		 "\"missing_symbols\": [\"nvmlDeviceGetCount_v2\", "
		 "\"nvmlDeviceGetPciInfo_v3\"], ");
	g = gather();
	assert_false(g->no_library);
	assert_int_equal(g->missing_required, 2);
	assert_non_null(strstr(g->library_error, "nvmlDeviceGetCount_v2"));
	assert_non_null(strstr(g->library_error, "nvmlDeviceGetPciInfo_v3"));
}

static void a_refusing_driver_is_a_fact(void **state)
{
	struct facts_gpus *g;

	(void)state;
	scenario(-1, "", "\"Init_v2\": {\"rc\": 18}, ");
	g = gather();
	assert_int_equal(g->init_rc, NVML_RC_VERSION_MISMATCH);
	assert_int_equal(g->nvml_count, -1);
	assert_false(g->gpu[0].asked);
	scenario(-1, "",
		 "\"GetHandleByPciBusId_v2\": {\"00000000:4E:00.0\": "
		 "{\"rc\": 15}}, ");
	scenario(3, "\"GetPciInfo_v3\": {\"busId\": \"00000000:4E:00.0\"}",
		 "\"GetHandleByPciBusId_v2\": {\"00000000:4E:00.0\": "
		 "{\"rc\": 15}}, ");
	g = gather();
	assert_int_equal(g->gpu[3].handle_rc, NVML_RC_GPU_IS_LOST);
	assert_true(g->gpu[3].asked && g->gpu[3].answered);
	assert_int_equal(g->gpu[3].recovery.rc, VAL_UNASKED);
	known(g->gpu[4].recovery, 0);
}

/* ---- GPUs that one side does not know ------------------------------------- */

static void nvml_may_know_more(void **state)
{
	struct facts_gpus *g;

	(void)state;
	scenario(0, "\"GetPciInfo_v3\": {\"busId\": \"00000000:A0:00.0\"}", "");
	g = gather();
	assert_int_equal(g->count, 9);
	assert_int_equal(g->gpu[0].handle_rc, NVML_RC_NOT_FOUND);
	assert_false(g->gpu[0].in_nvml);
	assert_string_equal(g->gpu[8].bus_id, "0000:a0:00.0");
	assert_true(g->gpu[8].in_nvml && !g->gpu[8].in_pci);
	assert_int_equal(g->gpu[8].index, 5); /* between 9a and ab */
	assert_int_equal(g->gpu[5].index, 6);
	known(g->gpu[8].recovery, 0);
}

static void a_lost_name_is_charged_to_the_one_not_found(void **state)
{
	struct facts_gpus *g;

	(void)state;
	scenario(2, "\"GetPciInfo_v3\": {\"rc\": 15}", "");
	g = gather();
	assert_int_equal(g->count, 8);
	assert_int_equal(g->gpu[2].handle_rc, NVML_RC_GPU_IS_LOST);
}

static void a_skipped_gpu_is_not_touched(void **state)
{
	struct facts_gpus *g;

	(void)state;
	scenario(2,
		 "\"GetPciInfo_v3\": {\"hang_ms\": -1}, \"GetName\": "
		 "{\"hang_ms\": -1}",
		 "");
	skip[2] = true;
	g = gather();
	skip[2] = false;
	assert_int_equal(g->count, 8);
	assert_false(g->gpu[2].asked);
	assert_int_equal(shared->emits[2], 0);
	assert_int_equal(shared->emits[7], 1);
}

/* ---- hanging --------------------------------------------------------------- */

static void wait_for_call(const char *call, int gpu)
{
	int i;

	for (i = 0; i < 500; i++) {
		if (shared->progress.gpu == gpu &&
		    strcmp(shared->progress.call, call) == 0)
			break;
		clock_sleep_ms(10);
	}
	assert_string_equal(shared->progress.call, call);
	assert_int_equal(shared->progress.gpu, gpu);
}

static void a_hanging_call_is_named(void **state)
{
	pid_t pid;

	(void)state;
	scenario(3, "\"GetSramEccErrorStatus\": {\"hang_ms\": -1}", "");
	pid = start(library, 20);
	wait_for_call("nvmlDeviceGetSramEccErrorStatus", 3);
	assert_int_equal(shared->emits[2], 1);
	assert_int_equal(shared->emits[3], 0);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	scenario(-1, "", "\"Init_v2\": {\"hang_ms\": -1}, ");
	pid = start(library, 20);
	wait_for_call("nvmlInitWithFlags", -1);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

/* ---- the second look -------------------------------------------------------- */

static void a_flash_of_throttling_is_looked_at_twice(void **state)
{
	struct gpu *x;

	(void)state;
	scenario(4,
		 "\"GetCurrentClocksEventReasons\": {\"seq\": [72, 1]}, "
		 "\"GetTemperature\": {\"0\": {\"seq\": [88, 60]}}",
		 "");
	x = &gather_with(library, 150)->gpu[4];
	known(x->throttle, 72);
	known(x->throttle_again, 1);
	known(x->temp, 88);
	known(x->temp_again, 60);
	assert_int_equal(shared->emits[4], 2);
	assert_int_equal(shared->emits[3], 1);
	assert_true(shared->took_ms >= 150);
}

static void nothing_odd_means_no_waiting(void **state)
{
	(void)state;
	scenario(4, "\"GetCurrentClocksEventReasons\": 4", "");
	gather_with(library, 5000);
	assert_true(shared->took_ms < 4000);
	known(shared->gpus.gpu[4].throttle_again, 4);
}

static void who_stays_is_left_over(void **state)
{
	struct gpu *x;

	(void)state;
	scenario(6,
		 "\"GetComputeRunningProcesses_v3\": {\"seq\": "
		 "[[{\"pid\": 1, \"usedGpuMemory\": 500}, {\"pid\": 77}], "
		 "[{\"pid\": 77}]]}",
		 "");
	x = &gather()->gpu[6];
	assert_true(x->procs_again);
	assert_int_equal(x->proc_count, 1);
	assert_int_equal(x->proc[0].pid, 77);
	assert_int_equal(x->proc[0].mem_bytes, -1);
	scenario(6,
		 "\"GetComputeRunningProcesses_v3\": {\"seq\": "
		 "[[{\"pid\": 1, \"usedGpuMemory\": 500}], []]}",
		 "");
	x = &gather()->gpu[6];
	assert_false(x->procs_again);
	assert_int_equal(x->proc_count, 1);
	assert_int_equal(x->proc[0].mem_bytes, 500);
	assert_string_equal(x->proc[0].comm, "systemd");
}

static int set_up(void **state)
{
	const char *build = getenv("BUILD"), *src = getenv("SRCDIR");
	char path[512];
	int i;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_facts_gpu.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/seq.d", dir);
	mkdir(path, 0700);
	snprintf(library, sizeof(library),
		 "%s/tests/fake/.libs/libnvidia-ml.so.1", build ? build : ".");
	snprintf(path, sizeof(path), "%s/tests/fixtures/roots/h100x8",
		 src ? src : ".");
	for (i = 0; i < FACTS_GPUS_MAX; i++)
		skip[i] = false;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? -1 : roots_open(&root, path, NULL);
}

static int tear_down(void **state)
{
	char cmd[128];

	(void)state;
	roots_close(&root);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inventory_reads_files),
		cmocka_unit_test(no_gpu_is_no_error),
		cmocka_unit_test(odd_files_are_survived),
		cmocka_unit_test(bus_ids_have_many_forms),
		cmocka_unit_test(healthy_gpus_tell_everything),
		cmocka_unit_test(faults_come_through),
		cmocka_unit_test(errors_stay_errors),
		cmocka_unit_test(all_ones_are_no_number),
		cmocka_unit_test(an_older_library_costs_only_what_it_lacks),
		cmocka_unit_test(a_missing_library_is_a_fact),
		cmocka_unit_test(a_refusing_driver_is_a_fact),
		cmocka_unit_test(nvml_may_know_more),
		cmocka_unit_test(a_lost_name_is_charged_to_the_one_not_found),
		cmocka_unit_test(a_skipped_gpu_is_not_touched),
		cmocka_unit_test(a_hanging_call_is_named),
		cmocka_unit_test(a_flash_of_throttling_is_looked_at_twice),
		cmocka_unit_test(nothing_odd_means_no_waiting),
		cmocka_unit_test(who_stays_is_left_over),
	};

	return cmocka_run_group_tests_name("facts_gpu", tests, set_up, tear_down);
}
