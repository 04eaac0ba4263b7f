/* SPDX-License-Identifier: Apache-2.0
 * ib_gdr: can RDMA devices reach GPU memory directly, and how fast? Without it
 * all traffic bounces through the host's memory: no error, half the speed. */
#include "config.h"
#include "checks/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks/gpu_link.h"
#include "checks/ib.h"
#include "checks/node.h"
#include "checks/places.h"
#include "checks/probe_past.h"
#include "checks/probe_wrong.h"
#include "checks/rdma_each.h"
#include "lib/pci_distance.h"

extern const struct check check_ib_gdr;

static const struct cfg_key keys[] = {
	{ "expected_gbps", CFG_INT, "GB/s", "0", 0, 1000, NULL,
	  "rate into a GPU's memory, in GB/s and not in Gb/s, that this site"
	  " expects; 0: none" },
	{ 0 },
};

/* ---- what the node tells ------------------------------------------------------- */

/* Devices that move GPU memory by this road. */
static bool has_hca(const struct facts_fabric *f)
{
	for (int i = 0; i < f->hca_count; i++)
		if (!f->hca[i].no_device_link &&
		    strcmp(f->hca[i].driver, "efa"))
			return true;
	return false;
}

/* What the node tells is no measurement that could be off. */
static struct finding *hard(struct finding *f)
{
	node_remedy(f, REMEDY_CONFIG);
	if (f)
		f->hard = true;
	return f;
}

static bool has_no_road(const struct facts_fabric *f)
{
	return !f->module_peermem && f->dmabuf == 0;
}

static void judge_state(const struct check_env *env, struct check_result *r)
{
	const struct facts_fabric *f = &env->facts->fabric;
	struct finding *x;

	if (has_no_road(f)) {
		x = hard(result_add(r, STATUS_FAIL, "path", "node",
				    "no GPUDirect RDMA: no nvidia_peermem, and"
				    " this driver has no DMA-BUF"));
		node_evidence(x, env, "gdr=none");
	}
	if (f->acs_bridges > 0) {
		x = hard(result_add(r, STATUS_WARN, "acs", f->acs_bridge,
				    "ACS sends peer traffic up on %d switch"
				    " ports", f->acs_bridges));
		node_numbers(x, f->acs_bridges, 0, "ports");
	}
}

/* ---- what was measured ---------------------------------------------------------- */

static bool is_shut(const struct check_env *env, int gpu)
{
	return !strcmp(rdma_shot_of(env, PROBE_gdr, gpu, 0)->road, "none");
}

/* The probe's own words say how both roads refused it. */
static void judge_road(const struct check_env *env, struct check_result *r,
		       int gpu)
{
	const struct facts_fabric *f = &env->facts->fabric;
	struct finding *x;

	if (!is_shut(env, gpu) || has_no_road(f))
		return;
	x = hard(place_finding(r, STATUS_FAIL, "path", env, gpu, "%.92s%s",
			       probe_shot(env, PROBE_gdr, gpu, 0)->why,
			       f->module_peermem ?
				       "" :
				       " (nvidia_peermem is not loaded)"));
	node_evidence(x, env, "gdr=none");
}

static int port_of(const struct check_env *env, int gpu)
{
	return PROBE_PLACE_PORT(env->probes->gpu[gpu].port);
}

static bool has_port(const struct check_env *env, int gpu)
{
	return env->probes->gpu[gpu].port >= 0;
}

/* The port writes by its own link and the GPU's. */
static double peak(const struct check_env *env, int gpu)
{
	double port, link;

	if (!has_port(env, gpu))
		return NAN;
	port = rdma_port_gbps(env, port_of(env, gpu));
	link = gpu_link_gbps(env, gpu);
	return isnan(port) || isnan(link) ? NAN : fmin(port, link);
}

/* As far from a port of the same kind? */
static bool alike(const struct check_env *env, int a, int b)
{
	const struct gpu_probes *g = env->probes->gpu;

	return has_port(env, a) && has_port(env, b) &&
	       g[a].port_near == g[b].port_near &&
	       place_equal(env->facts, port_of(env, a), port_of(env, b));
}

static const char *distance(const struct check_env *env, int gpu)
{
	return pci_near_name((enum pci_near)env->probes->gpu[gpu].port_near);
}

/* Not asked of this port, or refused by it: on some hosts it is slow then. */
static bool is_strict(const struct rates *l, int gpu)
{
	return rdma_shot_of(l->env, PROBE_gdr, gpu, 0)->relaxed == 0;
}

/* Which port, how far, and what may be in the way. */
static void detail(const struct rates *l, int gpu, int figure, char *buf,
		   size_t size)
{
	const struct facts_fabric *f = &l->env->facts->fabric;
	const char *far = distance(l->env, gpu);
	char name[PLACE_SIZE];

	(void)figure;
	if (!has_port(l->env, gpu))
		return;
	snprintf(buf, size, " by %.20s%s%s%s",
		 place_name(l->env->facts, port_of(l->env, gpu), name),
		 *far ? " " : "", far,
		 f->acs_bridges > 0 ? ", ACS is on" :
		 f->iommu > 0	    ? ", IOMMU is on" :
		 is_strict(l, gpu)  ? ", no relaxed ordering" :
				      "");
}

static void set_text(json_t *obj, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(obj, key, json_string(text));
}

static void report(const struct rates *l, int gpu, int shot, json_t *obj)
{
	const struct rdma_shot *s = rdma_shot_of(l->env, PROBE_gdr, gpu, shot);
	char name[PLACE_SIZE];

	if (has_port(l->env, gpu)) {
		set_text(obj, "port", place_name(l->env->facts,
						 port_of(l->env, gpu), name));
		set_text(obj, "distance", distance(l->env, gpu));
	}
	set_text(obj, "road", s->road);
	probe_figure(obj, "gbit_s", 8 * l->value[shot][gpu][0]);
	rdma_report(l, gpu, shot, obj);
}

static const struct rate_figure figure = { "rate", "gbps", "expected_gbps", 0,
					   0 };

/* As for ib_loopback. */
static const struct rate_rule rule = {
	.check = &check_ib_gdr,
	.probe = PROBE_gdr,
	.unit = "GB/s",
	.figure = &figure,
	.figures = 1,
	.peers = 0.90,
	.history = 0.08,
	.peak = peak,
	.peak_floor = 0.70,
	.peak_achieved = 0.80,
	.others = rdma_others_gbps,
	.alike = alike,
	.detail = detail,
	.report = report,
};

static int judge_probe(const struct check_env *env, struct check_result *r)
{
	int i;

	PROBE_EACH(i, env, PROBE_gdr)
		judge_road(env, r, i);
	payload_judge(env, PROBE_gdr, "what arrives is not what was written",
		      r);
	rdma_raised_judge(env, PROBE_gdr, r);
	return rates_run(&rule, env, r);
}

static int remind(const struct check_env *env, struct check_result *r)
{
	int i;

	PLACE_EACH(i, env->facts, PROBE_gdr)
		past_remind(r, env, i);
	return 0;
}

static int run(const struct check_env *env, struct check_result *r)
{
	if (env->facts->gpus.count <= 0)
		return result_skip(r, "no GPU");
	if (!has_hca(&env->facts->fabric))
		return result_skip(r, "no RDMA device that GPUDirect is for");
	judge_state(env, r);
	return env->probes ? judge_probe(env, r) : remind(env, r);
}

static bool doubts(const struct check_env *env, int gpu)
{
	return payload_doubt(env, PROBE_gdr, gpu) ||
	       rdma_raised_doubt(env, PROBE_gdr, gpu) ||
	       rates_doubts(&rule, env, gpu);
}

const struct check check_ib_gdr = {
	.name = "ib_gdr",
	.summary = "RDMA devices can reach GPU memory directly, at full speed",
	.reads = "loaded modules, driver flavour, kernel release, ACS control"
		 " of PCIe switch ports (a few words each); 0.5 ms. With the"
		 " other probes of the quick tier: each GPU's nearest active"
		 " port writes within its memory, some tenths of a second",
	.fails = "neither nvidia_peermem nor DMA-BUF is there, or neither lets"
		 " the port in; ACS redirection on a PCIe switch is a warning."
		 " Two references agree that a GPU is slow, or one is missed by"
		 " far (0.7), and the repeat is slow too; what arrives differs,"
		 " twice; a count of the port's link errors goes up, twice"
		 " (one of retries is a warning). References: the port's rate"
		 " or the slots', whichever is less, the site's figure, the median of equal GPUs as far"
		 " from equal ports, the GPU's own history",
	.advice = "load nvidia_peermem or use the open kernel modules; switch"
		  " ACS off in the firmware or with setpci, the IOMMU off or to"
		  " pass-through; pair GPUs with ports behind the same switch",
	.domain = DOMAIN_FABRIC,
	.needs = NEED_HCA,
	.scope = SCOPE_NODE,
	.def = ACTION_WARN,
	.soft = true,
	.tier = TIER_QUICK,
	.probe = PROBE_gdr,
	.also_state = true,
	.keys = keys,
	.run = run,
	.doubts = doubts,
};
