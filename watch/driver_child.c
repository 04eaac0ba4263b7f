/* SPDX-License-Identifier: Apache-2.0
 * Inside of the child that asks the GPU driver. */
#include "config.h"
#include "watch/driver_page.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/facts_gpu_ask.h"

/* What the child keeps of a GPU between rounds. */
struct kept {
	char bus_id[24];	/* "" none */
	bool gpm;		/* the counters can be had */
	bool primed;		/* pair[0] holds a sample */
	struct nvml_gpm_sample *pair[2];
};

struct child {
	struct driver_page *page;
	struct gpu_ask ask;
	struct kept kept[FACTS_GPUS_MAX];
};

static const unsigned int metrics[] = {
	NVML_GPM_BUSY,	    NVML_GPM_SM,	       NVML_GPM_TENSOR,
	NVML_GPM_DRAM,	    NVML_GPM_SM_CYCLES,
	NVML_GPM_SM_ACTIVE_CYCLES, NVML_GPM_TENSOR_CYCLES,
};

#define METRICS (sizeof(metrics) / sizeof(metrics[0]))

static void all_unknown(struct gpm_figures *f)
{
	f->busy = f->sm = f->tensor = f->dram = NAN;
	f->sm_cycles = f->sm_active_cycles = f->tensor_cycles = NAN;
}

/* ---- performance counters -------------------------------------------------- */

/* Of a GPU cut into instances they are nobody's. */
static bool gpm_usable(struct child *c, int slot)
{
	struct gpu_ask *a = &c->ask;
	struct nvml_gpm_support s = { .version = NVML_GPM_VERSION };
	unsigned int mig = 0, pending = 0;

	if (!a->n.gpm_sample || !a->n.gpm_metrics || !a->n.gpm_alloc)
		return false;
	a->slot = slot;
	if (GPU_CALL(a, mig_mode, a->handle[slot], &mig, &pending) == 0 && mig)
		return false;
	return GPU_CALL(a, gpm_support, a->handle[slot], &s) == 0 &&
	       s.supported;
}

static bool gpm_alloc(struct child *c, struct kept *k)
{
	int i;

	for (i = 0; i < 2; i++)
		if (!k->pair[i] && GPU_CALL(&c->ask, gpm_alloc, &k->pair[i]))
			return false;
	return true;
}

static double share(const struct nvml_gpm_metric *m)
{
	double v = m->value / 100;

	return m->rc || !isfinite(v) || v < 0 || v > 1.05 ? NAN :
	       v > 1					     ? 1 :
							       v;
}

static double count(const struct nvml_gpm_metric *m)
{
	return m->rc || !isfinite(m->value) || m->value < 0 ? NAN : m->value;
}

static void take_metrics(const struct nvml_gpm_metric *m, struct gpm_figures *f)
{
	f->busy = share(&m[0]);
	f->sm = share(&m[1]);
	f->tensor = share(&m[2]);
	f->dram = share(&m[3]);
	f->sm_cycles = count(&m[4]);
	f->sm_active_cycles = count(&m[5]);
	f->tensor_cycles = count(&m[6]);
}

/* Between the last sample and one taken now, which becomes the last: a pair
 * never grows older than a round. */
static void read_gpm(struct child *c, int slot, struct gpm_figures *f)
{
	static struct nvml_gpm_get get;
	struct kept *k = &c->kept[slot];
	struct nvml_gpm_sample *older = k->pair[0];
	size_t i;

	all_unknown(f);
	if (!k->gpm || !gpm_alloc(c, k))
		return;
	older = k->pair[0];
	if (GPU_CALL(&c->ask, gpm_sample, c->ask.handle[slot], k->pair[1])) {
		k->primed = false;
		return;
	}
	k->pair[0] = k->pair[1];
	k->pair[1] = older;
	if (!k->primed) {
		k->primed = true;
		return;
	}
	get.version = NVML_GPM_VERSION;
	get.count = METRICS;
	get.first = k->pair[1];
	get.second = k->pair[0];
	for (i = 0; i < METRICS; i++)
		get.metric[i] = (struct nvml_gpm_metric){ .id = metrics[i],
							  .rc = -1 };
	if (GPU_CALL(&c->ask, gpm_metrics, &get) == 0)
		take_metrics(get.metric, f);
}

/* ---- rounds ---------------------------------------------------------------- */

static bool ready(struct child *c, int slot)
{
	const char *bus_id = c->page->bus_id[slot];
	struct kept *k = &c->kept[slot];

	if (!strcmp(k->bus_id, bus_id) && c->ask.handle[slot])
		return true;
	facts_gpu_unasked(&c->ask.io->gpu[slot]);
	memcpy(c->ask.io->gpu[slot].bus_id, bus_id, sizeof(k->bus_id));
	k->bus_id[0] = '\0';
	k->primed = false;
	if (facts_gpu_ask_handle(&c->ask, slot) != 0)
		return false;
	memcpy(k->bus_id, bus_id, sizeof(k->bus_id));
	k->gpm = gpm_usable(c, slot);
	return true;
}

static void read_gpu(struct child *c, int slot)
{
	struct driver_reading *out = &c->page->reading[slot];

	c->ask.slot = slot;
	if (!ready(c, slot))
		return;
	out->at_us = clock_mono_us();
	facts_gpu_ask_counters(&c->ask, slot);
	read_gpm(c, slot, &out->gpm);
	out->gpu = c->ask.io->gpu[slot];
	out->round = c->page->round;
}

static void do_round(struct child *c)
{
	int i;

	if (!c->ask.n.so && facts_gpu_ask_open(&c->ask) < 0) {
		snprintf(c->page->why, sizeof(c->page->why), "%s (NVML %d)",
			 c->ask.io->library_error[0] ?
				 c->ask.io->library_error :
				 "NVML does not start",
			 c->ask.io->init_rc);
		return;
	}
	c->page->why[0] = '\0';
	for (i = 0; i < c->page->count; i++)
		read_gpu(c, i);
}

/* A round for each message, until the parent closes its end. */
int driver_child(int sock, void *arg)
{
	struct driver_page *page = arg;
	static struct facts_gpus gpus;
	static struct facts_gpu_request q;
	static struct child c;
	char word;
	ssize_t n;

	/* A sibling may hold the parent's end of the socket: its closing does
	 * not tell of the parent's death. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	q.nvml_path = page->nvml_path;
	q.progress = &page->progress;
	c.page = page;
	c.ask.q = &q;
	c.ask.io = &gpus;
	c.ask.slot = page->progress.gpu = -1;
	page->progress.call[0] = '\0';
	for (;;) {
		n = recv(sock, &word, 1, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		do_round(&c);
		if (worker_send(sock, &word, 1) < 0)
			return 0;
		if (page->why[0])
			return 1;
	}
}
