/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/worker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/cpulist.h"
#include "lib/spawn.h"
#include "probes/conditions.h"
#include "probes/measure.h"
#include "probes/rdma.h"

static const measure_f measures[PROBE_COUNT] = {
	[PROBE_pcie_bw] = measure_pcie_bw,
	[PROBE_membw] = measure_membw,
	[PROBE_gemm] = measure_gemm,
	[PROBE_gemm_peak] = measure_gemm_peak,
	[PROBE_sdc] = measure_sdc,
	[PROBE_pattern] = measure_pattern,
	[PROBE_sustain] = measure_sustain,
	[PROBE_gdr] = measure_gdr,
};

static const measure_port_f port_measures[PROBE_COUNT] = {
	[PROBE_loopback] = measure_loopback,
	[PROBE_latency] = measure_latency,
};

static const measure_group_f group_measures[PROBE_COUNT] = {
	[PROBE_peer] = measure_peer,
	[PROBE_nccl] = measure_nccl,
};

/* ---- before a library is loaded ------------------------------------------ */

/* Nothing that a library would read, but where the tests' stand-ins find what
 * they shall answer. */
static void clear_environment(void)
{
	char *scenario = getenv("ASSAY_SCENARIO");

	scenario = scenario ? strdup(scenario) : NULL;
	clearenv();
	if (scenario)
		setenv("ASSAY_SCENARIO", scenario, 1);
	free(scenario);
}

/* All that the driver's library shall read of the environment: which GPUs it
 * sees, that it keeps no cache in anybody's home, and that it does not go
 * through a user's MPS server. */
static void make_environment(const struct worker_task *t, const char *visible)
{
	clear_environment();
	setenv("CUDA_VISIBLE_DEVICES", visible, 1);
	setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
	setenv("CUDA_CACHE_DISABLE", "1", 1);
	setenv("CUDA_MODULE_LOADING", "LAZY", 1);
	setenv("CUDA_MPS_PIPE_DIRECTORY", t->plan->empty_dir, 1);
	setenv("CUDA_MPS_LOG_DIRECTORY", t->plan->empty_dir, 1);
	setenv("NCCL_DEBUG", "NONE", 1);
}

/* The UUIDs of the chosen GPUs, divided by commas. */
static void list_uuids(const struct crew_plan *plan, char *buf, size_t size)
{
	size_t len = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; i < plan->gpus->count && len < size; i++)
		if (plan->chosen[i])
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						len ? "," : "",
						plan->gpus->gpu[i].uuid);
}

/* Run on the CPUs beside the device whose directory this is, where this is the
 * machine's own root. The device's NUMA node, or -1. */
static int go_near(const struct worker_task *t, const char *dir)
{
	static struct cpulist near;
	char list[512], node[16];
	cpu_set_t set;
	int cpu;

	if (t->plan->roots->injected ||
	    roots_readf(t->plan->roots, node, sizeof(node), "%s/numa_node",
			dir) < 0)
		return -1;
	if (roots_readf(t->plan->roots, list, sizeof(list), "%s/local_cpulist",
			dir) > 0 &&
	    cpulist_parse(list, &near) == 0) {
		CPU_ZERO(&set);
		for (cpu = cpulist_next(&near, 0); cpu >= 0 && cpu < CPU_SETSIZE;
		     cpu = cpulist_next(&near, cpu + 1))
			CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	return (int)strtol(node, NULL, 10);
}

/* ---- its conversation with the parent ------------------------------------ */

static int say_done(int sock, int probe, int shot)
{
	struct worker_msg m = { .op = WORKER_DONE, .probe = probe,
				.shot = shot };

	return worker_send(sock, &m, sizeof(m));
}

/* False: time to go. */
static bool next_order(int sock, struct worker_msg *m)
{
	ssize_t n;

	do
		n = recv(sock, m, sizeof(*m), 0);
	while (n < 0 && errno == EINTR);
	return n == sizeof(*m) && m->op == WORKER_MEASURE &&
	       m->probe >= 0 && m->probe < PROBE_COUNT && m->shot >= 0 &&
	       m->shot < PROBE_SHOTS;
}

/* Until when the parent waits for what it has just told us to do. */
static int64_t until(const struct worker_msg *m)
{
	return clock_mono_ms() + m->left_ms;
}

/* ---- one GPU ------------------------------------------------------------- */

static void open_one(const struct worker_task *t, struct probe_libs *l,
		     struct probe_device *d)
{
	struct gpu_probes *g = &t->page->result.gpu[t->place];
	struct probe_shot *shot = &g->probe[PROBE_context].shot[0];
	int64_t began = clock_mono_us();
	char dir[80];
	int near;

	snprintf(dir, sizeof(dir), "sys/bus/pci/devices/%s",
		 t->plan->gpus->gpu[t->place].bus_id);
	near = go_near(t, dir);
	measure_begin(NULL, shot);
	l->plan = t->plan;
	l->progress = &t->page->progress;
	l->crew = t->page->crew;
	make_environment(t, t->plan->gpus->gpu[t->place].uuid);
	if (device_libs_open(l, t->plan->cuda_path, t->plan->nvml_path,
			     shot) == 0 &&
	    device_open(d, l, 0, g, shot) == 0)
		shot->end = PROBE_DONE;
	shot->cond.confidential = conditions_confidential(l);
	d->place = t->place;
	d->numa_wanted = near;
	shot->elapsed_us = clock_mono_us() - began;
	shot->figure[0] = (double)shot->elapsed_us / 1e6;
}

static void measure_one(const struct worker_task *t, struct probe_device *d,
			const struct worker_msg *m)
{
	struct gpu_probes *g = &t->page->result.gpu[t->place];
	struct probe_shot *shot = &g->probe[m->probe].shot[m->shot];
	int64_t began = clock_mono_us();

	d->libs->until_ms = until(m);
	measure_begin(d, shot);
	if (measures[m->probe])
		measures[m->probe](d, g, shot, m->shot);
	shot->elapsed_us = clock_mono_us() - began;
}

static int serve_one(int sock, const struct worker_task *t)
{
	static struct probe_libs libs;
	static struct probe_device d;
	struct gpu_probes *g = &t->page->result.gpu[t->place];
	struct worker_msg m;

	open_one(t, &libs, &d);
	say_done(sock, PROBE_context, 0);
	while (d.context && next_order(sock, &m)) {
		measure_one(t, &d, &m);
		say_done(sock, m.probe, m.shot);
	}
	g->left_mib = (int32_t)(d.held_bytes >> 20);
	if (d.libs)
		device_close(&d);
	return 0;
}

/* ---- several GPUs -------------------------------------------------------- */

/* A context takes the driver some tenths of a second, and several are made at
 * once: so each is made in a thread first, and found there by device_open(). */
struct early {
	const struct devlibs_cuda *cuda;
	pthread_t thread;
	bool started, held;
	int ordinal;
	cuda_device device;
};

static void *make_early(void *arg)
{
	struct early *e = arg;
	struct cuda_context *context;

	e->held = e->cuda->device(&e->device, e->ordinal) == CUDA_RC_OK &&
		  e->cuda->retain(&context, e->device) == CUDA_RC_OK;
	return NULL;
}

static void make_contexts(const struct probe_group *group, struct early *early,
			  int n)
{
	int i;

	device_enter(group->libs, devlibs_cuda_names.retain);
	for (i = 0; i < n; i++) {
		early[i] = (struct early){ .cuda = &group->libs->cuda,
					   .ordinal = i };
		early[i].started = !pthread_create(&early[i].thread, NULL,
						   make_early, &early[i]);
	}
	for (i = 0; i < n; i++)
		if (early[i].started)
			pthread_join(early[i].thread, NULL);
	device_enter(group->libs, "");
}

/* The devices hold their contexts themselves by now. */
static void let_go(const struct probe_group *group, const struct early *early,
		   int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (early[i].held)
			group->libs->cuda.release(early[i].device);
}

/* In the driver's order the GPUs are as they are listed: those chosen. */
static void open_group(const struct worker_task *t, struct probe_group *group)
{
	static struct gpu_probes unused;
	static struct early early[PROBE_GPUS_MAX];
	struct probe_shot shot;
	char uuids[PROBE_GPUS_MAX * 64];
	int ordinal = 0;
	int chosen = 0;
	int i;

	group->libs->plan = t->plan;
	group->libs->progress = &t->page->progress;
	group->libs->crew = t->page->crew;
	group->nccl_path = t->plan->nccl_path;
	group->count = t->plan->gpus->count;
	list_uuids(t->plan, uuids, sizeof(uuids));
	make_environment(t, uuids);
	measure_begin(NULL, &shot);
	if (device_libs_open(group->libs, t->plan->cuda_path,
			     t->plan->nvml_path, &shot) < 0)
		return;
	for (i = 0; i < group->count; i++)
		chosen += t->plan->chosen[i];
	make_contexts(group, early, chosen);
	for (i = 0; i < group->count; i++) {
		group->ok[i] = t->plan->chosen[i] &&
			       device_open(&group->gpu[i], group->libs,
					   ordinal++, &unused, &shot) == 0;
		group->gpu[i].place = i;
	}
	let_go(group, early, chosen);
}

static int serve_group(int sock, const struct worker_task *t)
{
	static struct probe_libs libs;
	static struct probe_group group = { .libs = &libs };
	struct worker_msg m;
	int i;

	open_group(t, &group);
	say_done(sock, PROBE_context, 0);
	while (next_order(sock, &m)) {
		group.again = m.shot ? t->page->again : NULL;
		libs.until_ms = until(&m);
		if (group_measures[m.probe])
			group_measures[m.probe](&group, &t->page->result,
						m.shot);
		say_done(sock, m.probe, m.shot);
	}
	for (i = 0; i < group.count; i++)
		if (group.ok[i])
			device_close(&group.gpu[i]);
	return 0;
}

/* ---- a port --------------------------------------------------------------- */

static int open_port(const struct worker_task *t, struct rdma_port *p,
		     struct probe_shot *shot)
{
	int k = t->place - PROBE_GPUS_MAX;
	int hca = t->plan->port[k].hca;
	int64_t began = clock_mono_us();
	char dir[96];
	int near, rc;

	snprintf(dir, sizeof(dir), "sys/class/infiniband/%s/device",
		 t->plan->fabric->hca[hca].name);
	near = go_near(t, dir);
	clear_environment();
	measure_begin(NULL, shot);
	p->progress = &t->page->progress;
	rc = rdma_open(p, t->plan, k, shot);
	if (!rc)
		shot->end = PROBE_DONE;
	shot->cond.numa_wanted = near;
	shot->elapsed_us = clock_mono_us() - began;
	return rc;
}

static void measure_port(struct rdma_port *p, struct port_probes *out,
			 const struct worker_msg *m)
{
	struct probe_shot *shot = &out->probe[m->probe].shot[m->shot];
	int64_t began = clock_mono_us();

	p->until_ms = until(m);
	measure_begin(NULL, shot);
	shot->cond.numa_wanted =
		out->probe[PROBE_context].shot[0].cond.numa_wanted;
	if (port_measures[m->probe])
		port_measures[m->probe](p, out, shot, m->shot);
	shot->elapsed_us = clock_mono_us() - began;
}

static int serve_port(int sock, const struct worker_task *t)
{
	static struct rdma_port port;
	struct port_probes *out;
	struct worker_msg m;
	int rc;

	out = &t->page->result.port[t->place - PROBE_GPUS_MAX];
	rc = open_port(t, &port, &out->probe[PROBE_context].shot[0]);
	say_done(sock, PROBE_context, 0);
	while (!rc && next_order(sock, &m)) {
		measure_port(&port, out, &m);
		say_done(sock, m.probe, m.shot);
	}
	if (!rc)
		rdma_close(&port);
	return 0;
}

/* ---- no device ----------------------------------------------------------- */

static int serve_storage(int sock, const struct worker_task *t)
{
	struct worker_msg m;

	say_done(sock, PROBE_context, 0);
	snprintf(t->page->progress.call, sizeof(t->page->progress.call),
		 "read");
	while (next_order(sock, &m)) {
		measure_storage(t->plan, &t->page->result, m.shot, until(&m));
		say_done(sock, m.probe, m.shot);
	}
	return 0;
}

int worker_body(int sock, void *task)
{
	const struct worker_task *t = task;

	/* Without a parent nobody says that it is over: one that is stuck has
	 * the others' sockets open. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (t->place == WORKER_STORAGE)
		return serve_storage(sock, t);
	if (t->place == WORKER_GROUP)
		return serve_group(sock, t);
	return t->place < PROBE_GPUS_MAX ? serve_one(sock, t) :
					   serve_port(sock, t);
}
