/* SPDX-License-Identifier: Apache-2.0
 * The crew against the stand-in for libcuda: three GPUs that answer from a
 * scenario. */
#include "config.h"
#include "tests/unit/crews.h"

#include <signal.h>
#include <sys/wait.h>

#include "lib/clock.h"
#include "lib/spawn.h"

static void all_is_measured(void **state)
{
	int i;

	(void)state;
	run(0);
	assert_true(out.ran);
	for (i = 0; i < GPUS; i++) {
		assert_true(out.gpu[i].chosen);
		assert_string_equal(out.gpu[i].uuid, gpus.gpu[i].uuid);
		assert_int_equal(out.gpu[i].sms, 132);
		assert_int_equal(out.gpu[i].cc, 90);
		NEAR(out.gpu[i].hbm_peak_gbps, 3352.3);
		assert_int_equal(out.gpu[i].left_mib, 0);
		assert_int_equal(shot(i, PROBE_context, 0)->end, PROBE_DONE);
		assert_int_equal(shot(i, PROBE_pcie_bw, 0)->end, PROBE_DONE);
		NEAR(shot(i, PROBE_pcie_bw, 0)->figure[0], 52.0 + i);
		NEAR(shot(i, PROBE_pcie_bw, 0)->figure[1], 50.0);
		assert_kernels(i, PROBE_membw, 2900.0 + i);
		assert_kernels(i, PROBE_gemm, 600.0);
		assert_int_equal(shot(i, PROBE_pcie_bw, 1)->end, PROBE_NONE);
	}
	assert_int_equal(plan.stuck_count, 0);
}

static void pairs_are_measured(void **state)
{
	int i, k;

	(void)state;
	run(0);
	for (i = 0; i < GPUS; i++) {
		assert_int_equal(shot(i, PROBE_peer, 0)->end, PROBE_DONE);
		for (k = 0; k < GPUS; k++) {
			if (i == k) {
				assert_true(isnan(out.pairs.gbps[0][i][k]));
				continue;
			}
			NEAR(out.pairs.gbps[0][i][k], 370.0 + 10 * k);
			assert_false(out.pairs.no_access[i][k]);
			assert_false(out.pairs.corrupt[0][i][k]);
		}
	}
	NEAR(shot(2, PROBE_peer, 0)->figure[0], 370.0);
}

static void others_are_seen_on_every_probe(void **state)
{
	(void)state;
	nvml_more = "\"GetComputeRunningProcesses_v3\": "
		    "[{\"pid\": 1, \"usedGpuMemory\": 4096}]";
	scenario("");
	run(0);
	assert_int_equal(shot(1, PROBE_pcie_bw, 0)->cond.others, 1);
	assert_int_equal(shot(1, PROBE_peer, 0)->cond.others, 1);
	assert_int_equal(shot(0, PROBE_peer, 0)->cond.others, 0);
}

static void conditions_come_along(void **state)
{
	const struct probe_conditions *c = &shot(0, PROBE_pcie_bw, 0)->cond;

	(void)state;
	run(0);
	assert_true(c->samples > 0);
	assert_int_equal(c->sm_mhz, 345);
	assert_int_equal(c->sm_mhz_max, 1980);
	assert_int_equal(c->numa_wanted, -1);	/* not this machine's root */
}

static void a_hung_gpu_costs_itself_only(void **state)
{
	int64_t began = clock_mono_ms();

	(void)state;
	scenario("\"DevicePrimaryCtxRetain\": {\"hang_ms\": -1}");
	plan.budget_ms = 4000;
	plan.probe[PROBE_peer] = false;
	run(0);
	assert_int_equal(shot(1, PROBE_context, 0)->end, PROBE_TIMEOUT);
	assert_int_equal(out.gpu[1].left_mib, -1);
	assert_int_equal(out.gpu[0].left_mib, 0);
	assert_string_equal(shot(1, PROBE_context, 0)->call,
			    "cuDevicePrimaryCtxRetain");
	assert_int_equal(shot(1, PROBE_pcie_bw, 0)->end, PROBE_NONE);
	assert_int_equal(shot(0, PROBE_pcie_bw, 0)->end, PROBE_DONE);
	assert_int_equal(shot(2, PROBE_pcie_bw, 0)->end, PROBE_DONE);
	assert_true(clock_mono_ms() - began < 4000 + 1000);
}

/* Eight contexts in one process may take a second to go, and no signal gets
 * through meanwhile: nobody is taken for stuck while there is time. */
static void a_slow_leave_is_waited_for(void **state)
{
	(void)state;
	scenario_with("\"DevicePrimaryCtxRelease_v2\": {\"hang_ms\": 1200, "
		      "\"value\": 0}", ", \"deaf\": true");
	plan.probe[PROBE_gemm] = plan.probe[PROBE_membw] = false;
	run(0);
	assert_int_equal(plan.stuck_count, 0);
}

/* Asked to go and left behind, never shot: that has frozen GPUs. */
static void who_is_stuck_is_left_alone(void **state)
{
	int status;

	(void)state;
	scenario_with("\"DevicePrimaryCtxRetain\": {\"hang_ms\": 4000, "
		      "\"value\": 0}", ", \"deaf\": true");
	plan.budget_ms = 2000;
	plan.probe[PROBE_gemm] = plan.probe[PROBE_membw] = false;
	plan.probe[PROBE_peer] = false;
	run(0);
	assert_int_equal(plan.stuck_count, 1);
	assert_int_equal(plan.stuck[0].place, 1);
	assert_string_equal(plan.stuck[0].call, "cuDevicePrimaryCtxRetain");
	assert_int_equal(waitpid(plan.stuck[0].pid, &status, 0),
			 plan.stuck[0].pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* Two workers on such a GPU would shut each other out. */
static void an_exclusive_gpu_has_one_worker(void **state)
{
	(void)state;
	gpus.gpu[2].compute_mode.v = 3;
	plan.probe[PROBE_gemm] = plan.probe[PROBE_membw] = false;
	run(0);
	assert_int_equal(shot(2, PROBE_pcie_bw, 0)->end, PROBE_DONE);
	assert_int_equal(shot(2, PROBE_peer, 0)->end, PROBE_NONE);
	assert_int_equal(shot(0, PROBE_peer, 0)->end, PROBE_NONE);
}

static void a_failing_call_is_named(void **state)
{
	(void)state;
	scenario("\"MemAlloc_v2\": {\"rc\": 2}");
	plan.probe[PROBE_peer] = false;
	run(0);
	assert_int_equal(shot(1, PROBE_pcie_bw, 0)->end, PROBE_FAULT);
	assert_int_equal(shot(1, PROBE_pcie_bw, 0)->rc, 2);
	assert_string_equal(shot(1, PROBE_pcie_bw, 0)->call, "cuMemAlloc_v2");
	assert_int_equal(shot(1, PROBE_gemm, 0)->end, PROBE_NONE);
	assert_non_null(strstr(shot(1, PROBE_gemm, 0)->why, "earlier probe"));
	assert_int_equal(shot(0, PROBE_pcie_bw, 0)->end, PROBE_DONE);
}

static void a_changed_payload_is_seen(void **state)
{
	(void)state;
	scenario("\"corrupt\": {\"kernel\": \"d2h\", \"flip_bit\": 4711}");
	plan.probe[PROBE_peer] = false;
	run(0);
	assert_true(shot(1, PROBE_pcie_bw, 0)->corrupt);
	assert_false(shot(0, PROBE_pcie_bw, 0)->corrupt);
	NEAR(shot(1, PROBE_pcie_bw, 0)->figure[1], 50.0);
}

static void a_payload_changed_between_gpus_is_seen(void **state)
{
	(void)state;
	scenario("\"corrupt\": {\"kernel\": \"p2p\", \"flip_bit\": 17}");
	run(0);
	/* Bit 17 lies at the start; what is compared is the whole buffer of
	 * this small GPU. */
	assert_true(out.pairs.corrupt[0][1][0]);
	assert_true(out.pairs.corrupt[0][1][2]);
	assert_false(out.pairs.corrupt[0][0][1]);
}

static void a_corrupt_sm_differs(void **state)
{
	int i, other = 0;

	(void)state;
	scenario("\"corrupt\": {\"kernel\": \"gemm\", \"sm\": 17, "
		 "\"flip_bit\": 12}");
	run(0);
	if (!kernels_fatbin) {
		assert_int_equal(out.gpu[1].gemm[0].seen, 0);
		return;
	}
	assert_int_equal(out.gpu[1].gemm[0].seen, 132);
	for (i = 0; i < 132; i++)
		other += out.gpu[1].gemm[0].digest[i] !=
			 out.gpu[0].gemm[0].digest[0];
	assert_int_equal(other, 1);
	assert_true(out.gpu[1].gemm[0].digest[17] !=
		    out.gpu[0].gemm[0].digest[17]);
}

static bool doubts_gpu_2(enum probe p, int gpu, void *arg)
{
	(void)arg;
	return p == PROBE_pcie_bw && gpu == 2;
}

static void what_is_doubted_is_repeated(void **state)
{
	(void)state;
	plan.doubts = doubts_gpu_2;
	run(0);
	assert_int_equal(shot(2, PROBE_pcie_bw, 1)->end, PROBE_DONE);
	NEAR(shot(2, PROBE_pcie_bw, 1)->figure[0], 54.0);
	assert_int_equal(shot(1, PROBE_pcie_bw, 1)->end, PROBE_NONE);
	assert_int_equal(shot(2, PROBE_peer, 1)->end, PROBE_NONE);
}

static bool at_once(void *arg)
{
	(void)arg;
	return true;
}

static void a_job_ends_it(void **state)
{
	int64_t began = clock_mono_ms();

	(void)state;
	scenario("\"DevicePrimaryCtxRetain\": {\"hang_ms\": -1}");
	plan.cancelled = at_once;
	run(-1);
	assert_false(out.ran);
	assert_int_equal(plan.stuck_count, 0);
	assert_true(clock_mono_ms() - began < 2000);
}

static void no_time_no_probe(void **state)
{
	(void)state;
	plan.budget_ms = 700;	/* less than gemm may take */
	plan.probe[PROBE_pcie_bw] = plan.probe[PROBE_peer] = false;
	run(0);
	assert_int_equal(shot(0, PROBE_gemm, 0)->end, PROBE_NONE);
	assert_string_equal(shot(0, PROBE_gemm, 0)->why, "no time left");
}

static void no_library_no_probe(void **state)
{
	int i;

	(void)state;
	cuda[strlen(cuda) - 1] = '9';
	run(0);
	for (i = 0; i < GPUS; i++)
		assert_int_equal(shot(i, PROBE_context, 0)->end, PROBE_BROKEN);
	assert_int_equal(shot(0, PROBE_pcie_bw, 0)->end, PROBE_NONE);
}

static void a_worker_that_dies_is_told(void **state)
{
	(void)state;
	plan.chosen[0] = plan.chosen[2] = false;
	plan.probe[PROBE_peer] = false;
	plan.cuda_path = nvml;	/* a library, and the wrong one */
	run(0);
	assert_int_equal(shot(1, PROBE_context, 0)->end, PROBE_BROKEN);
	assert_non_null(strstr(shot(1, PROBE_context, 0)->why, "lacks"));
	assert_false(out.gpu[0].chosen);
}

/* Children of a process, as the kernel lists them. Their number. */
static int children(pid_t pid, pid_t *list, int most)
{
	char path[64];
	FILE *f;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
		 (int)pid);
	f = fopen(path, "re");
	if (!f)
		skip();
	while (n < most && fscanf(f, "%d", &list[n]) == 1)
		n++;
	fclose(f);
	return n;
}

static bool is_there(pid_t pid)
{
	char state = spawn_proc_state(pid);

	return state && state != 'Z' && state != 'X';
}

/* Its own end may be the OOM killer's. One of them hangs and would keep the
 * sockets of the others open. */
static void no_parent_no_crew(void **state)
{
	pid_t list[8], parent;
	int i, n, left = 1;

	(void)state;
	scenario("\"DevicePrimaryCtxRetain\": {\"hang_ms\": -1}");
	parent = fork();
	if (!parent) {
		crew_run(&plan, &out);
		_exit(0);
	}
	clock_sleep_ms(1000);
	n = children(parent, list, 8);
	assert_int_equal(n, GPUS + 1);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	for (i = 0; left && i < 50; i++) {
		clock_sleep_ms(100);
		for (left = 0, n = GPUS; n >= 0; n--)
			left += is_there(list[n]);
	}
	assert_int_equal(left, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(all_is_measured),
		T(pairs_are_measured),
		T(others_are_seen_on_every_probe),
		T(conditions_come_along),
		T(a_hung_gpu_costs_itself_only),
		T(a_slow_leave_is_waited_for),
		T(who_is_stuck_is_left_alone),
		T(an_exclusive_gpu_has_one_worker),
		T(a_failing_call_is_named),
		T(a_changed_payload_is_seen),
		T(a_payload_changed_between_gpus_is_seen),
		T(a_corrupt_sm_differs),
		T(what_is_doubted_is_repeated),
		T(a_job_ends_it),
		T(no_time_no_probe),
		T(no_library_no_probe),
		T(a_worker_that_dies_is_told),
		T(no_parent_no_crew),
	};

	return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
