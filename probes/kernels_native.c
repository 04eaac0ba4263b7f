/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "probes/kernels.h"

int kernels_is_native(int major, int minor)
{
	for (const int *cc = kernels_native; *cc != 0; cc++) {
		if (*cc / 10 == major && *cc % 10 <= minor)
			return 1;
	}
	return 0;
}
