/* SPDX-License-Identifier: Apache-2.0
 * The kernels as the C compiler sees them: kernels_host[] and what programs
 * ask about kernels. */
#include "config.h"

#include "probes/kernels.cu"
