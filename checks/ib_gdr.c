/* SPDX-License-Identifier: Apache-2.0
 * ib_gdr: can RDMA devices reach GPU memory directly? Without it all traffic
 * bounces through the host's memory: no error, half the speed. */
#include "config.h"
#include "checks/check.h"

#include <string.h>

#include "checks/ib.h"
#include "checks/node.h"

/* Devices that move GPU memory by this road. */
static bool has_hca(const struct facts_fabric *f)
{
	for (int i = 0; i < f->hca_count; i++)
		if (!f->hca[i].no_device_link &&
		    strcmp(f->hca[i].driver, "efa"))
			return true;
	return false;
}

static int run(const struct check_env *env, struct check_result *r)
{
	const struct facts_fabric *f = &env->facts->fabric;
	struct finding *x;

	if (env->facts->gpus.count <= 0)
		return result_skip(r, "no GPU");
	if (!has_hca(f))
		return result_skip(r, "no RDMA device that GPUDirect is for");
	if (!f->module_peermem && f->dmabuf == 0) {
		x = result_add(r, STATUS_FAIL, "path", "node",
			       "no GPUDirect RDMA: no nvidia_peermem, and this"
			       " driver has no DMA-BUF");
		node_remedy(x, REMEDY_CONFIG);
		node_evidence(x, env, "gdr=none");
	}
	if (f->acs_bridges > 0) {
		x = result_add(r, STATUS_WARN, "acs", f->acs_bridge,
			       "ACS sends peer traffic up on %d switch ports",
			       f->acs_bridges);
		node_numbers(x, f->acs_bridges, 0, "ports");
		node_remedy(x, REMEDY_CONFIG);
	}
	return 0;
}

const struct check check_ib_gdr = {
	.name = "ib_gdr",
	.summary = "RDMA devices can reach GPU memory directly",
	.reads = "loaded modules, driver flavour, kernel release, ACS control"
		 " of PCIe switch ports (a few words each); 0.5 ms",
	.fails = "neither nvidia_peermem nor DMA-BUF is there; ACS redirection"
		 " on a PCIe switch is a warning",
	.advice = "load nvidia_peermem or use the open kernel modules; switch"
		  " ACS off in the firmware or with setpci",
	.domain = DOMAIN_FABRIC,
	.needs = NEED_HCA,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.run = run,
};
