/* SPDX-License-Identifier: Apache-2.0
 * What the judges of GPU facts share. */
#include "config.h"
#include "checks/gpu_each.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *gpu_rc_text(int rc)
{
	static const struct {
		int rc;
		const char *text;
	} table[] = {
		{ GPU_RC_OK, "success" },
		{ GPU_RC_INVALID, "invalid argument" },
		{ GPU_RC_NOT_SUPPORTED, "not supported" },
		{ GPU_RC_NO_PERMISSION, "no permission" },
		{ GPU_RC_NOT_FOUND, "not found" },
		{ GPU_RC_NO_DRIVER, "driver not loaded" },
		{ GPU_RC_NO_FUNCTION, "function not found" },
		{ GPU_RC_LOST, "GPU lost" },
		{ GPU_RC_RESET_REQUIRED, "GPU needs a reset" },
		{ GPU_RC_MISMATCH, "driver and library differ" },
		{ GPU_RC_NO_DATA, "no data" },
		{ GPU_RC_VERSION, "struct version differs" },
		{ GPU_RC_DEPRECATED, "deprecated" },
		{ GPU_RC_NOT_READY, "not ready" },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].rc == rc)
			return table[i].text;
	return "unknown code";
}

bool gpu_rc_fatal(int rc)
{
	return rc == GPU_RC_NO_DRIVER || rc == GPU_RC_LOST ||
	       rc == GPU_RC_RESET_REQUIRED || rc == GPU_RC_MISMATCH;
}

const char *gpu_rc_suffix(int rc)
{
	switch (rc) {
	case GPU_RC_NO_DRIVER:
		return "not_loaded";
	case GPU_RC_LOST:
		return "lost";
	case GPU_RC_RESET_REQUIRED:
		return "reset_required";
	default:
		return "mismatch";
	}
}

enum remedy gpu_rc_remedy(int rc)
{
	return rc == GPU_RC_RESET_REQUIRED ? REMEDY_RESET_GPU : REMEDY_REBOOT;
}

/* The GPU or the driver simply does not offer the value. */
static bool not_offered(int rc)
{
	switch (rc) {
	case GPU_RC_INVALID:
	case GPU_RC_NOT_SUPPORTED:
	case GPU_RC_NOT_FOUND:
	case GPU_RC_NO_FUNCTION:
	case GPU_RC_NO_DATA:
	case GPU_RC_VERSION:
	case GPU_RC_DEPRECATED:
	case GPU_RC_NOT_READY:
		return true;
	}
	return rc < 0;
}

int gpu_next(const struct check_env *env, int i)
{
	const struct facts_gpus *g = &env->facts->gpus;

	for (i++; i < g->count; i++)
		if (g->gpu[i].answered)
			return i;
	return -1;
}

bool gpu_equal(const struct gpu *a, const struct gpu *b)
{
	if (a->pci_id && b->pci_id)
		return a->pci_id == b->pci_id;
	return a->name[0] && !strcmp(a->name, b->name);
}

const char *gpu_nvml_bus_id(const char *bus_id, char *buf, size_t size)
{
	size_t i;

	snprintf(buf, size, "0000%s", bus_id);
	for (i = 0; buf[i]; i++)
		buf[i] = (char)toupper((unsigned char)buf[i]);
	return buf;
}

bool gpu_is_c2c(const struct gpu *g)
{
	return VAL_KNOWN(g->pcie_width_max) && g->pcie_width_max.v <= 1 &&
	       VAL_KNOWN(g->pcie_gen_max) && g->pcie_gen_max.v <= 1;
}

bool gpu_is_lanes(int64_t w)
{
	return w >= 1 && w <= 32;
}

static void narrow(int64_t *can, int64_t w)
{
	if (gpu_is_lanes(w) && (*can == GPU_LEVEL_UNKNOWN || w < *can))
		*can = w;
}

int64_t gpu_lanes_max(const struct gpu *g)
{
	int64_t can = GPU_LEVEL_UNKNOWN;

	if (g->answered && VAL_KNOWN(g->pcie_width_max))
		narrow(&can, g->pcie_width_max.v);
	narrow(&can, g->pci_width_max);
	narrow(&can, g->pci_parent_width_max);
	return can;
}

bool gpu_known(struct gpu_look *l, int gpu, struct val v, const char *what)
{
	if (VAL_KNOWN(v)) {
		l->known++;
		return true;
	}
	if (not_offered(v.rc) || gpu_rc_fatal(v.rc) || l->complained)
		return false;
	result_add_gpu(l->r, STATUS_ERROR, "unread", l->env, gpu,
		       "%s unreadable: NVML %d (%s)", what, v.rc,
		       gpu_rc_text(v.rc));
	l->complained = true;
	return false;
}

int gpu_done(struct gpu_look *l, const char *why)
{
	if (!l->known && !l->r->count)
		return result_skip(l->r, "%s", why);
	return 0;
}

int64_t gpu_common_level(const struct check_env *env, const int64_t *level, int i)
{
	const struct facts_gpus *g = &env->facts->gpus;
	int64_t best = level[i];
	int j, k, n, reach;

	if (level[i] == GPU_LEVEL_UNKNOWN)
		return GPU_LEVEL_UNKNOWN;
	for (j = 0; j < g->count; j++) {
		if (level[j] <= best || !gpu_equal(&g->gpu[i], &g->gpu[j]))
			continue;
		n = reach = 0;
		for (k = 0; k < g->count; k++) {
			if (level[k] == GPU_LEVEL_UNKNOWN ||
			    (k != i && !gpu_equal(&g->gpu[i], &g->gpu[k])))
				continue;
			n++;
			reach += level[k] >= level[j];
		}
		if (2 * reach > n)
			best = level[j];
	}
	return best;
}

void gpu_evidence_boot(struct finding *f, const struct check_env *env,
		       const char *fmt, ...)
{
	size_t len;
	va_list ap;

	if (!f)
		return;
	snprintf(f->evidence, sizeof(f->evidence),
		 "%s:", env->facts->kmsg.boot_id);
	len = strlen(f->evidence);
	va_start(ap, fmt);
	vsnprintf(f->evidence + len, sizeof(f->evidence) - len, fmt, ap);
	va_end(ap);
}

int64_t gpu_recall(const struct check_env *env, int gpu, const char *key)
{
	const char *boot = env->facts->kmsg.boot_id;
	const char *noted;
	json_t *v;

	noted = json_string_value(json_object_get(env->memory, "boot"));
	if (!noted || !boot[0] || strcmp(noted, boot))
		return -1;
	v = json_object_get(env->memory, "gpus");
	v = json_object_get(v, env->facts->gpus.gpu[gpu].uuid);
	v = json_object_get(v, key);
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return -1;
	return json_integer_value(v);
}

/* The member of obj, made if it is not there; NULL on ENOMEM. */
static json_t *member(json_t *obj, const char *key)
{
	json_t *m = json_object_get(obj, key);

	if (!m && !json_object_set_new(obj, key, json_object()))
		m = json_object_get(obj, key);
	return m;
}

void gpu_note(struct check_result *r, const struct check_env *env, int gpu,
	      const char *key, int64_t v)
{
	const char *uuid = env->facts->gpus.gpu[gpu].uuid;
	json_t *o;

	if (!uuid[0] || !env->facts->kmsg.boot_id[0])
		return;
	if (!r->memory) {
		r->memory = json_object();
		json_object_set_new(r->memory, "boot",
				    json_string(env->facts->kmsg.boot_id));
	}
	o = member(member(r->memory, "gpus"), uuid);
	json_object_set_new(o, key, json_integer(v));
}

/* Counters stick at the end of their range. */
static bool saturated(int64_t v)
{
	return v == UINT32_MAX || v == INT32_MAX || v == INT64_MAX || v < 0;
}

int64_t gpu_delta(struct check_result *r, const struct check_env *env, int gpu,
		  const char *key, int64_t v)
{
	int64_t before = gpu_recall(env, gpu, key);

	if (v >= 0)
		gpu_note(r, env, gpu, key, v);
	if (before < 0 || saturated(v))
		return -1;
	return v >= before ? v - before : v;
}
