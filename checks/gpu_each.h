/* SPDX-License-Identifier: Apache-2.0
 * gpu_each - what the judges of GPU facts share.
 */
#ifndef ASSAY_GPU_EACH_H
#define ASSAY_GPU_EACH_H

#include <stdbool.h>
#include <stdint.h>

#include "checks/check.h"

/* NVML return codes that mean something to a judge. */
enum gpu_rc {
	GPU_RC_OK = 0,
	GPU_RC_INVALID = 2, /* an id that this driver does not know */
	GPU_RC_NOT_SUPPORTED = 3,
	GPU_RC_NO_PERMISSION = 4,
	GPU_RC_NOT_FOUND = 6,
	GPU_RC_NO_DRIVER = 9,
	GPU_RC_NO_FUNCTION = 13,
	GPU_RC_LOST = 15,
	GPU_RC_RESET_REQUIRED = 16,
	GPU_RC_MISMATCH = 18,
	GPU_RC_NO_DATA = 21,
	GPU_RC_VERSION = 25,
	GPU_RC_DEPRECATED = 26,
	GPU_RC_NOT_READY = 27
};

/* "no permission", "GPU lost"; "unknown code" for what has no name here. */
const char *gpu_rc_text(int rc);

/* 9, 15, 16 or 18: the GPU or its driver is gone. gpu_driver tells. */
bool gpu_rc_fatal(int rc);
/* What such a code means: a word for the finding's code, and what helps. */
const char *gpu_rc_suffix(int rc);
enum remedy gpu_rc_remedy(int rc);

/* The place behind i (-1: the first) of a GPU for which NVML answered every
 * call; -1 behind the last. */
int gpu_next(const struct check_env *env, int i);

/* Same model: by PCI device id where both are known, else by name. */
bool gpu_equal(const struct gpu *a, const struct gpu *b);

/* "0000:3d:00.0" as NVML prints it: "00000000:3D:00.0". Returns buf. */
const char *gpu_nvml_bus_id(const char *bus_id, char *buf, size_t size);

/* Does the GPU hang on NVLink-C2C? It shows a made-up Gen1 x1 link. */
bool gpu_is_c2c(const struct gpu *g);

/* 1 to 32 lanes; a device that does not answer shows 0, 63 or 255. */
bool gpu_is_lanes(int64_t w);

#define GPU_LEVEL_UNKNOWN INT64_MIN

/* The lanes that GPU, slot and bridges above allow; GPU_LEVEL_UNKNOWN. */
int64_t gpu_lanes_max(const struct gpu *g);

/* One check looking at one value after the other. Start with env and r set
 * and the rest zero. */
struct gpu_look {
	const struct check_env *env;
	struct check_result *r;
	int known; /* values that were there */
	bool complained;
};

/* Is v, of GPU number gpu, known? What this GPU or driver does not offer is
 * silently not; what could not be read for our own reasons (permission, a
 * code nobody knows) makes one ERROR finding per check. */
bool gpu_known(struct gpu_look *l, int gpu, struct val v, const char *what);

/* How a judge ends: 0, and SKIP with why if it saw no value at all. */
int gpu_done(struct gpu_look *l, const char *why);

/* level: of all GPUs, one per place in facts; GPU_LEVEL_UNKNOWN if not.
 * The level that more than half of the GPUs equal to number i reach (i itself
 * is one of them). A GPU below it is a minority with a deficit; a lone GPU,
 * or one half against the other, never is. UNKNOWN if i's own is. */
int64_t gpu_common_level(const struct check_env *env, const int64_t *level,
			 int i);

/* Evidence that belongs to this boot: "BOOT:<text>". f may be NULL. */
void gpu_evidence_boot(struct finding *f, const struct check_env *env,
		       const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- memory: {"boot": ID, "gpus": {UUID: {KEY: number}}} ---------------- */

/* What an earlier run noted about this GPU on this boot; -1 nothing. */
int64_t gpu_recall(const struct check_env *env, int gpu, const char *key);

/* Note a number for the next run. Without memory nothing is noted. */
void gpu_note(struct check_result *r, const struct check_env *env, int gpu,
	      const char *key, int64_t v);

/* How much a counter grew since the last run on this boot, and note it. A
 * counter that went back was reset: all of it is new. -1: not known (first
 * sight, another boot, stuck at the end of its range). */
int64_t gpu_delta(struct check_result *r, const struct check_env *env, int gpu,
		  const char *key, int64_t v);

#endif
