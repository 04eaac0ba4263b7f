/* SPDX-License-Identifier: Apache-2.0
 * A port that cannot be opened, or not be made ready: each reason has its own
 * sentence, and nothing stays open. */
#include "config.h"
#include "tests/unit/fake_verbs.h"

#include <sys/mman.h>
#include <sys/resource.h>

/* What the next scenario shall lead to. */
static enum probe_end want;
static const char *word;

static void ends(void)
{
	SAME(measured(measure_loopback), want);
	TOLD(word);
	SAME(isnan(shot.figure[0]), 1);
}

static void expect(const char *scenario, enum probe_end end, const char *text)
{
	want = end;
	word = text;
	play(scenario, ends);
}

/* ---- the library ----------------------------------------------------------- */

static void without_a_library(void **state)
{
	(void)state;
	plan.verbs_path = NULL;	/* not this machine's, either */
	expect(DEVICE(""), PROBE_UNABLE, "[libraries]");
	plan.verbs_path = "";
	expect(DEVICE(""), PROBE_UNABLE, "[libraries]");
	plan.verbs_path = "/nonexistent/libibverbs.so.1";
	expect(DEVICE(""), PROBE_BROKEN, "/nonexistent/libibverbs.so.1");
}

static void a_library_too_old(void **state)
{
	(void)state;
	expect("{\"verbs\": {\"missing_symbols\": [\"ibv_modify_qp\"]}}",
	       PROBE_BROKEN, "libibverbs lacks ibv_modify_qp");
}

/* What is only convenient may be missing. */
static void works(void)
{
	SAME(measured(measure_loopback), PROBE_DONE);
}

static void a_library_somewhat_old(void **state)
{
	(void)state;
	play("{\"verbs\": {\"missing_symbols\": [\"reg_mr_iova2\", "
	     "\"ibv_reg_dmabuf_mr\"], \"devices\": [{\"name\": \"mlx5_0\"}]}}",
	     works);
}

static void no_verbs_in_the_kernel(void **state)
{
	(void)state;
	expect("{\"verbs\": {\"get_device_list\": {\"rc\": 38}}}",
	       PROBE_UNABLE, "ib_uverbs");
}

/* ---- the device ------------------------------------------------------------ */

static void no_provider(void **state)
{
	(void)state;
	expect("{\"verbs\": {\"devices\": [{\"name\": \"mlx5_1\"}]}}",
	       PROBE_UNABLE, "its provider for mlx5_core is missing");
	fabric.hca[0].driver[0] = '\0';
	expect("{\"verbs\": {}}", PROBE_UNABLE, "its provider is missing");
}

static void no_device_file(void **state)
{
	(void)state;
	fixture_file(&x, "sys/class/infiniband_verbs/uverbs1/ibdev",
		     "mlx5_1\n");
	fixture_file(&x, "sys/class/infiniband_verbs/uverbs2/ibdev",
		     "mlx5_0\n");
	expect("{\"verbs\": {}}", PROBE_UNABLE,
	       "/dev/infiniband/uverbs2: No such file");
	fixture_file(&x, "dev/infiniband/uverbs2", "");
	expect("{\"verbs\": {}}", PROBE_UNABLE, "provider");
}

static void the_device_has_gone(void **state)
{
	(void)state;
	snprintf(fabric.hca[0].name, sizeof(fabric.hca[0].name), "mlx5_7");
	expect(DEVICE(""), PROBE_FAULT, "mlx5_7 has gone");
}

static void not_permitted(void **state)
{
	(void)state;
	expect(DEVICE(", \"open_device\": {\"rc\": 1}"), PROBE_UNABLE,
	       "/dev/infiniband/uverbs0: Operation not permitted");
	expect(DEVICE(", \"open_device\": {\"rc\": 13}"), PROBE_UNABLE,
	       "/dev/infiniband/uverbs0: Permission denied");
	/* The library looks elsewhere and forgets why; or it is not there. */
	expect(DEVICE(", \"open_device\": {\"rc\": 2}"), PROBE_UNABLE,
	       "/dev/infiniband/uverbs0: No such file or directory");
	fixture_link(&x, "dev/infiniband/uverbs0", "uverbs0");
	expect(DEVICE(", \"open_device\": {\"rc\": 2}"), PROBE_UNABLE,
	       "/dev/infiniband/uverbs0: Too many levels");
}

static void it_does_not_open(void **state)
{
	(void)state;
	expect(DEVICE(", \"open_device\": {\"rc\": 5}"), PROBE_FAULT,
	       "ibv_open_device: Input/output error");
	expect(DEVICE(", \"open_device\": {\"rc\": 22}"), PROBE_BROKEN,
	       "ibv_open_device: Invalid argument");
}

static void of_another_kind(void **state)
{
	(void)state;
	expect(DEVICE(", \"transport\": \"iwarp\""), PROBE_UNABLE, "iWARP");
	expect(DEVICE(", \"transport\": \"unspecified\""), PROBE_UNABLE,
	       "no reliable connections");
	expect(DEVICE(", \"create_qp\": {\"rc\": 95}"), PROBE_UNABLE,
	       "no reliable connections");
}

/* ---- the port -------------------------------------------------------------- */

static void not_active(void **state)
{
	(void)state;
	expect(DEVICE(", \"ports\": [{\"state\": 1}]"), PROBE_UNABLE,
	       "port 1 is DOWN");
	expect(DEVICE(", \"ports\": [{\"state\": 2}]"), PROBE_UNABLE,
	       "port 1 is INIT");
	expect(DEVICE(", \"ports\": [{\"state\": 77}]"), PROBE_UNABLE,
	       "unknown");
}

static void no_such_port(void **state)
{
	(void)state;
	plan.port[0].number = 2;
	expect(DEVICE(""), PROBE_BROKEN, "ibv_query_port");
}

/* ---- what is made on it ---------------------------------------------------- */

static void nothing_can_be_made(void **state)
{
	static const char *const calls[] = { "alloc_pd", "create_comp_channel",
					     "create_cq", "create_qp",
					     "reg_mr" };
	char text[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		snprintf(text, sizeof(text), DEVICE(", \"%s\": {\"rc\": 22}"),
			 calls[i]);
		expect(text, PROBE_BROKEN, calls[i]);
		snprintf(text, sizeof(text), DEVICE(", \"%s\": {\"rc\": 5}"),
			 calls[i]);
		expect(text, PROBE_FAULT, "Input/output error");
	}
}

static void limited(void)
{
	struct rlimit limit = { 64 << 10, 64 << 10 };

	SAME(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	SAME(measured(measure_loopback), PROBE_UNABLE);
	TOLD("locked memory is limited to 64 KiB");
}

static void unlimited(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return;	/* only root may */
	SAME(measured(measure_loopback), PROBE_UNABLE);
	TOLD("Cannot allocate memory");
	SAME(strstr(shot.why, "limited") != NULL, 0);
}

static void no_memory(void **state)
{
	(void)state;
	play(DEVICE(", \"reg_mr\": {\"rc\": 12}"), limited);
	play(DEVICE(", \"create_cq\": {\"rc\": 12}"), limited);
	play(DEVICE(", \"reg_mr\": {\"rc\": 12}"), unlimited);
}

/* As the rdma controller of the cgroup answers. */
static void no_share_of_the_cgroup(void **state)
{
	(void)state;
	expect(DEVICE(", \"open_device\": {\"rc\": 11}"), PROBE_UNABLE,
	       "ibv_open_device: Resource temporarily unavailable: the "
	       "cgroup's limit of RDMA resources (rdma.max) is reached");
	expect(DEVICE(", \"create_qp\": {\"rc\": 11}"), PROBE_UNABLE,
	       "(rdma.max) is reached");
}

static void queue_pairs_that_do_not_get_ready(void **state)
{
	(void)state;
	expect(DEVICE(", \"modify_qp\": {\"INIT\": {\"rc\": 22}}"),
	       PROBE_BROKEN, "ibv_modify_qp to INIT: Invalid argument");
	expect(DEVICE(", \"modify_qp\": {\"RTR\": {\"rc\": 22}}"),
	       PROBE_BROKEN, "ibv_modify_qp to RTR: Invalid argument");
	expect(DEVICE(", \"modify_qp\": {\"RTS\": {\"rc\": 5}}"), PROBE_FAULT,
	       "ibv_modify_qp to RTS: Input/output error");
	/* Over Ethernet that is the network's, else the adapter's doing. */
	expect(DEVICE(", \"modify_qp\": {\"RTR\": {\"rc\": 110}}"),
	       PROBE_UNABLE, "GID (index 1) to itself: Connection timed out");
	expect(DEVICE(", \"modify_qp\": {\"RTR\": {\"rc\": 101}}"),
	       PROBE_UNABLE, "to itself: Network is unreachable");
	expect(DEVICE(", \"modify_qp\": {\"RTR\": {\"rc\": 110}}, "
		      "\"ports\": [{\"link_layer\": \"InfiniBand\", "
		      "\"lid\": 4}]"), PROBE_FAULT, "to RTR");
	/* The second pair of two. */
	expect(DEVICE(", \"create_qp\": {\"seq\": [{\"value\": 1}, "
		      "{\"value\": 1}, {\"rc\": 12}]}"), PROBE_UNABLE,
	       "ibv_create_qp: Cannot allocate memory");
}

static void nothing_can_be_posted(void **state)
{
	(void)state;
	expect(DEVICE(", \"post_send\": {\"rc\": 22}"), PROBE_BROKEN,
	       "ibv_post_send: Invalid argument");
}

/* ---- a call that does not return ------------------------------------------- */

/* The parent reads in the shared page in which one. */
static void the_parent_sees_where(void **state)
{
	struct probe_progress *seen;
	int status;
	pid_t pid;

	(void)state;
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(seen != MAP_FAILED);
	write_scenario(DEVICE(", \"open_device\": {\"hang_ms\": -1}"));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		memset(&port, 0, sizeof(port));
		port.progress = seen;
		measure_begin(NULL, &shot);
		alarm(1);
		rdma_open(&port, &plan, 0, &shot);
		_exit(3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_string_equal(seen->call, "ibv_open_device");
	munmap(seen, sizeof(*seen));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		V(without_a_library),
		V(a_library_too_old),
		V(a_library_somewhat_old),
		V(no_verbs_in_the_kernel),
		V(no_provider),
		V(no_device_file),
		V(the_device_has_gone),
		V(not_permitted),
		V(it_does_not_open),
		V(of_another_kind),
		V(not_active),
		V(no_such_port),
		V(nothing_can_be_made),
		V(no_memory),
		V(no_share_of_the_cgroup),
		V(queue_pairs_that_do_not_get_ready),
		V(nothing_can_be_posted),
		V(the_parent_sees_where),
	};

	return cmocka_run_group_tests_name("rdma", tests, NULL, NULL);
}
