/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>

#include "epilog/clients.h"
#include "tests/unit/merges.h"
#include "tests/unit/told.h"

static const char *const names[] = { "n1", "n2", "n3", "n10" };
static const struct merge_job job = { .id = 1234, .nodes = 4, .names = names };

static json_t *node(const char *name, int gpus)
{
	struct stories *b = stories_new(name, gpus, 120);

	b->s.job.nodes = 4;
	snprintf(b->s.leaf, sizeof(b->s.leaf), "leaf-%c", name[1]);
	strcpy(b->s.nvlink_domain, name);
	return told_of(b);
}

static void drop(json_t **r, int n)
{
	while (n-- > 0)
		json_decref(r[n]);
}

/* The same but for what says that it is of one node. */
static void of_one_is_that_one(void **state)
{
	struct merge_job one = { .id = 1234, .nodes = 1 };
	struct stories *b = stories_new("n1", 8, 240);
	json_t *r, *m;
	int k;

	(void)state;
	for (k = 0; k < 240; k++) {
		b->sample[3][k].busy = 0.31F;
		b->sample[3][k].sm = 0.123456F;
		b->sample[3][k].idle_s = 20.7F;
		b->sample[2][k].held_power_s = 3.3F;
		b->sample[2][k].sm_mhz = 1777;
	}
	for (k = 0; k < 8; k++)
		b->sample[k][100].idle_s = STEP_S;
	b->s.event_count = 1;
	b->s.event[0] = (struct story_event){
		.time_s = T0 + 1, .number = 79, .pid = -1, .device = "GPU1"
	};
	r = told_of(b);
	m = merge_of(&r, 1, &one);
	assert_non_null(m);
	is_text(m, "kind", "job");
	is_null(m, "job.node");
	json_object_set_new(m, "kind", json_string("node"));
	json_object_set_new(told(m, "job"), "node", json_string("n1"));
	assert_true(json_equal(m, r));
	json_decref(m);
	json_decref(r);
}

static void devices_weigh_alike(void **state)
{
	json_t *r[2] = { node("n1", 8), node("n2", 2) }, *m;
	struct stories *b = stories_new("n2", 2, 120);
	int k;

	(void)state;
	for (k = 0; k < 120; k++)
		b->sample[0][k].busy = b->sample[1][k].busy = 0.5F;
	json_decref(r[1]);
	r[1] = told_of(b);
	m = merge_of(r, 2, &job);
	is_number(m, "gpus.allocated", 10);
	is_number(m, "gpus.busy_pct", (8 * 100 + 2 * 50) / 10.0);
	is_number(m, "power.energy_j", 10 * 120 * 18000);
	is_number(m, "power.mean_w", 600);
	is_number(m, "fabric.rx_bytes", 10 * 120 * 30 * GB);
	is_number(m, "cpu.cores_used", 1);
	is_number(m, "cpu.cores_alloc", 128);
	is_number(m, "where.gpu_seconds", 10 * 3600);
	assert_int_equal(json_array_size(told(m, "gpu")), 10);
	assert_int_equal(json_array_size(told(m, "fabric.port")), 10);
	assert_int_equal(json_array_size(told(m, "node")), 2);
	json_decref(m);
	drop(r, 2);
}

static void missing_nodes_are_named(void **state)
{
	json_t *r[2] = { node("n3", 1), node("n1", 1) }, *m;

	(void)state;
	m = merge_of(r, 2, &job);
	is_number(m, "nodes.expected", 4);
	is_number(m, "nodes.reported", 2);
	assert_int_equal(json_array_size(told(m, "nodes.missing")), 2);
	is_text(m, "nodes.missing.0", "n2");
	is_text(m, "nodes.missing.1", "n10");
	assert_true(told_line(m, "seen: 2 of 4 nodes reported (missing: n2, "
				 "n10)"));
	json_decref(m);
	drop(r, 2);
}

static void nodes_of_unknown_names(void **state)
{
	struct merge_job how_many = { .id = 1234 };
	json_t *r[1] = { node("n3", 1) }, *m;

	(void)state;
	m = merge_of(r, 1, &how_many);
	is_number(m, "nodes.expected", 4); /* as the record says */
	is_number(m, "nodes.reported", 1);
	json_decref(m);
	drop(r, 1);
}

static void their_order_does_not_matter(void **state)
{
	json_t *r[4], *m, *first = NULL, *t;
	int i, turn;

	(void)state;
	for (i = 0; i < 4; i++)
		r[i] = node(names[i], 3 + i);
	for (turn = 0; turn < 4; turn++) {
		m = merge_of(r, 4, &job);
		if (!first)
			first = json_incref(m);
		assert_true(json_equal(first, m));
		json_decref(m);
		t = r[0];
		memmove(r, r + 1, 3 * sizeof(*r));
		r[3] = t;
	}
	is_text(first, "gpu.0.node", "n1");
	is_text(first, "gpu.17.node", "n10"); /* behind n2 and n3 */
	json_decref(first);
	drop(r, 4);
}

static void only_records_of_this_job(void **state)
{
	struct merge *m = merge_create(&job);
	json_t *good = node("n1", 1), *other;
	static const struct {
		const char *group, *member;
	} rows[] = {
		{ NULL, "schema" },   { NULL, "kind" },	 { "job", "id" },
		{ "job", "restart" }, { "job", "node" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		other = json_deep_copy(good);
		json_object_set_new(rows[i].group ? told(other, rows[i].group)
						  : other,
				    rows[i].member, json_integer(77));
		errno = 0;
		assert_int_equal(merge_add(m, other), -1);
		assert_int_equal(errno, EINVAL);
		json_decref(other);
	}
	errno = 0;
	assert_null(merge_finish(m));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(merge_add(m, NULL), -1);
	assert_int_equal(merge_add(m, good), 0);
	merge_destroy(m);
	json_decref(good);
}

static void the_later_record_of_a_node_counts(void **state)
{
	json_t *r[2] = { node("n1", 2), NULL }, *m;
	struct stories *b = stories_new("n1", 2, 60);
	int turn;

	(void)state;
	r[1] = told_of(b); /* half an hour before */
	for (turn = 0; turn < 2; turn++) {
		m = merge_of(r, 2, &job);
		is_number(m, "nodes.reported", 1);
		is_number(m, "gpus.allocated", 2);
		is_number(m, "job.elapsed_s", 3600);
		json_decref(m);
		m = r[0];
		r[0] = r[1];
		r[1] = m;
	}
	drop(r, 2);
}

static void a_job_is_what_its_worst_node_is(void **state)
{
	struct stories *b = stories_new("n2", 1, 120);
	json_t *r[3] = { node("n1", 1), NULL, node("n3", 1) }, *m;

	(void)state;
	b->s.job.state = STORY_FAILED;
	b->s.job.exit_code = 3;
	b->s.event_count = 1;
	b->s.event[0] = (struct story_event){
		.time_s = T0 + 1, .number = 79, .pid = -1, .device = "GPU0"
	};
	r[1] = told_of(b);
	m = merge_of(r, 3, &job);
	is_text(m, "job.state", "failed");
	is_number(m, "job.exit_code", 3);
	is_text(m, "blame.whose", "hardware");
	is_text(m, "blame.node", "n2");
	is_text(m, "faults.0.device", "GPU0");
	assert_true(told_line(m, "fault: at 0:00:01 n2 GPU0 XID 79"));
	assert_true(told_line(m, "--exclude=n2"));
	json_decref(m);
	drop(r, 3);
}

static void one_that_throttles_among_four_nodes(void **state)
{
	json_t *r[4], *m;
	struct stories *b;
	int i, k;

	(void)state;
	for (i = 0; i < 4; i++) {
		b = stories_new(names[i], 1, 120);
		for (k = 0; k < 120 && i == 2; k++) {
			b->sample[0][k].sm_mhz = 1188;
			b->sample[0][k].held_hw_s = 25;
		}
		r[i] = told_of(b);
		assert_int_equal(json_array_size(told(r[i], "slow")), 0);
	}
	m = merge_of(r, 4, &job);
	is_text(m, "slow.0.node", "n3");
	is_number(m, "slow.0.share", 0.6);
	is_text(m, "slow.0.cause", "slowed down by hardware for 3000 s");
	is_text(m, "power.worst", "n3 GPU0");
	is_number(m, "power.throttle_s.hw", 3000);
	json_decref(m);
	drop(r, 4);
}

static json_t *paused(const char *name, int from, float seconds)
{
	struct stories *b = stories_new(name, 2, 120);
	int i;

	for (i = 0; i < 2; i++) {
		b->sample[i][from].idle_s = seconds;
		b->sample[i][from + 1].idle_s = STEP_S;
		b->sample[i][from].busy = 1 - seconds / STEP_S;
		b->sample[i][from + 1].busy = 0;
	}
	return told_of(b);
}

static void stalls_of_all_nodes_at_once(void **state)
{
	json_t *r[2] = { paused("n1", 50, 30), paused("n2", 51, 30) }, *m;

	(void)state;
	/* 1500 to 1560, and 1530 to 1590 */
	m = merge_of(r, 2, &job);
	is_number(m, "stalls.count", 1);
	is_number(m, "stalls.total_s", 30);
	is_number(m, "stalls.longest_at", T0 + 1530);
	json_decref(m);
	json_decref(r[1]);
	r[1] = paused("n2", 70, 30);
	m = merge_of(r, 2, &job);
	is_number(m, "stalls.count", 0);
	is_null(m, "stalls.longest_at");
	json_decref(m);
	drop(r, 2);
}

static void stalls_that_one_node_cannot_tell(void **state)
{
	json_t *r[2] = { paused("n1", 50, 30), NULL }, *m;
	struct stories *b = stories_new("n2", 1, 0);

	(void)state;
	b->s.watch = WATCH_NONE;
	r[1] = told_of(b);
	m = merge_of(r, 2, &job);
	is_unknown(m, "stalls.count", "no watch");
	is_text(m, "watch.state", "none");
	/* what the other one tells is there, and says of how many */
	is_number(m, "gpus.busy_pct", 100 - 100.0 * 60 / 3600);
	is_number(m, "gpus.partial.busy_pct.told", 2);
	is_number(m, "gpus.partial.busy_pct.of", 3);
	json_decref(m);
	drop(r, 2);
}

static void what_the_job_spans(void **state)
{
	json_t *r[3] = { node("n1", 1), node("n2", 1), node("n10", 1) }, *m;

	(void)state;
	m = merge_of(r, 3, &job);
	is_number(m, "fabric.leaf_switches", 2); /* n1 and n10 share one */
	is_number(m, "fabric.nvlink_domains", 3);
	json_decref(m);
	drop(r, 3);
}

/* One that does not know its own may share another's, or not. */
static void a_node_that_tells_no_place(void **state)
{
	struct stories *b = stories_new("n2", 1, 120);
	json_t *r[2] = { node("n1", 1), NULL }, *m;

	(void)state;
	r[1] = told_of(b);
	m = merge_of(r, 2, &job);
	is_unknown(m, "fabric.leaf_switches", "not told");
	is_unknown(m, "fabric.nvlink_domains", "not told");
	json_decref(m);
	drop(r, 2);
}

static json_t *counted(const char *name, enum story_source of, double peak)
{
	struct stories *b = stories_new(name, 1, 120);

	b->s.host.cpu_of = b->s.host.mem_of = of;
	b->s.host.mem_peak_bytes = is(peak);
	return told_of(b);
}

static void who_counted(void **state)
{
	json_t *r[2] = { counted("n1", STORY_PROCESSES, 400 * GB),
			 counted("n2", STORY_CGROUP, 300 * GB) };
	json_t *m = merge_of(r, 2, &job);

	(void)state;
	is_text(m, "node.0.cpu_of", "processes");
	is_text(m, "node.0.mem_of", "largest process");
	is_text(m, "node.1.cpu_of", "cgroup");
	is_text(m, "node.1.mem_of", "cgroup");
	is_text(m, "memory.of", "largest process"); /* n1 is nearer */
	assert_true(told_line(m, "largest process 400 GB of 500 GB"));
	json_decref(m);
	json_decref(r[0]);
	r[0] = counted("n1", STORY_PROCESSES, 200 * GB);
	m = merge_of(r, 2, &job);
	is_text(m, "memory.of", "cgroup");
	assert_true(told_line(m, "memory peak 300 GB of 500 GB"));
	json_decref(m);
	drop(r, 2);
}

static void mounts_add_up(void **state)
{
	json_t *clients =
		json_pack("[{s:s, s:s, s:i, s:i}, {s:s, s:s, s:i, s:n}]",
			  "kind", "lustre", "mount", "/scratch", "read_bytes",
			  100, "write_bytes", 10, "kind", "nfs", "mount",
			  "/home", "read_bytes", 7, "write_bytes");
	struct stories *b = stories_new("n1", 1, 120);
	json_t *r[2], *m;

	(void)state;
	b->s.host.clients = clients;
	r[0] = summary_node(&b->s);
	strcpy(b->s.job.node, "n2");
	r[1] = summary_node(&b->s);
	m = merge_of(r, 2, &job);
	assert_int_equal(json_array_size(told(m, "storage.clients")), 2);
	is_number(m, "storage.clients.0.read_bytes", 200);
	is_number(m, "storage.clients.0.write_bytes", 20);
	is_unknown(m, "storage.clients.1.write_bytes", "not readable");
	is_number(m, "storage.read_bytes", 24 * GB);
	json_decref(m);
	drop(r, 2);
	json_decref(clients);
	free(b);
}

static json_t *mounted(const char *name, json_t *read_bytes, const char *why)
{
	struct stories *b = stories_new(name, 1, 120);
	json_t *c = json_pack("{s:s, s:s, s:o, s:i}", "kind", "nfs", "mount",
			      "/home", "read_bytes", read_bytes, "write_bytes",
			      1);
	json_t *list = json_pack("[o]", c), *r;

	if (why)
		json_object_set_new(c, "why",
				    json_pack("{s:s}", "read_bytes", why));
	b->s.host.clients = list;
	r = told_of(b);
	json_decref(list);
	return r;
}

/* A sum says of how many it is; a node without the mount is none of them. */
static void mounts_that_one_node_cannot_tell(void **state)
{
	json_t *r[4] = { mounted("n1", json_integer(5), NULL),
			 mounted("n2", json_null(), "reset during the job"),
			 mounted("n3", json_integer(7), NULL), node("n10", 1) };
	json_t *m = merge_of(r, 4, &job);

	(void)state;
	is_number(m, "storage.clients.0.read_bytes", 12);
	is_number(m, "storage.clients.0.partial.read_bytes.told", 2);
	is_number(m, "storage.clients.0.partial.read_bytes.of", 3);
	is_text(m, "storage.clients.0.partial.read_bytes.why",
		"reset during the job");
	is_number(m, "storage.clients.0.write_bytes", 3);
	assert_null(told(m, "storage.clients.0.partial.write_bytes"));
	assert_null(told(m, "storage.clients.0.why"));
	json_decref(m);
	json_decref(r[1]);
	r[1] = mounted("n2", json_integer(1), NULL);
	m = merge_of(r, 4, &job);
	is_number(m, "storage.clients.0.read_bytes", 13);
	assert_null(told(m, "storage.clients.0.partial"));
	json_decref(m);
	drop(r, 4);
}

static json_t *with_mounts(const char *name, int first, int count)
{
	struct stories *b = stories_new(name, 1, 120);
	json_t *list = json_array(), *r;
	char mount[16];
	int i;

	for (i = first; i < first + count; i++) {
		snprintf(mount, sizeof(mount), "/m%d", i);
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:i, s:i}", "kind", "nfs",
					"mount", mount, "read_bytes", i,
					"write_bytes", 0));
	}
	b->s.host.clients = list;
	r = told_of(b);
	json_decref(list);
	return r;
}

/* Each node may have others. */
static void more_mounts_than_are_told(void **state)
{
	json_t *r[3] = { with_mounts("n1", 0, CLIENTS_MAX + 9),
			 with_mounts("n2", CLIENTS_MAX / 2, CLIENTS_MAX),
			 with_mounts("n3", 5000, CLIENTS_MAX) };
	json_t *m = merge_of(r, 3, &job);

	(void)state;
	assert_int_equal(json_array_size(told(r[0], "storage.clients")),
			 CLIENTS_MAX);
	assert_int_equal(json_array_size(told(m, "storage.clients")),
			 CLIENTS_MAX);
	is_number(m, "storage.clients.31.read_bytes", 31);
	is_number(m, "storage.clients.32.read_bytes", 2 * 32);
	json_decref(m);
	drop(r, 3);
}

static json_t *idle_but_for(const char *name, double cores)
{
	struct stories *b = stories_new(name, 1, 120);
	int k;

	for (k = 0; k < 120; k++) {
		b->sample[0][k].idle_s = 0.8F * STEP_S;
		b->sample[0][k].busy = b->sample[0][k].sm = 0.2F;
	}
	b->s.host.cpu_s = isnan(cores) ? isnt(STORY_NO_WATCH) :
					 is(cores * 3600);
	b->s.host.mem_peak_bytes = isnan(cores) ? isnt(STORY_NO_WATCH) :
						  is(3 * GB);
	return told_of(b);
}

/* Cores that worked are held against those of the nodes that told. */
static void a_node_that_tells_no_cpu(void **state)
{
	json_t *r[2] = { idle_but_for("n1", 40), idle_but_for("n2", NAN) }, *m;

	(void)state;
	m = merge_of(r, 2, &job);
	is_number(m, "cpu.partial.cores_used.told", 1);
	is_number(m, "memory.peak_bytes", 3 * GB);
	is_number(m, "memory.partial.peak_bytes.told", 1);
	is_number(m, "memory.partial.peak_bytes.of", 2);
	assert_non_null(strstr(told_text(m, "where.text"), "40.0 of 64 cores"));
	assert_true(told_line(m, "40.0 of 128 cores (1 of 2 nodes told)"));
	json_decref(m);
	json_decref(r[1]);
	r[1] = idle_but_for("n2", 2);
	m = merge_of(r, 2, &job);
	assert_null(told(m, "cpu.partial"));
	assert_null(told(m, "memory.partial"));
	assert_non_null(strstr(told_text(m, "where.text"), "42.0 of 128 cores"));
	assert_false(told_line(m, "nodes told"));
	json_decref(m);
	drop(r, 2);
}

static void a_node_that_tells_no_time(void **state)
{
	json_t *r[2] = { node("n1", 2), NULL }, *m;
	struct stories *b = stories_new("n2", 1, 0);

	(void)state;
	b->s.watch = WATCH_NONE;
	r[1] = told_of(b);
	m = merge_of(r, 2, &job);
	is_number(m, "where.gpu_seconds", 7200);
	is_number(m, "where.partial.gpu_seconds.told", 2);
	is_number(m, "where.partial.gpu_seconds.of", 3);
	json_decref(m);
	m = merge_of(r, 1, &job);
	assert_null(told(m, "where.partial"));
	json_decref(m);
	drop(r, 2);
}

static void forged_records_are_bounded(void **state)
{
	json_t *r[2] = { node("n1", 2), node("n2", 2) }, *m, *gpu;
	size_t i;

	(void)state;
	/* rows of other nodes, too many of them, and nonsense */
	gpu = json_array_get(told(r[0], "gpu"), 0);
	json_object_set_new(gpu, "node", json_string("n2"));
	json_object_set_new(gpu, "energy_j", json_real(1e300));
	json_object_set_new(gpu, "busy_pct", json_string("100"));
	for (i = 0; i < 1000; i++)
		json_array_append(told(r[0], "gpu"), gpu);
	for (i = 0; i < 1000; i++)
		json_array_append_new(told(r[0], "faults"), json_integer(7));
	json_object_set_new(told(r[0], "job"), "nodes", json_integer(INT64_MAX));
	json_object_set_new(told(r[0], "node.0"), "end", json_integer(INT64_MAX));
	m = merge_of(r, 2, &job);
	assert_int_equal(json_array_size(told(m, "gpu")), 34);
	is_text(m, "gpu.0.node", "n1");
	is_unknown(m, "gpu.0.energy_j", "not readable");
	assert_true(json_is_true(told(m, "faults_cut")));
	assert_true(json_array_size(told(m, "faults")) <= 256);
	json_decref(m);
	drop(r, 2);
}

static void big_jobs_tell_less_of_each(void **state)
{
	struct merge_job big = { .id = 1234, .nodes = 129 };
	struct merge *m = merge_create(&big);
	json_t *r, *job_r;
	char name[16];
	int i;

	(void)state;
	for (i = 0; i < 129; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		r = node(name, 8);
		assert_int_equal(merge_add(m, r), 0);
		json_decref(r);
	}
	job_r = merge_finish(m);
	is_number(job_r, "gpus.allocated", 1032);
	is_number(job_r, "gpu.1031.busy_pct", 100);
	assert_null(told(job_r, "gpu.0.dram_active_pct"));
	is_number(job_r, "gpus.dram_active_pct", 30);
	is_number(job_r, "fabric.port.1031.mean_gbps", 1);
	assert_null(told(job_r, "fabric.port.0.rx_bytes"));
	is_number(job_r, "fabric.rx_bytes", 1032 * 120 * 30 * GB);
	json_decref(job_r);
	merge_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_is_that_one),
		cmocka_unit_test(devices_weigh_alike),
		cmocka_unit_test(missing_nodes_are_named),
		cmocka_unit_test(nodes_of_unknown_names),
		cmocka_unit_test(their_order_does_not_matter),
		cmocka_unit_test(only_records_of_this_job),
		cmocka_unit_test(the_later_record_of_a_node_counts),
		cmocka_unit_test(a_job_is_what_its_worst_node_is),
		cmocka_unit_test(one_that_throttles_among_four_nodes),
		cmocka_unit_test(stalls_of_all_nodes_at_once),
		cmocka_unit_test(stalls_that_one_node_cannot_tell),
		cmocka_unit_test(what_the_job_spans),
		cmocka_unit_test(a_node_that_tells_no_place),
		cmocka_unit_test(who_counted),
		cmocka_unit_test(mounts_add_up),
		cmocka_unit_test(mounts_that_one_node_cannot_tell),
		cmocka_unit_test(more_mounts_than_are_told),
		cmocka_unit_test(a_node_that_tells_no_cpu),
		cmocka_unit_test(a_node_that_tells_no_time),
		cmocka_unit_test(forged_records_are_bounded),
		cmocka_unit_test(big_jobs_tell_less_of_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
