/* SPDX-License-Identifier: Apache-2.0
 * The deep tier's probes of single GPUs, by a crew, against the stand-in for
 * libcuda. */
#include "config.h"
#include "tests/unit/crews_deep.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "lib/clock.h"
#include "lib/cuda.h"

#define SMS 132

/* Kernel probes need a build with nvcc. */
static void need_kernels(void)
{
	if (!kernels_fatbin)
		skip();
}

/* ---- sdc --------------------------------------------------------------------- */

static const struct probe_digests *sdc(int gpu, enum probe_path p)
{
	return &out.gpu[gpu].sdc[p][0];
}

static void all_sms_agree_on_all_paths(void **state)
{
	int p, i, sm;

	(void)state;
	need_kernels();
	only(PROBE_sdc, PROBE_sdc);
	run(0);
	for (p = 0; p < PROBE_PATH_COUNT; p++)
		for (i = 0; i < GPUS; i++) {
			assert_int_equal(sdc(i, p)->seen, SMS);
			for (sm = 0; sm < SMS; sm++)
				assert_true(sdc(i, p)->digest[sm] ==
					    sdc(0, p)->digest[0]);
		}
	assert_int_equal(shot(0, PROBE_sdc, 0)->end, PROBE_DONE);
	assert_false(shot(0, PROBE_sdc, 0)->partial);
	assert_true(shot(0, PROBE_sdc, 0)->figure[0] == 7.0 * SMS);
	assert_true(shot(0, PROBE_sdc, 0)->figure[1] == 0);
	/* Each path does something of its own. */
	for (p = 1; p < PROBE_PATH_COUNT; p++)
		assert_true(sdc(0, p)->digest[0] != sdc(0, p - 1)->digest[0]);
}

static void a_wrong_sm_is_wrong_on_its_path(void **state)
{
	int p;

	(void)state;
	need_kernels();
	scenario("\"corrupt\": {\"kernel\": \"sdc\", \"path\": 2, \"sm\": 17, "
		 "\"flip_bit\": 12}");
	only(PROBE_sdc, PROBE_sdc);
	run(0);
	for (p = 0; p < PROBE_PATH_COUNT; p++)
		assert_int_equal(sdc(1, p)->digest[17] ==
					 sdc(0, p)->digest[17],
				 p != PROBE_PATH_fp64);
	assert_true(sdc(1, PROBE_PATH_fp64)->digest[16] ==
		    sdc(0, PROBE_PATH_fp64)->digest[16]);
	assert_true(shot(1, PROBE_sdc, 0)->figure[1] == 1);
	assert_true(shot(0, PROBE_sdc, 0)->figure[1] == 0);
}

static void what_a_gpu_has_not_is_left_out(void **state)
{
	(void)state;
	need_kernels();
	scenario("\"DeviceGetAttribute\": {\"75\": 8, \"76\": 0}");
	only(PROBE_sdc, PROBE_sdc);
	run(0);
	assert_int_equal(sdc(1, PROBE_PATH_fp8)->seen, 0);
	assert_int_equal(sdc(1, PROBE_PATH_bf16)->seen, SMS);
	assert_int_equal(shot(1, PROBE_sdc, 0)->end, PROBE_DONE);
	assert_true(shot(1, PROBE_sdc, 0)->figure[0] == 6.0 * SMS);
}

static void without_time_it_is_left(void **state)
{
	(void)state;
	plan.budget_ms = 2500;
	only(PROBE_sdc, PROBE_storage);
	run(0);
	assert_int_equal(shot(0, PROBE_sdc, 0)->end, PROBE_NONE);
	assert_string_equal(shot(0, PROBE_sdc, 0)->why, "no time left");
}

/* ---- pattern ----------------------------------------------------------------- */

#define MEMORY_GIB (84.0 / 1024)	/* 90% of 96 MiB in whole chunks of 4 */

static void good_memory_is_gone_through(void **state)
{
	const struct probe_shot *s = shot(2, PROBE_pattern, 0);

	(void)state;
	need_kernels();
	only(PROBE_pattern, PROBE_pattern);
	run(0);
	assert_int_equal(s->end, PROBE_DONE);
	NEAR(s->figure[0], MEMORY_GIB);
	assert_true(s->figure[1] == 0);
	NEAR(s->figure[2], 2902.0);
	assert_false(s->partial);
	assert_true(out.gpu[2].bad[0].words == 0);
	assert_true(out.gpu[2].bad[0].next == 0);
	assert_int_equal(out.gpu[2].left_mib, 0);
}

static void a_bad_cell_is_read_twice(void **state)
{
	const struct probe_bad *bad = &out.gpu[1].bad[0];

	(void)state;
	need_kernels();
	scenario("\"corrupt\": {\"kernel\": \"fill\", \"flip_bit\": 4711}");
	only(PROBE_pattern, PROBE_pattern);
	run(0);
	assert_int_equal(shot(1, PROBE_pattern, 0)->end, PROBE_DONE);
	/* In 21 chunks, as it was written and inverted. */
	assert_true(bad->words == 42);
	assert_true(bad->again == 42);
	assert_true(shot(1, PROBE_pattern, 0)->figure[1] == 42);
	assert_true(bad->at == 4711 / 128 * 16);
	assert_true((bad->want ^ bad->got) == 1u << 4711 % 32);
	assert_true(shot(0, PROBE_pattern, 0)->figure[1] == 0);
}

static void a_bad_read_is_bad_once(void **state)
{
	const struct probe_bad *bad = &out.gpu[1].bad[0];

	(void)state;
	need_kernels();
	/* Before each look: the second one sets it right again. */
	scenario("\"corrupt\": {\"kernel\": \"check\", \"flip_bit\": 3}");
	only(PROBE_pattern, PROBE_pattern);
	run(0);
	assert_true(bad->words == 42);
	assert_true(bad->again == 0);
	assert_true(bad->at == 0);
	assert_true((bad->want ^ bad->got) == 1u << 3);
	assert_true(shot(1, PROBE_pattern, 0)->figure[1] == 0);
}

/* Wrong twice, but never the same word. */
static void bad_reads_of_two_words_are_no_bad_cell(void **state)
{
	const struct probe_bad *bad = &out.gpu[1].bad[0];

	(void)state;
	need_kernels();
	scenario("\"corrupt\": {\"seq\": ["
		 "{\"kernel\": \"check\", \"flip_bit\": 3}, "
		 "[{\"kernel\": \"check\", \"flip_bit\": 3}, "
		 "{\"kernel\": \"check\", \"flip_bit\": 999}], "
		 "{\"kernel\": \"check\", \"flip_bit\": 999}, "
		 "{\"kernel\": \"none\"}]}");
	only(PROBE_pattern, PROBE_pattern);
	run(0);
	assert_int_equal(shot(1, PROBE_pattern, 0)->end, PROBE_DONE);
	assert_true(bad->words == 1);
	assert_true(bad->again == 0);
	assert_true(bad->at == 0);
	assert_true((bad->want ^ bad->got) == 1u << 3);
}

static void it_goes_on_where_it_stopped(void **state)
{
	(void)state;
	need_kernels();
	plan.pattern_from[1] = 11.0 / 21;
	only(PROBE_pattern, PROBE_pattern);
	run(0);
	NEAR(shot(1, PROBE_pattern, 0)->figure[0], MEMORY_GIB * 10 / 21);
	NEAR(shot(0, PROBE_pattern, 0)->figure[0], MEMORY_GIB);
	assert_false(shot(1, PROBE_pattern, 0)->partial);
	assert_true(out.gpu[1].bad[0].next == 0);
}

static void it_stops_when_time_is_up(void **state)
{
	(void)state;
	need_kernels();
	scenario("\"LaunchKernel\": {\"hang_ms\": 200, \"value\": 0}");
	plan.budget_ms = 6000;
	only(PROBE_pattern, PROBE_pattern);
	run(0);
	assert_int_equal(shot(1, PROBE_pattern, 0)->end, PROBE_DONE);
	assert_true(shot(1, PROBE_pattern, 0)->partial);
	assert_true(out.gpu[1].bad[0].next > 0 && out.gpu[1].bad[0].next < 1);
	NEAR(shot(1, PROBE_pattern, 0)->figure[0],
	     MEMORY_GIB * out.gpu[1].bad[0].next);
	assert_int_equal(out.gpu[1].left_mib, 0);
}

/* ---- gemm_peak --------------------------------------------------------------- */

static void a_library_multiplies(void **state)
{
	(void)state;
	scenario_with("\"peak_tflops\": 690", ", \"cublaslt\": {}");
	only(PROBE_gemm_peak, PROBE_gemm_peak);
	run(0);
	assert_int_equal(shot(1, PROBE_gemm_peak, 0)->end, PROBE_DONE);
	NEAR(shot(1, PROBE_gemm_peak, 0)->figure[0], 690.0);
	NEAR(shot(2, PROBE_gemm_peak, 0)->figure[0], 600.0);
	assert_int_equal(out.gpu[1].left_mib, 0);
}

static void a_library_in_trouble_is_no_fault(void **state)
{
	(void)state;
	scenario_with("", ", \"cublaslt\": {\"Matmul\": {\"rc\": 13}}");
	only(PROBE_gemm_peak, PROBE_gemm_peak);
	run(0);
	assert_int_equal(shot(1, PROBE_gemm_peak, 0)->end, PROBE_UNABLE);
	assert_string_equal(shot(1, PROBE_gemm_peak, 0)->why,
			    "cublasLt matmul: cuBLAS error 13");
	assert_int_equal(out.gpu[1].left_mib, 0);
}

/* ---- sustain ----------------------------------------------------------------- */

static void a_steady_gpu_ends_as_it_began(void **state)
{
	const struct probe_shot *s = shot(0, PROBE_sustain, 0);
	const struct probe_trace *t = &out.gpu[0].trace;

	(void)state;
	need_kernels();
	only(PROBE_sustain, PROBE_sustain);
	run(0);
	assert_int_equal(s->end, PROBE_DONE);
	assert_false(s->partial);
	NEAR(s->figure[0], 600.0);
	NEAR(s->figure[1], 600.0);
	assert_true(s->figure[2] >= 2 && s->figure[2] < 2.1);
	assert_true(t->count >= 7 && t->count <= 8);
	NEAR(t->sample[3].tflops, 600.0);
	assert_int_equal(t->sample[3].sm_mhz, 345);
	assert_true(t->sample[3].at_s > t->sample[2].at_s);
}

/* 40 groups of launches at full rate, then less. */
static void a_gpu_that_falls_off_is_seen(void **state)
{
	const struct probe_shot *s = shot(1, PROBE_sustain, 0);
	char more[400] = "\"gemm_tflops\": {\"seq\": [";
	int i;

	(void)state;
	need_kernels();
	for (i = 0; i < 40; i++)
		strcat(more, "600, ");
	strcat(more, "400]}");
	scenario(more);
	only(PROBE_sustain, PROBE_sustain);
	run(0);
	NEAR(s->figure[0], 600.0);
	NEAR(s->figure[1], 400.0);
	NEAR(shot(0, PROBE_sustain, 0)->figure[1], 600.0);
}

static void a_long_trace_is_thinned_out(void **state)
{
	const struct probe_trace *t = &out.gpu[1].trace;

	(void)state;
	need_kernels();
	scenario("\"gemm_tflops\": 60");	/* two groups make a sample */
	plan.chosen[0] = plan.chosen[2] = false;
	plan.sustain_s = 48;
	only(PROBE_sustain, PROBE_sustain);
	run(0);
	NEAR(shot(1, PROBE_sustain, 0)->figure[1], 60.0);
	assert_true(t->count >= 64 && t->count < PROBE_TRACE_MAX);
	assert_true(t->sample[0].at_s > 0.5 && t->sample[0].at_s < 0.7);
	assert_true(t->sample[t->count - 1].at_s > 47);
}

/* How often a stopped load has been asked about. */
static int asked;

static bool soon(void *arg)
{
	(void)arg;
	return ++asked > 20;
}

static void a_job_ends_the_load(void **state)
{
	int64_t began = clock_mono_ms();

	(void)state;
	need_kernels();
	/* Each wait takes as long as on a real GPU: 20 s would pass. */
	scenario("\"EventQuery\": {\"hang_ms\": 30, \"value\": 0}");
	plan.sustain_s = 20;
	plan.chosen[0] = plan.chosen[2] = false;
	asked = 0;
	plan.cancelled = soon;
	only(PROBE_sustain, PROBE_sustain);
	run(-1);
	assert_false(out.ran);
	assert_int_equal(plan.stuck_count, 0);
	assert_true(clock_mono_ms() - began < 10000);
}

/* What the workers hold open is closed when the last of them has gone. */
static void nobody_goes_on_alone(void **state)
{
	struct pollfd end = { .events = POLLIN };
	int fds[2], status;
	pid_t pid;
	char c;

	(void)state;
	need_kernels();
	scenario("\"EventQuery\": {\"hang_ms\": 30, \"value\": 0}");
	plan.sustain_s = 600;
	plan.budget_ms = 700000;
	only(PROBE_sustain, PROBE_nccl);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[0]);
		crew_run(&plan, &out);
		_exit(0);
	}
	close(fds[1]);
	clock_sleep_ms(500);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	end.fd = fds[0];
	assert_int_equal(poll(&end, 1, 20000), 1);
	assert_int_equal(read(fds[0], &c, 1), 0);
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		D(all_sms_agree_on_all_paths),
		D(a_wrong_sm_is_wrong_on_its_path),
		D(what_a_gpu_has_not_is_left_out),
		D(without_time_it_is_left),
		D(good_memory_is_gone_through),
		D(a_bad_cell_is_read_twice),
		D(a_bad_read_is_bad_once),
		D(bad_reads_of_two_words_are_no_bad_cell),
		D(it_goes_on_where_it_stopped),
		D(it_stops_when_time_is_up),
		D(a_library_multiplies),
		D(a_library_in_trouble_is_no_fault),
		D(a_steady_gpu_ends_as_it_began),
		D(a_gpu_that_falls_off_is_seen),
		D(a_long_trace_is_thinned_out),
		D(a_job_ends_the_load),
		D(nobody_goes_on_alone),
	};

	return cmocka_run_group_tests_name("crew_deep", tests, NULL, NULL);
}
