/* SPDX-License-Identifier: Apache-2.0
 * series - a job's samples as a node's record carries them: few enough to be
 * stored and drawn, whatever the job's length.
 *
 * {"gpu": [{"index": 3, "t": [...], "length_s": [...], "busy": [...],
 *           "power_w": [...], "sm_mhz": [...], "temp_c": [...],
 *           "reasons": [...]}]}
 *
 * Columns of equal length, one value a step; t is in seconds since 1970, null
 * stands for what is unknown. reasons are NVML's throttle bits, ORed.
 */
#ifndef ASSAY_EPILOG_SERIES_H
#define ASSAY_EPILOG_SERIES_H

#include <jansson.h>

#include "epilog/story.h"

#define SERIES_STEPS 240 /* at most */

/* New reference; NULL on ENOMEM. GPUs without a sample are left out. */
json_t *series_of(const struct story *s);

#endif
