/* SPDX-License-Identifier: Apache-2.0
 * where - what the shares of time mean.
 */
#ifndef ASSAY_EPILOG_WHERE_H
#define ASSAY_EPILOG_WHERE_H

#include "epilog/sections.h"

/* Bound by the arithmetic: this much of the time, with tensor cores at work
 * this much. Large matrix products reach 60 to 90%, good training 30 to 50%. */
#define WHERE_LIMIT_SHARE 0.6
#define WHERE_LIMIT_TENSOR_PCT 25.0
#define WHERE_LIMIT "the hardware is the limit, tuning will not help much"

/* The largest share. */
enum part where_most(const struct shares *sh);
bool where_is_limit(const struct sheet *s, const struct shares *sh);

#endif
