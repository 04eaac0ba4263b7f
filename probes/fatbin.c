/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/kernels.h"

#include <stddef.h>

const unsigned char *const kernels_fatbin = NULL;
const unsigned long kernels_fatbin_size = 0;
const int kernels_native[] = { 0 };
const int kernels_ptx = 0;
const char kernels_build_id[] = "";

int kernels_is_native(int major, int minor)
{
	for (const int *cc = kernels_native; *cc != 0; cc++) {
		if (*cc / 10 == major && *cc % 10 <= minor)
			return 1;
	}
	return 0;
}
