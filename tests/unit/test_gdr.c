/* SPDX-License-Identifier: Apache-2.0
 * GPUDirect RDMA against the stand-ins for libcuda and libibverbs: which road
 * to the GPU's memory is taken, and what comes over it. */
#include "config.h"
#include "tests/unit/fake_verbs.h"

#define NODE(cuda, verbs) \
	"{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\", \"GetUUID\": " \
	"\"GPU-0\", \"GetPciInfo_v3\": {\"busId\": \"00000000:1B:00.0\"}}]}, " \
	"\"cuda\": {\"gpus\": [{\"h2d_gbps\": 50, \"d2h_gbps\": 50" cuda \
	"}]}, \"verbs\": {\"devices\": [{\"name\": \"mlx5_0\", " \
	"\"write_gbps\": 10" verbs "}]}}"
#define NO_HANDLE ", \"MemGetHandleForAddressRange\": {\"rc\": 801}"
#define PEERMEM ", \"peermem\": 1"

static struct gpu_probes gpu;
static struct probe_libs libs;
static struct probe_device device;

static enum probe_end gdr(void)
{
	char cuda[512];
	struct probe_shot opened;

	snprintf(cuda, sizeof(cuda), "%.*slibcuda.so.1",
		 (int)(strrchr(library, '/') - library + 1), library);
	libs.plan = &plan;
	libs.progress = &progress;
	SAME(device_libs_open(&libs, cuda, "/nonexistent/libnvidia-ml.so.1",
			      &opened), 0);
	SAME(device_open(&device, &libs, 0, &gpu, &opened), 0);
	libs.until_ms = clock_mono_ms() + budget_ms;
	measure_begin(&device, &shot);
	measure_gdr(&device, &gpu, &shot, 0);
	SAME(device.held_bytes, 0);
	SAME(progress.call[0], 0);
	device_close(&device);
	left_nothing();
	return shot.end;
}

static void over(const char *road)
{
	int i;

	SAME(gdr(), PROBE_DONE);
	for (i = 1; i < TRIES && !IS_ABOUT(shot.figure[0], 10); i++)
		SAME(gdr(), PROBE_DONE);
	BETWEEN(shot.figure[0], 9, 11);
	SAME(shot.corrupt, false);
	SAME(strcmp(gpu.gdr[0].road, road), 0);
	SAME(gpu.gdr[0].qps, 2);
	SAME(gpu.gdr[0].gid_index, 1);
	BETWEEN((double)gpu.gdr[0].bytes, 1e9, 4e9);
}

static void over_dmabuf(void)
{
	over("dmabuf");
}

static void over_peermem(void)
{
	over("peermem");
}

static void a_dma_buf_comes_first(void **state)
{
	(void)state;
	play(NODE("", ""), over_dmabuf);
	play(NODE("", PEERMEM), over_dmabuf);
}

static void then_the_module(void **state)
{
	(void)state;
	play(NODE(NO_HANDLE, PEERMEM), over_peermem);
	play(NODE("", PEERMEM ", \"reg_dmabuf_mr\": {\"rc\": 95}"),
	     over_peermem);
	play(NODE(", \"DeviceGetAttribute\": {\"124\": 0, \"16\": 132}",
		  PEERMEM), over_peermem);
}

static void old_driver_and_library(void **state)
{
	(void)state;
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\"}]}, "
	     "\"cuda\": {\"missing_symbols\": "
	     "[\"cuMemGetHandleForAddressRange\"], \"gpus\": "
	     "[{\"h2d_gbps\": 50, \"d2h_gbps\": 50}]}, "
	     "\"verbs\": {\"devices\": [{\"name\": \"mlx5_0\", "
	     "\"write_gbps\": 10" PEERMEM "}]}}", over_peermem);
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\"}]}, "
	     "\"cuda\": {\"gpus\": [{\"h2d_gbps\": 50, \"d2h_gbps\": 50}]}, "
	     "\"verbs\": {\"missing_symbols\": [\"reg_dmabuf_mr\"], "
	     "\"devices\": [{\"name\": \"mlx5_0\", \"write_gbps\": 10" PEERMEM
	     "}]}}", over_peermem);
}

static void relaxed(void)
{
	over("dmabuf");
	SAME(gpu.gdr[0].relaxed, 1);
}

static void relaxed_by_peermem(void)
{
	over("peermem");
	SAME(gpu.gdr[0].relaxed, 1);
}

/* Not another road for that, and not relaxed. */
static void strict(const char *road)
{
	int i;

	SAME(gdr(), PROBE_DONE);
	for (i = 1; i < TRIES && !IS_ABOUT(shot.figure[0], 4); i++)
		SAME(gdr(), PROBE_DONE);
	BETWEEN(shot.figure[0], 3.6, 4.4);
	SAME(strcmp(gpu.gdr[0].road, road), 0);
	SAME(gpu.gdr[0].relaxed, 0);
}

static void strict_by_dmabuf(void)
{
	strict("dmabuf");
}

static void strict_by_peermem(void)
{
	strict("peermem");
}

#define STRICT ", \"strict_gbps\": 4"
#define REFUSED STRICT ", \"relaxed_ordering\": {\"rc\": 22}"

static void relaxed_ordering_is_asked_for(void **state)
{
	(void)state;
	play(NODE("", STRICT), relaxed);
	play(NODE(NO_HANDLE, PEERMEM STRICT), relaxed_by_peermem);
}

/* By the kernel, or by a library from before there was such a flag. */
static void and_done_without_where_it_is_refused(void **state)
{
	(void)state;
	play(NODE("", PEERMEM REFUSED), strict_by_dmabuf);
	play(NODE(NO_HANDLE, PEERMEM REFUSED), strict_by_peermem);
	play("{\"nvml\": {\"gpus\": [{\"like\": \"H100-SXM5\"}]}, "
	     "\"cuda\": {\"gpus\": [{\"h2d_gbps\": 50, \"d2h_gbps\": 50}]}, "
	     "\"verbs\": {\"missing_symbols\": [\"reg_dmabuf_mr\", "
	     "\"reg_mr_iova2\"], \"devices\": [{\"name\": \"mlx5_0\", "
	     "\"write_gbps\": 10" PEERMEM STRICT "}]}}", strict_by_peermem);
}

static void no_handle(void)
{
	SAME(gdr(), PROBE_UNABLE);
	TOLD("no GPUDirect path");
	TOLD("CUDA_ERROR_NOT_SUPPORTED (801)");
	TOLD("peermem: Bad address");
	SAME(strcmp(gpu.gdr[0].road, "none"), 0);
}

static void not_registered(void)
{
	SAME(gdr(), PROBE_UNABLE);
	TOLD("DMA-BUF: Operation not supported");
	SAME(strcmp(gpu.gdr[0].road, "none"), 0);
}

static void neither(void **state)
{
	(void)state;
	play(NODE(NO_HANDLE, ""), no_handle);
	play(NODE("", ", \"reg_dmabuf_mr\": {\"rc\": 95}"), not_registered);
}

static void no_memory_to_lock(void)
{
	SAME(gdr(), PROBE_UNABLE);
	TOLD("ibv_reg_mr: Cannot allocate memory");
	SAME(strcmp(gpu.gdr[0].road, ""), 0);
}

static void no_share_of_the_cgroup(void)
{
	SAME(gdr(), PROBE_UNABLE);
	TOLD("(rdma.max) is reached");
	SAME(strcmp(gpu.gdr[0].road, ""), 0);
}

/* What the kernel looks at before it asks a module is no road that is shut. */
static void limits_are_no_road(void **state)
{
	(void)state;
	play(NODE(NO_HANDLE, PEERMEM ", \"reg_mr\": {\"rc\": 12}"),
	     no_memory_to_lock);
	play(NODE("", ", \"reg_dmabuf_mr\": {\"rc\": 11}"),
	     no_share_of_the_cgroup);
}

static void corrupt(void)
{
	SAME(gdr(), PROBE_DONE);
	SAME(shot.corrupt, true);
}

static void a_changed_payload(void **state)
{
	(void)state;
	play(NODE("", ", \"corrupt\": {\"flip_bit\": 9}"), corrupt);
	play(NODE(NO_HANDLE, PEERMEM ", \"lost\": {\"after\": 1000}"),
	     corrupt);
}

static void write_failed(void)
{
	SAME(gdr(), PROBE_FAULT);
	SAME(shot.rc, 10);
	SAME(strcmp(shot.call, "RDMA write"), 0);
}

static void no_device_memory(void)
{
	SAME(gdr(), PROBE_NONE);
	TOLD("MiB of its memory are free");
}

static void no_port(void)
{
	gpu.port = -1;
	SAME(gdr(), PROBE_UNABLE);
	TOLD("no RDMA port");
}

static void port_down(void)
{
	SAME(gdr(), PROBE_UNABLE);
	TOLD("port 1 is DOWN");
	SAME(strcmp(gpu.gdr[0].road, ""), 0);
}

static void a_copy_that_fails(void)
{
	SAME(gdr(), PROBE_FAULT);
	SAME(strcmp(shot.call, "cuMemcpyHtoDAsync_v2"), 0);
}

static void what_fails(void **state)
{
	(void)state;
	play(NODE("", ", \"wc\": {\"after\": 3, \"status\": 10}"),
	     write_failed);
	play(NODE(", \"mem_mib\": 16", ""), no_device_memory);
	play(NODE("", ""), no_port);
	play(NODE("", ", \"ports\": [{\"state\": 1}]"), port_down);
	play(NODE(", \"MemcpyHtoDAsync\": {\"rc\": 1}", ""),
	     a_copy_that_fails);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		V(a_dma_buf_comes_first),
		V(then_the_module),
		V(old_driver_and_library),
		V(relaxed_ordering_is_asked_for),
		V(and_done_without_where_it_is_refused),
		V(neither),
		V(limits_are_no_road),
		V(a_changed_payload),
		V(what_fails),
	};

	return cmocka_run_group_tests_name("gdr", tests, NULL, NULL);
}
