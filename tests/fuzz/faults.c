/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fuzz/faults.h"

#include <stdio.h>
#include <string.h>

#define GPU(n, i) (&(n)->facts.gpus.gpu[i])

static struct val told(int64_t v)
{
	return (struct val){ .v = v };
}

/* ---- driver --------------------------------------------------------------- */

static void init_rc(struct node *n, int rc)
{
	int i;

	n->facts.gpus.init_rc = rc;
	n->facts.gpus.nvml_count = -1;
	for (i = 0; i < n->facts.gpus.count; i++)
		GPU(n, i)->asked = GPU(n, i)->answered = false;
}

static void put_no_driver(struct node *n, int i, json_t **memory)
{
	(void)i;
	(void)memory;
	init_rc(n, 9);
}

static void put_mismatch(struct node *n, int i, json_t **memory)
{
	(void)i;
	(void)memory;
	init_rc(n, 18);
}

static void put_no_module(struct node *n, int i, json_t **memory)
{
	(void)i;
	(void)memory;
	n->facts.gpus.module_loaded = false;
	n->facts.gpus.no_library = true;
	init_rc(n, VAL_UNASKED);
}

static void put_hang(struct node *n, int i, json_t **memory)
{
	(void)i;
	(void)memory;
	init_rc(n, VAL_UNASKED);
	n->facts.gpus.gather.end = GATHER_TIMEOUT;
	n->facts.gpus.gather.witness = true;
}

static void put_hung_gpu(struct node *n, int i, json_t **memory)
{
	(void)memory;
	GPU(n, i)->answered = false;
	GPU(n, i)->hung = GPU(n, i)->hung_twice = true;
}

static void put_lost(struct node *n, int i, json_t **memory)
{
	(void)memory;
	GPU(n, i)->answered = false;
	GPU(n, i)->handle_rc = 15;
}

static void put_reset_required(struct node *n, int i, json_t **memory)
{
	(void)memory;
	GPU(n, i)->temp = (struct val){ .rc = 16 };
}

static void put_missing(struct node *n, int i, json_t **memory)
{
	(void)memory;
	n->expect_count = true;
	n->facts.gpus.nvml_count--;
	GPU(n, i)->in_nvml = GPU(n, i)->asked = GPU(n, i)->answered = false;
}

/* ---- one GPU --------------------------------------------------------------- */

static void put_wish(struct node *n, int i, json_t **memory)
{
	static const int wishes[] = { 1, 2, 4 };

	(void)memory;
	GPU(n, i)->recovery = told(wishes[i % 3]);
}

static void put_remap(struct node *n, int i, json_t **memory)
{
	(void)memory;
	GPU(n, i)->remap_failure = told(1);
}

static void put_sram(struct node *n, int i, json_t **memory)
{
	(void)memory;
	GPU(n, i)->sram_threshold = told(1);
}

static void put_narrow(struct node *n, int i, json_t **memory)
{
	static const int64_t widths[] = { 8, 4, 2, 1 };

	(void)memory;
	GPU(n, i)->pcie_width = told(widths[i % 4]);
}

static void put_throttle(struct node *n, int i, json_t **memory)
{
	static const int bits[] = { 0x8, 0x20, 0x40, 0x80, 0xe8, 0x48 };
	int b = bits[i % 6];

	n->context = CONTEXT_HEALTH;
	n->has_job = false;
	GPU(n, i)->throttle = told(b | 0x4);
	GPU(n, i)->throttle_again = told(b | 0x1);
	json_decref(*memory);
	*memory = json_pack("{s:s, s:{s:{s:i, s:I}}}", "boot",
			    n->facts.kmsg.boot_id, "gpus", GPU(n, i)->uuid,
			    "bits", b, "since", (json_int_t)1799999700);
}

static void put_link_down(struct node *n, int i, json_t **memory)
{
	(void)memory;
	GPU(n, i)->link_state[i % 12] = told(0);
}

/* ---- kernel log -------------------------------------------------------------- */

static struct fault *add_fault(struct node *n, int i, enum fault_kind kind)
{
	struct facts_kmsg *k = &n->facts.kmsg;
	struct fault *f = &k->fault[k->fault_count++];

	memset(f, 0, sizeof(*f));
	f->kind = kind;
	f->subcode = f->previous = f->recovery_to = -1;
	f->pid = -1;
	f->count = 1;
	f->first_seq = f->seq = 1000;
	f->seen_s = 1800000000;
	memcpy(f->device, GPU(n, i)->bus_id, sizeof(f->device));
	return f;
}

static void put_xid(struct node *n, int i, json_t **memory)
{
	static const int xids[] = { 79, 48, 95, 119, 120, 64, 140, 143 };

	(void)memory;
	add_fault(n, i, FAULT_XID)->number = xids[i % 8];
	/* The driver agrees, or cannot say. */
	GPU(n, i)->recovery = (struct val){ .rc = 3 };
}

static void put_offbus(struct node *n, int i, json_t **memory)
{
	(void)memory;
	add_fault(n, i, FAULT_OFFBUS)->fatal = true;
}

static void put_sxid(struct node *n, int i, json_t **memory)
{
	struct fault *f = add_fault(n, i, FAULT_SXID);

	(void)memory;
	f->number = 20034;
	f->fatal = true;
	snprintf(f->device, sizeof(f->device), "0000:c0:00.0");
}

static void put_hardware(struct node *n, int i, json_t **memory)
{
	static const enum fault_kind kinds[] = { FAULT_MCE, FAULT_AER,
						 FAULT_EDAC };
	struct fault *f = add_fault(n, i, kinds[i % 3]);

	(void)memory;
	f->fatal = true;
	f->device[0] = '\0';
}

/* ---- fabric -------------------------------------------------------------------- */

static void put_port_down(struct node *n, int i, json_t **memory)
{
	struct ib_port *p = &n->facts.fabric.hca[i].port[0];

	(void)memory;
	p->state = 1;
	p->phys_state = 3;
	n->facts.kmsg.uptime_s = 1000000;
}

static void put_half_rate(struct node *n, int i, json_t **memory)
{
	(void)memory;
	n->facts.fabric.hca[i].port[0].rate_gbit /= 2;
}

static void put_lame_bond(struct node *n, int i, json_t **memory)
{
	struct facts_fabric *f = &n->facts.fabric;

	(void)memory;
	for (int k = 0; k < f->hca_count; k++)
		node_bond_port(&f->hca[k].port[0], k);
	f->hca[i].port[0].leg[1].up = false;
	n->facts.kmsg.uptime_s = 1000000;
}

static void put_narrow_hca(struct node *n, int i, json_t **memory)
{
	(void)memory;
	n->facts.fabric.hca[i].width = 8;
}

/* ---- probes -------------------------------------------------------------------- */

/* Low to a share of itself, and again when it is alone. */
static void lower(struct node *n, int place, enum probe p, double share)
{
	struct probe_shot *s = probe_results(n->probes, place)[p].shot;
	int f;

	s[1] = s[0];
	for (f = 0; f < PROBE_FIGURES; f++)
		s[0].figure[f] = s[1].figure[f] = share * s[0].figure[f];
}

static void put_slow_memory(struct node *n, int i, json_t **memory)
{
	(void)memory;
	lower(n, i, PROBE_membw, 0.6);
}

static void put_slow_copies(struct node *n, int i, json_t **memory)
{
	int k;

	(void)memory;
	/* Few GPUs have no equals, and only a link that is seen tells. */
	for (k = 0; k < n->facts.gpus.count; k++)
		n->probes->gpu[k].pcie_path_mt = 64000;
	lower(n, i, PROBE_pcie_bw, 0.5);
}

static void put_slow_gemm(struct node *n, int i, json_t **memory)
{
	(void)memory;
	lower(n, i, PROBE_gemm, 0.6);
}

/* A fifth less, and its own past knows better. */
static void put_worn_gemm(struct node *n, int i, json_t **memory)
{
	double v = n->probes->gpu[i].probe[PROBE_gemm].shot[0].figure[0];

	lower(n, i, PROBE_gemm, 0.8);
	json_decref(*memory);
	*memory = json_pack("{s:s+, s:{s:{s:{s:[f,f,f,f,f]}}}}", "basis",
			    "580.95.05 ", n->probes->build_id, "gpus",
			    GPU(n, i)->uuid, "samples", "rate", v, v * 1.01, v,
			    v * 0.99, v);
}

static void put_wrong_sm(struct node *n, int i, json_t **memory)
{
	struct gpu_probes *g = &n->probes->gpu[i];

	(void)memory;
	lower(n, i, PROBE_gemm, 1);
	g->gemm[0].digest[17] ^= 4096;
	g->gemm[1].digest[17] ^= 1;
}

static void put_wrong_path(struct node *n, int i, json_t **memory)
{
	struct gpu_probes *g = &n->probes->gpu[i];

	(void)memory;
	lower(n, i, PROBE_sdc, 1);
	g->sdc[i % PROBE_PATH_COUNT][0].digest[17] ^= 4096;
	g->sdc[i % PROBE_PATH_COUNT][1].digest[17] ^= 1;
}

static void put_slow_peak(struct node *n, int i, json_t **memory)
{
	(void)memory;
	lower(n, i, PROBE_gemm_peak, 0.6);
}

static void put_bad_words(struct node *n, int i, json_t **memory)
{
	(void)memory;
	n->probes->gpu[i].bad[0].words = 5;
	n->probes->gpu[i].bad[0].again = 4;
}

static void put_wrong_sum(struct node *n, int i, json_t **memory)
{
	struct probe_shot *s;

	(void)memory;
	for (i = 0; i < n->facts.gpus.count; i++) {
		lower(n, i, PROBE_nccl, 1);
		s = n->probes->gpu[i].probe[PROBE_nccl].shot;
		s[0].corrupt = s[1].corrupt = true;
	}
}

static void put_wrong_payload(struct node *n, int i, json_t **memory)
{
	struct probe_shot *s = n->probes->gpu[i].probe[PROBE_pcie_bw].shot;

	(void)memory;
	lower(n, i, PROBE_pcie_bw, 1);
	s[0].corrupt = s[1].corrupt = true;
}

static void put_device_fault(struct node *n, int i, json_t **memory)
{
	static const int rcs[] = { 214, 220, 714 };
	struct probe_shot *s = n->probes->gpu[i].probe[PROBE_membw].shot;

	(void)memory;
	s->end = PROBE_FAULT;
	s->rc = rcs[i % 3];
}

/* Of GPU i with GPU j, both ways and twice. */
static void lower_pair(struct node *n, int i, int j, double share)
{
	double (*t)[PROBE_GPUS_MAX][PROBE_GPUS_MAX] = n->probes->pairs.gbps;

	t[0][i][j] *= share;
	t[0][j][i] *= share;
	t[1][i][j] = t[0][i][j];
	t[1][j][i] = t[0][j][i];
}

static void put_slow_links(struct node *n, int i, json_t **memory)
{
	int j;

	(void)memory;
	for (j = 0; j < n->facts.gpus.count; j++)
		if (j != i)
			lower_pair(n, i, j, 0.5);
	lower(n, i, PROBE_peer, 1);
}

static void put_staged_pair(struct node *n, int i, json_t **memory)
{
	int j = (i + 3) % n->facts.gpus.count;

	(void)memory;
	lower_pair(n, i, j, 0.1);
	lower(n, i, PROBE_peer, 1);
	lower(n, j, PROBE_peer, 1);
}

static void put_slow_port(struct node *n, int i, json_t **memory)
{
	(void)memory;
	lower(n, PROBE_PLACE_PORT(i), PROBE_loopback, 0.5);
}

static void put_late_port(struct node *n, int i, json_t **memory)
{
	(void)memory;
	lower(n, PROBE_PLACE_PORT(i), PROBE_latency, 3);
}

static void put_symbol_errors(struct node *n, int i, json_t **memory)
{
	struct rdma_shot *s = n->probes->port[i].loopback;
	int k;

	(void)memory;
	lower(n, PROBE_PLACE_PORT(i), PROBE_loopback, 1);
	for (k = 0; k < PROBE_SHOTS; k++) {
		s[k].raised_count = 1;
		s[k].raised[0] = (struct rdma_raised){ "symbol_error", 7 };
	}
}

static void put_dead_port(struct node *n, int i, json_t **memory)
{
	struct probe_shot *s = n->probes->port[i].probe[PROBE_loopback].shot;

	(void)memory;
	*s = (struct probe_shot){ .end = PROBE_FAULT, .rc = RDMA_RC_FATAL,
				  .call = "RDMA write" };
}

const struct injection injections[] = {
	{ "kmsg_offbus", "fallen off the bus", put_offbus },
	{ "kmsg_xid", "an XID of reset class", put_xid },
	{ "kmsg_sxid", "a fatal SXid", put_sxid },
	{ "kmsg_hw", "an uncorrected error", put_hardware },
	{ "gpu_driver", "driver not loaded", put_no_driver },
	{ "gpu_driver", "driver and library differ", put_mismatch },
	{ "gpu_driver", "kernel module absent", put_no_module },
	{ "gpu_driver", "NVML hangs, with a witness", put_hang },
	{ "gpu_driver", "one GPU hangs twice", put_hung_gpu },
	{ "gpu_driver", "one GPU lost", put_lost },
	{ "gpu_driver", "one GPU needs a reset", put_reset_required },
	{ "gpu_count", "one GPU missing", put_missing },
	{ "gpu_recovery", "the driver asks for recovery", put_wish },
	{ "gpu_remap", "row remap failed", put_remap },
	{ "gpu_ecc", "SRAM threshold exceeded", put_sram },
	{ "gpu_pcie", "one narrow link", put_narrow },
	{ "gpu_throttle", "throttled, confirmed", put_throttle },
	{ "nvlink_links", "one NVLink down", put_link_down },
	{ "gpu_membw", "one GPU's memory is slow", put_slow_memory },
	{ "gpu_membw", "an uncorrectable error in a probe", put_device_fault },
	{ "gpu_pcie_bw", "one GPU's copies are slow", put_slow_copies },
	{ "gpu_pcie_bw", "a payload comes back changed", put_wrong_payload },
	{ "gpu_gemm", "one GPU computes slowly", put_slow_gemm },
	{ "gpu_gemm", "one GPU is slower than it was", put_worn_gemm },
	{ "gpu_gemm", "one SM computes wrong", put_wrong_sm },
	{ "gpu_gemm_peak", "one GPU multiplies slowly", put_slow_peak },
	{ "gpu_sdc", "one SM computes wrong in one way", put_wrong_path },
	{ "gpu_mem_pattern", "a GPU's memory forgets", put_bad_words },
	{ "nccl_allreduce", "the sum over all is wrong", put_wrong_sum },
	{ "nvlink_bw", "one GPU's links are slow", put_slow_links },
	{ "nvlink_bw", "one pair is staged", put_staged_pair },
	{ "ib_ports", "one port down", put_port_down },
	{ "ib_ports", "one port at half its rate", put_half_rate },
	{ "ib_ports", "one bond without one of its links", put_lame_bond },
	{ "ib_pcie", "one HCA on a narrow link", put_narrow_hca },
	{ "ib_loopback", "one port writes slowly", put_slow_port },
	{ "ib_loopback", "a port's symbol errors rise", put_symbol_errors },
	{ "ib_loopback", "an adapter fails under the probe", put_dead_port },
	{ "ib_latency", "one port takes its time", put_late_port },
	{ NULL, NULL, NULL },
};
