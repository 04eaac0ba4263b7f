/* SPDX-License-Identifier: Apache-2.0
 * rig - what the measurements of a real card share: the libraries, the first
 * GPU, and the one JSON document that comes of it.
 *
 * A command returns what the program exits with: RIG_OK, RIG_WRONG (it was
 * measured, and is wrong), RIG_NONE (it cannot be measured here; one line on
 * stderr says why). None of them sets anything on the card.
 */
#ifndef ASSAY_TESTS_DEVICE_RIG_H
#define ASSAY_TESTS_DEVICE_RIG_H

#include <jansson.h>

#include "probes/device.h"

enum rig_exit { RIG_OK = 0, RIG_WRONG = 1, RIG_USAGE = 2, RIG_NONE = 77 };

struct rig {
	const char *nvml_path, *cuda_path, *nccl_path;	/* NULL the system's */
	int n, pause_ms;		/* numbers of the command line */
	struct probe_progress progress;
	struct probe_libs libs;
	struct probe_device gpu;	/* the first that CUDA shows */
	struct gpu_probes facts;
	struct probe_shot shot;		/* the last one */
	json_t *out;			/* printed at the end */
};

typedef int (*rig_f)(struct rig *r);

int rig_info(struct rig *r);
int rig_rate(struct rig *r, enum probe probe);
int rig_gemm(struct rig *r);
int rig_membw(struct rig *r);
int rig_pcie(struct rig *r);
int rig_phases(struct rig *r);
int rig_kernels(struct rig *r);
int rig_fields(struct rig *r);
int rig_gpm(struct rig *r);
int rig_onerank(struct rig *r);
int rig_record(struct rig *r);

/* Load the libraries, open the GPU. 0, or what to exit with. */
int rig_open_nvml(struct rig *r);
int rig_open_gpu(struct rig *r);
void rig_close(struct rig *r);

/* Say why not: returns RIG_NONE. */
int rig_none(const char *why, ...) __attribute__((format(printf, 1, 2)));
/* How the last shot ended, if not well: what to exit with. */
int rig_ended(const struct rig *r);

/* Put a member into r->out; value is taken over. */
void rig_put(struct rig *r, const char *key, json_t *value);
/* A figure to so many digits behind the point; null where it is unknown. */
json_t *rig_number(double v, int digits);
/* n of them in order of size, and where in them that share lies. */
void rig_sort(double *v, int n);
double rig_at(const double *sorted, int n, double share);

#endif
