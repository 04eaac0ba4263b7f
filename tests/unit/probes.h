/* SPDX-License-Identifier: Apache-2.0
 * probes - healthy results of the probes on an H100 node, for tests of their
 * judges. What takes a place takes one of facts_probe.h. */
#ifndef ASSAY_TESTS_PROBES_H
#define ASSAY_TESTS_PROBES_H

#include "lib/pci_distance.h"
#include "lib/profile.h"
#include "tests/unit/gpus.h"

extern const struct check check_ib_ports;

struct probes {
	struct gpus *s;
	const struct check *check;
	struct facts_probes p;
	struct profile profile;
	struct cfg_section sections[3];
	char section[64];
};

static inline struct gpu_probes *probes_gpu(struct probes *t, int i)
{
	return &t->p.gpu[i];
}

static inline struct probe_shot *probes_shot(struct probes *t, int place,
					     int shot)
{
	return &probe_results(&t->p, place)[t->check->probe].shot[shot];
}

static inline void probes_shot_done(struct probe_shot *s, double a, double b)
{
	*s = (struct probe_shot){ .end = PROBE_DONE, .figure = { a, b, NAN } };
	memset(&s->cond, 0xff, sizeof(s->cond)); /* all unknown */
	s->cond.throttle = s->cond.others = 0;
	s->cond.samples = 5;
}

static inline void probes_digests(struct probe_digests *d, int sms)
{
	int i;

	memset(d, 0, sizeof(*d));
	d->sms = d->seen = sms;
	for (i = 0; i < sms; i++) {
		d->ran[i] = true;
		d->digest[i] = 0xfeedULL;
	}
}

/* Those of the deep tier. */
static inline void probes_gpu_deep(struct gpu_probes *g, int i)
{
	struct probe_result *r = g->probe;
	int p;

	probes_shot_done(&r[PROBE_nccl].shot[0], 400, 430);
	r[PROBE_nccl].shot[0].figure[2] = 1.5;
	probes_shot_done(&r[PROBE_gemm_peak].shot[0], 690 + 4 * i, NAN);
	probes_shot_done(&r[PROBE_sdc].shot[0], PROBE_PATH_COUNT * g->sms, 0);
	for (p = 0; p < PROBE_PATH_COUNT; p++)
		probes_digests(&g->sdc[p][0], g->sms);
	probes_shot_done(&r[PROBE_pattern].shot[0], 71, 0);
	r[PROBE_pattern].shot[0].figure[2] = 2900;
	probes_shot_done(&r[PROBE_sustain].shot[0], 600, 592 + i);
	r[PROBE_sustain].shot[0].figure[2] = 20;
}

static inline void probes_gpu_healthy(struct gpu_probes *g, int i)
{
	struct probe_result *r = g->probe;

	snprintf(g->uuid, sizeof(g->uuid), "GPU-%d", i);
	g->chosen = true;
	g->sms = 132;
	g->cc = 90;
	g->hbm_peak_gbps = 3352;
	g->pcie_path_mt = 32000;
	probes_shot_done(&r[PROBE_context].shot[0], 0.3, NAN);
	probes_shot_done(&r[PROBE_pcie_bw].shot[0], 54 + 0.1 * i, 52);
	probes_shot_done(&r[PROBE_membw].shot[0], 3160, 2950 + i);
	probes_shot_done(&r[PROBE_gemm].shot[0], 600 + 4 * i, NAN);
	probes_shot_done(&r[PROBE_peer].shot[0], NAN, NAN);
	probes_digests(&g->gemm[0], g->sms);
	probes_gpu_deep(g, i);
}

/* An adapter for 400 Gb/s, in use. */
static inline void probes_hca_healthy(struct hca *h, int i)
{
	snprintf(h->name, sizeof(h->name), "mlx5_%d", i);
	snprintf(h->bus_id, sizeof(h->bus_id), "0000:%02x:00.0", 0x40 + i);
	strcpy(h->board, "MT_0000000838");
	strcpy(h->fw, "28.39.1002");
	strcpy(h->driver, "mlx5_core");
	h->numa_node = -1;
	h->width = h->width_max = h->path_width = h->parent_width_max = 16;
	h->speed_mt = h->speed_max_mt = 32000;
	h->path_speed_mt = h->parent_speed_max_mt = 32000;
	h->port_count = 1;
	h->port[0] = (struct ib_port){ .number = 1, .state = 4, .phys_state = 5,
				       .rate_gbit = 400,
				       .layer = "InfiniBand" };
}

static inline void probes_rdma_done(struct rdma_shot *s)
{
	*s = (struct rdma_shot){ .qps = 2, .msg_bytes = 524288, .depth = 64,
				 .mtu = 4096, .gid_index = -1, .relaxed = 1,
				 .bytes = 1 << 30, .cpu_us = 12500,
				 .other_gbps = NAN };
}

static inline void probes_port_healthy(struct port_probes *p, int i)
{
	snprintf(p->name, sizeof(p->name), "mlx5_%d", i);
	p->chosen = true;
	p->hca = i;
	p->number = 1;
	probes_shot_done(&p->probe[PROBE_context].shot[0], NAN, NAN);
	probes_shot_done(&p->probe[PROBE_loopback].shot[0], 48 + 0.1 * i, NAN);
	probes_shot_done(&p->probe[PROBE_latency].shot[0], 2 + 0.01 * i, 3);
	probes_rdma_done(&p->loopback[0]);
	probes_rdma_done(&p->latency[0]);
}

/* So many ports, and the GPUs' memory written by the one beside each. */
static inline void probes_add_ports(struct probes *t, int count)
{
	struct facts_fabric *f = &t->s->facts.fabric;
	struct gpu_probes *g;
	int i;

	f->gather.end = GATHER_DONE;
	f->module_peermem = true;
	f->acs_bridges = f->iommu = -1;
	f->hca_count = t->p.port_count = count;
	for (i = 0; i < count; i++) {
		probes_hca_healthy(&f->hca[i], i);
		probes_port_healthy(&t->p.port[i], i);
	}
	for (i = 0; i < t->s->facts.gpus.count; i++) {
		g = &t->p.gpu[i];
		g->port = i % count;
		g->port_near = PCI_NEAR_PIX;
		probes_shot_done(&g->probe[PROBE_gdr].shot[0], 46 + 0.1 * i,
				 NAN);
		probes_rdma_done(&g->gdr[0]);
		strcpy(g->gdr[0].road, "dmabuf");
	}
}

static inline void probes_pairs(struct probes *t, int shot, int count,
				double gbps)
{
	int i, j;

	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++)
			t->p.pairs.gbps[shot][i][j] = i == j ? NAN : gbps;
}

static inline void probes_profile(struct profile *p)
{
	*p = (struct profile){ .name = "H100-SXM5",
			       .nvlinks = 18,
			       .nvlink_gbps = 450,
			       .hbm_floor_gbps = 2465,
			       .h2d_floor_gbps = 43.4,
			       .d2h_floor_gbps = 39.8,
			       .p2p_floor_gbps = 309,
			       .own_membw_read_gbps = NAN,
			       .own_membw_triad_gbps = NAN,
			       .own_h2d_gbps = NAN,
			       .own_d2h_gbps = NAN,
			       .own_peer_gbps = NAN,
			       .own_gemm_tflops = NAN };
}

/* text: the keys of the check's section, a line each. */
static inline void probes_config(struct probes *t, const char *text)
{
	char path[] = "/tmp/assay-probes-XXXXXX";
	struct err e = { "" };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "[%s]\n%s", t->section, text) > 0);
	close(fd);
	cfg_destroy(t->s->cfg);
	t->s->cfg = cfg_load(path, t->sections, NULL, &e);
	unlink(path);
	if (!t->s->cfg || cfg_complaint(t->s->cfg))
		fail_msg("%s%s", e.text,
			 t->s->cfg ? cfg_complaint(t->s->cfg) : "");
	t->s->env.cfg = t->s->cfg;
}

static inline struct probes *probes_healthy(const struct check *c, int count)
{
	static const struct cfg_key none[] = { { 0 } };
	struct probes *t = calloc(1, sizeof(*t));
	int i;

	assert_non_null(t);
	t->check = c;
	t->s = gpus_healthy(count);
	snprintf(t->s->facts.gpus.driver, sizeof(t->s->facts.gpus.driver),
		 "580.95.05");
	snprintf(t->section, sizeof(t->section), "check %s", c->name);
	t->sections[0] = (struct cfg_section){ t->section,
					       c->keys ? c->keys : none, NULL };
	t->sections[1] = (struct cfg_section){ "check ib_ports",
					       check_ib_ports.keys, NULL };
	probes_config(t, "");
	t->p.ran = true;
	snprintf(t->p.build_id, sizeof(t->p.build_id), "0123456789ab");
	for (i = 0; i < count; i++)
		probes_gpu_healthy(&t->p.gpu[i], i);
	probes_pairs(t, 0, count, 380);
	t->p.nccl_version = 22807;
	t->p.nccl_gpus = count;
	t->p.nccl_bytes = 1LL << 30;
	probes_shot_done(&t->p.storage.shot[0], 5.5, 12);
	t->p.storage.shot[0].figure[2] = 1;
	t->p.storage_direct = true;
	probes_profile(&t->profile);
	t->s->env.probes = &t->p;
	t->s->env.profile = &t->profile;
	return t;
}

static inline void probes_free(struct probes *t)
{
	gpus_free(t->s);
	free(t);
}

static inline enum status probes_run(struct probes *t)
{
	return gpus_run(t->s, t->check);
}

/* As the next day's run, with what this one remembered. */
static inline enum status probes_next(struct probes *t)
{
	return gpus_run_next(t->s, t->check, 86400);
}

static inline bool probes_doubts(struct probes *t, int place)
{
	return t->check->doubts(&t->s->env, place);
}

/* Measure figure 0 of a place: first, and again if not NAN. */
static inline void probes_set(struct probes *t, int place, double first,
			      double again)
{
	struct probe_shot *s = probes_shot(t, place, 0);

	s[0].figure[0] = first;
	memset(&s[1], 0, sizeof(s[1]));
	if (!isnan(again)) {
		s[1] = s[0];
		s[1].figure[0] = again;
	}
}

/* The history: n days like this one. */
static inline void probes_days(struct probes *t, int n)
{
	while (n--)
		assert_int_equal(probes_next(t), STATUS_PASS);
}

static inline const struct finding *probes_finding(struct probes *t, int i)
{
	assert_true(i < t->s->r.count);
	return &t->s->r.finding[i];
}

#endif
