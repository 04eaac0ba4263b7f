/* SPDX-License-Identifier: Apache-2.0
 * The fake CUDA, rule by rule (tests/fake/README.md): devices, contexts,
 * memory, and what a scenario puts in their place.
 */
#include "config.h"
#include "tests/unit/fake_cuda.h"

#include <time.h>

/* ---- which devices there are ------------------------------------------- */

static void see_no_section(void)
{
	load();
	SAME(cu.init(0), CUDA_RC_NO_DEVICE);
}

static void without_a_section_there_is_no_device(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": []}}", see_no_section);
	play("{\"cuda\": {\"gpus\": []}}", see_no_section);
}

static int count(void)
{
	int n = -1;

	SAME(cu.device_count(&n), 0);
	return n;
}

/* The last byte of the UUID of an ordinal. */
static int uuid(int i)
{
	struct cuda_uuid u;

	SAME(cu.uuid(&u, i), 0);
	SAME(u.bytes[0], 0xa0);
	return u.bytes[15];
}

static void see_all(void)
{
	char text[32];
	int d = -1;

	load();
	SAME(cu.device_count(&d), CUDA_RC_NOT_INITIALIZED);
	SAME(cu.init(0), 0);
	SAME(count(), 2);
	SAME(uuid(0), 0x0a);
	SAME(uuid(1), 0x0b);
	SAME(cu.device(&d, 1), 0);
	SAME(d, 1);
	SAME(cu.device(&d, 2), CUDA_RC_INVALID_DEVICE);
	SAME(cu.bus_id(text, sizeof(text), 1), 0);
	SAME(strcmp(text, "0000:2C:00.0"), 0);
	SAME(cu.bus_id(text, 5, 1), CUDA_RC_INVALID_VALUE);
}

static void see_second_only(void)
{
	load();
	SAME(cu.init(0), 0);
	SAME(count(), 1);
	SAME(uuid(0), 0x0b);
}

static void see_turned(void)
{
	load();
	SAME(cu.init(0), 0);
	SAME(count(), 2);
	SAME(uuid(0), 0x0b);
}

static void see_none(void)
{
	load();
	SAME(cu.init(0), CUDA_RC_NO_DEVICE);
}

static void play_visible(const char *list, void (*body)(void))
{
	setenv("CUDA_VISIBLE_DEVICES", list, 1);
	play(GPUS("", ""), body);
	unsetenv("CUDA_VISIBLE_DEVICES");
}

static void visible_devices_are_chosen_by_uuid(void **state)
{
	(void)state;
	play(GPUS("", ""), see_all);
	play_visible("GPU-a0000001-0000-4000-8000-00000000000b",
		     see_second_only);
	play_visible("GPU-a0000001", see_second_only);
	play_visible("1", see_second_only);
	play_visible("GPU-a0000001,GPU-a0000000", see_turned);
	play_visible("GPU-a0000001,GPU-b,GPU-a0000000", see_second_only);
	play_visible("GPU-b0000000-0000-4000-8000-00000000000a", see_none);
	play_visible("GPU-a", see_none); /* two begin so */
	play_visible("0,0", see_none);
	play_visible("", see_none);
}

static void mig_and_null_are_no_devices(void **state)
{
	(void)state;
	play(NODE_WITH("\"GetMigMode\": {\"currentMode\": 1}, ",
		       "{\"gpus\": [{}, {}]}"),
	     see_second_only);
	play(NODE("{\"gpus\": [null, {}]}"), see_second_only);
}

static void see_attributes(void)
{
	int v;

	start();
	SAME(attribute(CUDA_ATTR_MULTIPROCESSOR_COUNT), 132);
	SAME(attribute(CUDA_ATTR_MEMORY_BUS_WIDTH), 5120);
	SAME(attribute(CUDA_ATTR_MEMORY_CLOCK_RATE), 2619000);
	SAME(attribute(CUDA_ATTR_CC_MAJOR), 9);
	SAME(attribute(CUDA_ATTR_COMPUTE_MODE), 0);
	SAME(attribute(CUDA_ATTR_L2_CACHE_SIZE), 16384);
	SAME(attribute(CUDA_ATTR_SHARED_PER_BLOCK_OPTIN), 232448);
	SAME(attribute(4711), -CUDA_RC_NOT_SUPPORTED);
	SAME(cu.attribute(&v, CUDA_ATTR_MULTIPROCESSOR_COUNT, 1), 0);
	SAME(v, 108);
	SAME(cu.driver_version(&v), 0);
	SAME(v, 13000);
}

static void see_changed_attributes(void)
{
	int v;

	start();
	SAME(attribute(CUDA_ATTR_MULTIPROCESSOR_COUNT), 4);
	SAME(attribute(CUDA_ATTR_MEMORY_BUS_WIDTH), 5120);
	SAME(attribute(CUDA_ATTR_L2_CACHE_SIZE), 1024);
	SAME(cu.driver_version(&v), CUDA_RC_NOT_SUPPORTED);
}

static void attributes_are_those_of_the_template(void **state)
{
	(void)state;
	play(NODE("{\"DriverGetVersion\": 13000, \"gpus\": [{}, {}]}"),
	     see_attributes);
	play(GPUS("\"DeviceGetAttribute\": {\"16\": 4, \"38\": 1024}", ""),
	     see_changed_attributes);
}

/* ---- contexts ----------------------------------------------------------- */

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void see_context(void)
{
	struct cuda_context *c;
	long long t;
	cuda_ptr p;

	load();
	SAME(cu.init(0), 0);
	SAME(cu.mem_alloc(&p, 1), 201); /* no context */
	t = now_ms();
	SAME(cu.retain(&c, 0), 0);
	SAME(now_ms() - t >= 50, 1);
	SAME(cu.set_current(c), 0);
	SAME(cu.retain(&c, 0), 0);
	SAME(cu.mem_alloc(&p, 1), 0);
	SAME(cu.release(0), 0);
	SAME(cu.mem_free(p), 0);
	SAME(cu.mem_alloc(&p, 1), 0);
	SAME(cu.release(0), 0); /* the last: all is gone */
	SAME(cu.release(0), 201);
	SAME(cu.set_current(c), 201);
	use(0);
	SAME(cu.mem_free(p), CUDA_RC_INVALID_VALUE);
}

static void a_context_takes_its_time_and_ends(void **state)
{
	(void)state;
	play(GPUS("\"context_ms\": 50", ""), see_context);
}

static void see_refused(void)
{
	struct cuda_context *c;

	load();
	SAME(cu.init(0), 0);
	SAME(cu.retain(&c, 0), CUDA_RC_DEVICE_UNAVAILABLE);
	SAME(cu.retain(&c, 1), 0);
}

static void see_exclusive_and_free(void)
{
	start();
	SAME(attribute(CUDA_ATTR_COMPUTE_MODE), 3);
}

static void the_compute_mode_is_heeded(void **state)
{
	(void)state;
	play(NODE_WITH("\"GetComputeMode\": 2, ", "{\"gpus\": [{}, {}]}"),
	     see_refused);
	play(NODE_WITH("\"GetComputeMode\": 3, "
		       "\"GetComputeRunningProcesses_v3\": [{\"pid\": 7}], ",
		       "{\"gpus\": [{}, {}]}"),
	     see_refused);
	play(NODE_WITH("\"GetComputeMode\": 3, ", "{\"gpus\": [{}, {}]}"),
	     see_exclusive_and_free);
}

/* ---- memory -------------------------------------------------------------- */

#define MIB (1024 * 1024)

static void see_memory(void)
{
	size_t left, total;
	cuda_ptr p, q;

	start();
	SAME(cu.mem_info(&left, &total), 0);
	SAME(left, 4 * MIB);
	SAME(total, 4 * MIB);
	p = alloc(3 * MIB);
	SAME(cu.mem_info(&left, &total), 0);
	SAME(left, MIB);
	SAME(cu.mem_alloc(&q, MIB + 1), CUDA_RC_OUT_OF_MEMORY);
	SAME(cu.mem_free(p + 1), CUDA_RC_INVALID_VALUE);
	SAME(cu.mem_free(p), 0);
	q = alloc(MIB + 1);
	SAME(cu.mem_free(q), 0);
	SAME(cu.mem_free(q), CUDA_RC_INVALID_VALUE);
}

static void see_memory_of_nvml(void)
{
	size_t left, total;

	start();
	SAME(cu.mem_info(&left, &total), 0);
	SAME(left, 85174779904LL);
	SAME(total, 85520809984LL - 343932928LL);
	alloc(4ULL << 30); /* costs nothing until it is touched */
}

static void memory_is_bounded(void **state)
{
	(void)state;
	play(GPUS("\"mem_mib\": 4", ""), see_memory);
	play(GPUS("", ""), see_memory_of_nvml);
}

static void see_host_memory(void)
{
	static char buffer[4096];

	start();
	SAME(cu.host_register(buffer, 4096, CUDA_HOST_REGISTER_PORTABLE), 0);
	SAME(cu.host_register(buffer + 8, 8, 0), 712);
	SAME(cu.host_unregister(buffer + 8), 713);
	SAME(cu.host_unregister(buffer), 0);
	SAME(cu.host_unregister(buffer), 713);
}

static void host_memory_is_registered_once(void **state)
{
	(void)state;
	play(GPUS("", ""), see_host_memory);
}

/* ---- what a scenario puts in their place --------------------------------- */

static void see_init_fails(void)
{
	int n;

	load();
	SAME(cu.init(0), 803);
	SAME(cu.device_count(&n), CUDA_RC_NOT_INITIALIZED);
}

static void init_answers_as_listed(void **state)
{
	(void)state;
	play(NODE("{\"Init\": {\"rc\": 803}, \"gpus\": [{}, {}]}"),
	     see_init_fails);
	play(GPUS("", "\"Init\": {\"rc\": 803}"), see_init_fails);
	setenv("CUDA_VISIBLE_DEVICES", "GPU-a0000001", 1);
	play(GPUS("\"Init\": {\"hang_ms\": -1}", ""), see_second_only);
	unsetenv("CUDA_VISIBLE_DEVICES");
}

static void see_out_of_memory(void)
{
	cuda_ptr p;

	start();
	SAME(cu.mem_alloc(&p, 1), CUDA_RC_OUT_OF_MEMORY);
	use(1);
	SAME(cu.mem_alloc(&p, 1), 0);
}

static void a_function_has_two_names(void **state)
{
	(void)state;
	play(GPUS("\"MemAlloc\": {\"rc\": 2}", ""), see_out_of_memory);
	play(GPUS("\"MemAlloc_v2\": {\"rc\": 2}", ""), see_out_of_memory);
}

static void see_broken_context(void)
{
	cuda_ptr p;

	start();
	p = alloc(16);
	SAME(cu.stream_query(NULL), CUDA_RC_LAUNCH_FAILED);
	SAME(cu.mem_free(p), CUDA_RC_LAUNCH_FAILED);
	SAME(cu.stream_wait(NULL), CUDA_RC_LAUNCH_FAILED);
	use(1);
	SAME(cu.stream_wait(NULL), 0);
}

static void a_broken_context_stays_broken(void **state)
{
	(void)state;
	play(GPUS("\"CtxSynchronize\": {\"seq\": [{\"rc\": 719}, 0]}", ""),
	     see_broken_context);
}

static void see_endless_work(void)
{
	start();
	SAME(cu.stream_query(NULL), CUDA_RC_NOT_READY);
	SAME(cu.event_query(mark(NULL)), CUDA_RC_NOT_READY);
}

static void see_answered_late(void)
{
	long long t;

	start();
	t = now_ms();
	SAME(cu.stream_wait(NULL), 0);
	SAME(now_ms() - t >= 50, 1);
}

static void endless_work_is_not_ready(void **state)
{
	(void)state;
	play(GPUS("\"CtxSynchronize\": {\"hang_ms\": -1}", ""),
	     see_endless_work);
	play(GPUS("\"StreamSynchronize\": {\"hang_ms\": 50}", ""),
	     see_answered_late);
}

static void see_missing(void)
{
	struct err e;

	SAME(devlibs_cuda_load(&cu, library, &e), -1);
	SAME(cu.missing_required, 1);
	SAME(strstr(e.text, "cuMemAlloc_v2") != NULL, 1);
	SAME(cu.missing_optional, 1);
	SAME(cu.copy_peer == NULL, 1);
}

static void see_whole(void)
{
	load();
	SAME(cu.missing_optional, 0);
}

static void symbols_can_be_missing(void **state)
{
	(void)state;
	play(NODE("{\"missing_symbols\": [\"cuMemAlloc_v2\", "
		  "\"MemcpyPeerAsync\"], \"gpus\": []}"),
	     see_missing);
	play(GPUS("", ""), see_whole);
}

static void see_words(void)
{
	const char *name;

	load();
	SAME(cu.error_name(719, &name), 0);
	SAME(strcmp(name, "CUDA_ERROR_LAUNCH_FAILED"), 0);
	SAME(cu.error_name(4711, &name), CUDA_RC_INVALID_VALUE);
}

static void errors_have_names(void **state)
{
	(void)state;
	play(GPUS("", ""), see_words);
}

static void see_fixture(void)
{
	int yes = 0;

	start();
	SAME(count(), 8);
	SAME(attribute(CUDA_ATTR_MULTIPROCESSOR_COUNT), 132);
	SAME(cu.can_access_peer(&yes, 7, 0), 0);
	SAME(yes, 1);
}

/* What cases and clusters begin with. */
static void the_healthy_node_plays(void **state)
{
	const char *src = getenv("SRCDIR");
	char path[512];

	(void)state;
	snprintf(path, sizeof(path),
		 "%s/tests/fixtures/scenarios/h100x8-active.json",
		 src ? src : ".");
	setenv("ASSAY_SCENARIO", path, 1);
	in_child(see_fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_section_there_is_no_device),
		cmocka_unit_test(visible_devices_are_chosen_by_uuid),
		cmocka_unit_test(mig_and_null_are_no_devices),
		cmocka_unit_test(attributes_are_those_of_the_template),
		cmocka_unit_test(a_context_takes_its_time_and_ends),
		cmocka_unit_test(the_compute_mode_is_heeded),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(host_memory_is_registered_once),
		cmocka_unit_test(init_answers_as_listed),
		cmocka_unit_test(a_function_has_two_names),
		cmocka_unit_test(a_broken_context_stays_broken),
		cmocka_unit_test(endless_work_is_not_ready),
		cmocka_unit_test(symbols_can_be_missing),
		cmocka_unit_test(errors_have_names),
		cmocka_unit_test(the_healthy_node_plays),
	};

	return cmocka_run_group_tests_name("fake_cuda", tests, fake_set_up,
					   fake_tear_down);
}
