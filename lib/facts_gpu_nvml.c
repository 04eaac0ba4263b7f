/* SPDX-License-Identifier: Apache-2.0
 * The part of facts_gpu that calls the driver: finding the GPUs.
 */
#include "config.h"
#include "lib/facts_gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cgroup.h"
#include "lib/clock.h"
#include "lib/facts_gpu_ask.h"
#include "lib/scrub.h"

/* ---- the library ------------------------------------------------------ */

static int load(struct gpu_ask *a)
{
	struct err e = { "" };

	if (devlibs_nvml_load(&a->n, a->q->nvml_path, &e) == 0)
		return 0;
	a->io->no_library = !a->n.so;
	a->io->missing_required = a->n.missing_required;
	scrub_copy(a->io->library_error, sizeof(a->io->library_error), e.text);
	return -1;
}

/* Without GPUs NVML shall say so, not fail. */
static int init(struct gpu_ask *a)
{
	a->slot = -1;
	if (a->n.init_flags)
		a->io->init_rc = GPU_CALL(a, init_flags, NVML_FLAG_NO_GPUS);
	else
		a->io->init_rc = GPU_CALL(a, init);
	return a->io->init_rc;
}

int facts_gpu_ask_open(struct gpu_ask *a)
{
	return load(a) < 0 || init(a) != 0 ? -1 : 0;
}

static void ask_library(struct gpu_ask *a)
{
	char text[96] = "";
	unsigned int count = 0;

	if (GPU_CALL(a, driver_version, text, sizeof(text)) == 0)
		scrub_copy(a->io->driver, sizeof(a->io->driver), text);
	if (GPU_CALL(a, count, &count) == 0 && count < 100000)
		a->io->nvml_count = (int)count;
}

/* ---- GPUs that files know --------------------------------------------- */

static bool skipped(const struct gpu_ask *a, int slot)
{
	return a->q->skip && a->q->skip[slot];
}

int facts_gpu_ask_handle(struct gpu_ask *a, int slot)
{
	struct gpu *g = &a->io->gpu[slot];
	unsigned int domain = 0, bus = 0, dev = 0, fn = 0;
	char id[40];

	sscanf(g->bus_id, "%x:%x:%x.%x", &domain, &bus, &dev, &fn);
	snprintf(id, sizeof(id), "%08X:%02X:%02X.%X", domain, bus, dev, fn);
	a->slot = slot;
	g->asked = true;
	g->answered = false;
	g->handle_rc = GPU_CALL(a, by_bus_id, id, &a->handle[slot]);
	if (g->handle_rc == 0)
		g->in_nvml = true;
	else
		a->handle[slot] = NULL;
	return g->handle_rc;
}

/* A fence answers before the driver does. Asked in a job only, and only about
 * a GPU that NVML does not show: else an open might wake it, or hang. */
static bool is_fenced(const struct gpu_ask *a, const struct gpu *g)
{
	char path[32];
	int fd;

	if (g->minor < 0 ||
	    (g->handle_rc != NVML_RC_NOT_FOUND &&
	     g->handle_rc != NVML_RC_NO_PERMISSION) ||
	    !cgroup_of_process(a->q->roots, "self", NULL, NULL))
		return false;
	snprintf(path, sizeof(path), "dev/nvidia%d", g->minor);
	fd = roots_openat(a->q->roots, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return errno == EPERM;
	close(fd);
	return false;
}

static void ask_known(struct gpu_ask *a)
{
	int i;

	for (i = 0; i < a->io->count; i++) {
		if (skipped(a, i))
			continue;
		facts_gpu_ask_handle(a, i);
		if (a->handle[i])
			facts_gpu_ask_one(a, i);
		else
			a->io->gpu[i].fenced = is_fenced(a, &a->io->gpu[i]);
		a->io->gpu[i].answered = true;
		a->q->emit(a->io, i, a->q->arg);
	}
}

/* ---- GPUs that only NVML knows ---------------------------------------- */

/* How many of NVML's GPUs nobody has named yet. One that was not asked, or
 * whose handle was refused, is taken to be one of NVML's: an index might lead
 * to it, and to call about it may hang. */
static int unnamed(const struct gpu_ask *a)
{
	int i, n = a->io->nvml_count;

	for (i = 0; i < a->io->count; i++)
		if (a->handle[i] || skipped(a, i) ||
		    a->io->gpu[i].handle_rc != NVML_RC_NOT_FOUND)
			n--;
	return n;
}

static bool is_named(const struct gpu_ask *a, const struct nvml_device *h)
{
	int i;

	for (i = 0; i < a->io->count; i++)
		if (a->handle[i] == h)
			return true;
	return false;
}

/* The GPU that an unnamed handle may be: the bus has one that NVML does not
 * find by its address. -1: none. */
static int candidate(const struct gpu_ask *a)
{
	int i;

	for (i = 0; i < a->io->count; i++)
		if (!a->handle[i] && !skipped(a, i) &&
		    a->io->gpu[i].handle_rc == NVML_RC_NOT_FOUND)
			return i;
	return -1;
}

static bool is_listed(const struct facts_gpus *g, const char *bus_id)
{
	int i;

	for (i = 0; i < g->count; i++)
		if (strcmp(g->gpu[i].bus_id, bus_id) == 0)
			return true;
	return false;
}

/* A handle that no bus id led to: a place of its own, by the bus id that it
 * tells. Whoever does not tell one is taken for the GPU that was not found. */
static void take_unnamed(struct gpu_ask *a, struct nvml_device *h)
{
	struct nvml_pci_info pci = { .bus_id = "" };
	char id[24] = "";
	int rc, slot;

	a->slot = candidate(a);
	rc = GPU_CALL(a, pci_info, h, &pci);
	if (rc && a->slot >= 0) {
		a->io->gpu[a->slot].handle_rc = rc;
		a->io->gpu[a->slot].in_nvml = true;
		a->q->emit(a->io, a->slot, a->q->arg);
		return;
	}
	pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
	if (rc || facts_gpu_bus_id(pci.bus_id, id, sizeof(id)) < 0)
		id[0] = '\0';
	if (is_listed(a->io, id))
		return;
	slot = facts_gpu_add(a->io, id);
	if (slot < 0)
		return;
	a->handle[slot] = h;
	a->io->gpu[slot].in_nvml = a->io->gpu[slot].asked = true;
	a->io->gpu[slot].handle_rc = rc;
	if (!rc)
		facts_gpu_ask_one(a, slot);
	a->io->gpu[slot].answered = true;
}

static void ask_unnamed(struct gpu_ask *a)
{
	struct nvml_device *h;
	int i, before = a->io->count;

	if (unnamed(a) <= 0)
		return;
	for (i = 0; i < a->io->nvml_count; i++) {
		a->slot = -1;
		if (GPU_CALL(a, by_index, (unsigned int)i, &h) == 0 &&
		    !is_named(a, h))
			take_unnamed(a, h);
	}
	/* The newcomers may have moved every index. */
	for (i = 0; a->io->count > before && i < a->io->count; i++)
		if (!skipped(a, i))
			a->q->emit(a->io, i, a->q->arg);
}

/* ---- the second look -------------------------------------------------- */

static bool look_once_more(struct gpu_ask *a, const bool *odd)
{
	bool left = false;
	int i;

	clock_sleep_ms(a->q->second_look_ms);
	for (i = 0; i < a->io->count; i++) {
		if (!odd[i])
			continue;
		facts_gpu_ask_again(a, i);
		left |= a->io->gpu[i].procs_again;
		a->q->emit(a->io, i, a->q->arg);
	}
	return left;
}

static void look_again(struct gpu_ask *a)
{
	bool odd[FACTS_GPUS_MAX], any = false;
	int waited = 0;
	int i;

	for (i = 0; i < a->io->count; i++) {
		odd[i] = a->handle[i] && facts_gpu_is_odd(&a->io->gpu[i]);
		any = any || odd[i];
	}
	if (!any || a->q->second_look_ms <= 0)
		return;
	while (look_once_more(a, odd) &&
	       (waited += a->q->second_look_ms) < a->q->procs_patience_ms)
		;
}

int facts_gpu_ask(const struct facts_gpu_request *q, struct facts_gpus *io)
{
	struct gpu_ask a = { .q = q, .io = io, .slot = -1 };

	q->progress->call[0] = '\0';
	q->progress->gpu = -1;
	if (facts_gpu_ask_open(&a) < 0)
		return 0;
	ask_library(&a);
	ask_known(&a);
	ask_unnamed(&a);
	look_again(&a);
	return 0;
}
