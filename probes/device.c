/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/device.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "probes/conditions.h"

#define LOOK_EVERY_MS 20
#define END_MS 200		/* to sum up and to free */

void device_enter(struct probe_libs *l, const char *call)
{
	snprintf(l->progress->call, sizeof(l->progress->call), "%s", call);
}

int device_leave(struct probe_libs *l, struct probe_shot *shot,
		 const char *call, int rc)
{
	const char *name = NULL;

	device_enter(l, "");
	if (rc == CUDA_RC_OK)
		return 0;
	if (l->cuda.error_name && l->cuda.error_name(rc, &name) != CUDA_RC_OK)
		name = NULL;
	shot->end = PROBE_FAULT;
	shot->rc = rc;
	snprintf(shot->call, sizeof(shot->call), "%s", call);
	snprintf(shot->why, sizeof(shot->why), "%s: %.60s (%d)", call,
		 name ? name : "CUDA error", rc);
	return -1;
}

static void say_why(struct probe_shot *shot, enum probe_end end, const char *why,
		    va_list ap)
{
	shot->end = end;
	vsnprintf(shot->why, sizeof(shot->why), why, ap);
}

#define SAY_WHY(shot, end, why) \
	do { \
		va_list ap; \
		va_start(ap, why); \
		say_why(shot, end, why, ap); \
		va_end(ap); \
	} while (0)

int device_unable(struct probe_shot *shot, const char *why, ...)
{
	SAY_WHY(shot, PROBE_UNABLE, why);
	return -1;
}

int device_never(struct probe_shot *shot, const char *why, ...)
{
	SAY_WHY(shot, PROBE_UNABLE, why);
	shot->never = true;
	return -1;
}

int device_not_now(struct probe_shot *shot, const char *why, ...)
{
	SAY_WHY(shot, PROBE_NONE, why);
	return -1;
}

static int load_cuda(struct probe_libs *l, const char *path,
		     struct probe_shot *shot)
{
	struct err e;

	device_enter(l, "dlopen");
	if (devlibs_cuda_load(&l->cuda, path, &e) == 0)
		return 0;
	device_unable(shot, "%.110s", e.text);
	/* A driver too old or too new is our trouble, and so is a library that
	 * the configuration names; a node without one is a node without one. */
	if (errno == ENOSYS || (path && *path))
		shot->end = PROBE_BROKEN;
	return -1;
}

/* Without NVML the figures stand, but not their conditions. */
static void load_nvml(struct probe_libs *l, const char *path)
{
	struct err e;

	if (devlibs_nvml_load(&l->nvml, path, &e) < 0)
		return;
	device_enter(l, devlibs_nvml_names.init);
	l->have_nvml = l->nvml.init() == NVML_RC_OK;
	device_enter(l, "");
}

int device_libs_open(struct probe_libs *l, const char *cuda_path,
		     const char *nvml_path, struct probe_shot *shot)
{
	if (load_cuda(l, cuda_path, shot) < 0)
		return -1;
	load_nvml(l, nvml_path);
	return DEVICE_CALL(l, shot, init, 0);
}

static int attribute(struct probe_device *d, int which)
{
	int v = 0;

	device_enter(d->libs, devlibs_cuda_names.attribute);
	if (d->libs->cuda.attribute(&v, which, d->ordinal) != CUDA_RC_OK)
		v = 0;
	return v;
}

static void describe(struct probe_device *d, struct gpu_probes *g)
{
	double khz = attribute(d, CUDA_ATTR_MEMORY_CLOCK_RATE);
	double bits = attribute(d, CUDA_ATTR_MEMORY_BUS_WIDTH);

	d->sms = attribute(d, CUDA_ATTR_MULTIPROCESSOR_COUNT);
	d->cc = attribute(d, CUDA_ATTR_CC_MAJOR) * 10 +
		attribute(d, CUDA_ATTR_CC_MINOR);
	d->l2_bytes = attribute(d, CUDA_ATTR_L2_CACHE_SIZE);
	g->sms = d->sms;
	g->cc = d->cc;
	g->l2_bytes = d->l2_bytes;
	g->hbm_peak_gbps = khz > 0 && bits > 0 ? khz * bits / 8 * 2 / 1e6 : NAN;
	if (d->libs->cuda.driver_version)
		d->libs->cuda.driver_version(&g->cuda_version);
}

/* The GPU in NVML, by the bus id that CUDA gives it. */
static void find_in_nvml(struct probe_device *d)
{
	struct probe_libs *l = d->libs;
	char bus_id[32];

	if (!l->have_nvml || !l->cuda.bus_id ||
	    l->cuda.bus_id(bus_id, sizeof(bus_id), d->ordinal) != CUDA_RC_OK)
		return;
	device_enter(l, devlibs_nvml_names.by_bus_id);
	if (l->nvml.by_bus_id(bus_id, &d->nvml) != NVML_RC_OK)
		d->nvml = NULL;
	device_enter(l, "");
}

static int load_functions(struct probe_device *d, struct probe_shot *shot)
{
	int i;

	for (i = 0; i < KERNEL_COUNT; i++)
		if (DEVICE_CALL(d->libs, shot, module_function,
				&d->function[i], d->module,
				kernels_symbol[i]) < 0)
			return -1;
	return 0;
}

/* Code of an architecture that does not lie in the fat binary was made by the
 * driver, from PTX. */
static bool is_jit(struct probe_device *d)
{
	const int *native;
	int version = 0;

	if (!d->libs->cuda.function_get ||
	    d->libs->cuda.function_get(&version, CUDA_FUNC_BINARY_VERSION,
				       d->function[0]) != CUDA_RC_OK)
		return !kernels_is_native(d->cc / 10, d->cc % 10);
	for (native = kernels_native; *native; native++)
		if (*native == version)
			return false;
	return true;
}

/* Without kernels the copies still work: that is no failure of the device. */
static void load_kernels(struct probe_device *d, struct gpu_probes *g)
{
	struct probe_shot shot = { .end = PROBE_NONE };
	int ok;

	if (!kernels_fatbin) {
		snprintf(d->no_kernels, sizeof(d->no_kernels),
			 "built without nvcc: there are no kernels");
		return;
	}
	ok = DEVICE_CALL(d->libs, &shot, module_load, &d->module,
			 kernels_fatbin) == 0 &&
	     load_functions(d, &shot) == 0;
	g->jit = ok && is_jit(d);
	if (!ok)
		snprintf(d->no_kernels, sizeof(d->no_kernels), "%.99s",
			 shot.why);
}

static int open_context(struct probe_device *d, struct probe_shot *shot)
{
	struct probe_libs *l = d->libs;

	if (DEVICE_CALL(l, shot, retain, &d->context, d->ordinal) < 0)
		return -1;
	return DEVICE_CALL(l, shot, set_current, d->context) < 0 ||
			       DEVICE_CALL(l, shot, stream_create, &d->stream,
					   CUDA_STREAM_NON_BLOCKING) < 0 ||
			       DEVICE_CALL(l, shot, event_create, &d->begin,
					   CUDA_EVENT_DEFAULT) < 0 ||
			       DEVICE_CALL(l, shot, event_create, &d->end,
					   CUDA_EVENT_DEFAULT) < 0 ?
		       -1 :
		       0;
}

int device_open(struct probe_device *d, struct probe_libs *l, int ordinal,
		struct gpu_probes *g, struct probe_shot *shot)
{
	memset(d, 0, sizeof(*d));
	d->libs = l;
	d->numa_wanted = -1;
	if (DEVICE_CALL(l, shot, device, &d->ordinal, ordinal) < 0)
		return -1;
	describe(d, g);
	find_in_nvml(d);
	if (open_context(d, shot) < 0)
		return -1;
	load_kernels(d, g);
	return 0;
}

void device_close(struct probe_device *d)
{
	struct devlibs_cuda *c = &d->libs->cuda;

	if (!d->context)
		return;
	device_enter(d->libs, devlibs_cuda_names.release);
	c->set_current(d->context);
	if (d->module)
		c->module_unload(d->module);
	if (d->begin)
		c->event_destroy(d->begin);
	if (d->end)
		c->event_destroy(d->end);
	if (d->stream)
		c->stream_destroy(d->stream);
	c->release(d->ordinal);
	d->context = NULL;
	device_enter(d->libs, "");
}

int device_alloc(struct probe_device *d, struct probe_shot *shot,
		 cuda_ptr *ptr, int64_t bytes)
{
	*ptr = 0;
	if (DEVICE_CALL(d->libs, shot, mem_alloc, ptr, (size_t)bytes) < 0)
		return -1;
	d->held_bytes += bytes;
	return 0;
}

void device_free(struct probe_device *d, cuda_ptr *ptr, int64_t bytes)
{
	if (!*ptr)
		return;
	device_enter(d->libs, devlibs_cuda_names.mem_free);
	if (d->libs->cuda.mem_free(*ptr) == CUDA_RC_OK)
		d->held_bytes -= bytes;
	device_enter(d->libs, "");
	*ptr = 0;
}

int64_t device_room(struct probe_device *d, struct probe_shot *shot,
		    int64_t wanted, int64_t least)
{
	size_t unused, total;

	if (DEVICE_CALL(d->libs, shot, mem_info, &unused, &total) < 0)
		return -1;
	if ((int64_t)(unused / 4) < wanted)
		wanted = (int64_t)(unused / 4) & ~(int64_t)4095;
	if (wanted < least)
		return device_not_now(shot, "only %zu MiB of its memory are free",
				     unused >> 20);
	return wanted;
}

int64_t device_left_ms(const struct probe_device *d)
{
	return d->libs->until_ms - clock_mono_ms() - END_MS;
}

int device_launch(struct probe_device *d, struct probe_shot *shot,
		  const struct kernel_run *run)
{
	void *params[] = { run->args };

	return DEVICE_CALL(d->libs, shot, launch, d->function[run->kernel],
			   run->blocks, 1, 1, KERNEL_THREADS, 1, 1,
			   run->shared_bytes, d->stream, params, NULL);
}

int device_fill(struct probe_device *d, struct probe_shot *shot, cuda_ptr dst,
		int64_t bytes, uint32_t seed)
{
	struct kernel_fill args = { .dst = dst, .seed = seed,
				    .words = (uint64_t)bytes / 16 };
	struct kernel_run run = { .kernel = KERNEL_fill,
				  .blocks = d->sms > 0 ? (unsigned int)d->sms : 1,
				  .args = &args };

	if (d->no_kernels[0])
		return DEVICE_CALL(d->libs, shot, memset_d32, dst, seed,
				   (size_t)bytes / 4, d->stream);
	return device_launch(d, shot, &run);
}

int device_begin(struct probe_device *d, struct probe_shot *shot)
{
	return DEVICE_CALL(d->libs, shot, event_record, d->begin, d->stream);
}

/* First without a pause. */
int device_reach(struct probe_device *d, struct probe_shot *shot,
		 struct cuda_event *event)
{
	int64_t looked = clock_mono_ms() - LOOK_EVERY_MS;
	int rc;

	for (;;) {
		if (clock_mono_ms() - looked >= LOOK_EVERY_MS) {
			conditions_look(d, &shot->cond);
			looked = clock_mono_ms();
		}
		device_enter(d->libs, devlibs_cuda_names.event_query);
		rc = d->libs->cuda.event_query(event);
		if (rc != CUDA_RC_NOT_READY)
			return device_leave(d->libs, shot,
					    devlibs_cuda_names.event_query, rc);
		clock_sleep_ms(1);
	}
}

int device_wait(struct probe_device *d, struct probe_shot *shot)
{
	if (DEVICE_CALL(d->libs, shot, event_record, d->end, d->stream) < 0)
		return -1;
	return device_reach(d, shot, d->end);
}

int device_finish(struct probe_device *d, struct probe_shot *shot,
		  double *seconds)
{
	float ms;

	if (device_wait(d, shot) < 0 ||
	    DEVICE_CALL(d->libs, shot, event_elapsed, &ms, d->begin,
			d->end) < 0)
		return -1;
	if (ms <= 0)
		return device_not_now(shot, "the GPU's clock gave no time");
	*seconds = ms / 1e3;
	return 0;
}
