/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/gpu_link.h"

#include <math.h>

#include "checks/gpu_each.h"
#include "lib/pci.h"

static void lower(int64_t *gen, int64_t to)
{
	if (!isnan(pci_gbps((int)to, 1)) && (!*gen || to < *gen))
		*gen = to;
}

int gpu_link_generation(const struct check_env *env, int gpu)
{
	const struct gpu *g = &env->facts->gpus.gpu[gpu];
	int32_t path_mt = env->probes->gpu[gpu].pcie_path_mt;
	int64_t gen = 0;

	if (!path_mt)
		return 0;
	if (VAL_KNOWN(g->pcie_gen_max))
		lower(&gen, g->pcie_gen_max.v);
	if (VAL_KNOWN(g->pcie_gen_gpu_max))
		lower(&gen, g->pcie_gen_gpu_max.v);
	if (gen)
		lower(&gen, pci_generation(path_mt));
	return (int)gen;
}

double gpu_link_gbps(const struct check_env *env, int gpu)
{
	const struct gpu *g = &env->facts->gpus.gpu[gpu];
	int64_t width = gpu_lanes_max(g);

	if (gpu_is_c2c(g) || width == GPU_LEVEL_UNKNOWN)
		return NAN;
	return pci_gbps(gpu_link_generation(env, gpu), (int)width);
}
