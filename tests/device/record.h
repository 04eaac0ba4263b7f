/* SPDX-License-Identifier: Apache-2.0
 * record - a card's answers as a scenario (tests/fake/README.md), so that the
 * stand-ins can play it. What names a card or a cluster is not taken over.
 */
#ifndef ASSAY_TESTS_DEVICE_RECORD_H
#define ASSAY_TESTS_DEVICE_RECORD_H

#include "tests/device/rig.h"

/* All that assay asks NVML, into section "nvml"; what the library lacks goes
 * into "missing_symbols". Before any context is there: no trace of ours. */
json_t *record_nvml(struct rig *r);

/* Attributes and measured rates of each GPU in nvml's order; null where CUDA
 * does not show it. */
json_t *record_cuda(struct rig *r, const json_t *nvml);

/* ---- its parts ----------------------------------------------------------- */

struct record {
	const struct devlibs_nvml *nvml;
	struct nvml_device *gpu;
	json_t *answers;	/* of this GPU */
	json_t *missing;	/* symbols */
};

/* An answer as the scenario has it. What a card or a release does not know is
 * not listed (NULL), any other error is an answer. value is taken over. */
json_t *record_answer(int rc, json_t *value);

/* All fields of the GPU, as the scenario keys them. */
json_t *record_fields(struct record *x);

#endif
