/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/snapshot.h"

#include <stddef.h>
#include <stdio.h>

#include "lib/facts_fabric.h"

#define MEMBER(name, member) { name, offsetof(struct gpu, member) }
static const struct {
	const char *name;
	size_t offset;
} members[] = {
	MEMBER("energy_mj", energy_mj),
	MEMBER("pcie_replay", pcie_replay),
	MEMBER("ecc_unc", ecc_unc_volatile),
	MEMBER("ecc_corr", ecc_corr_volatile),
	MEMBER("remap_corr", remap_corr),
	MEMBER("remap_unc", remap_unc),
	MEMBER("nvlink_replay", nvlink_replay),
	MEMBER("nvlink_recovery", nvlink_recovery),
	MEMBER("nvlink_crc", nvlink_crc),
	MEMBER("held_power_ns", held_power_ns),
	MEMBER("held_thermal_ns", held_thermal_ns),
	MEMBER("held_sw_thermal_ns", held_sw_thermal_ns),
	MEMBER("held_hw_thermal_ns", held_hw_thermal_ns),
	MEMBER("held_brake_ns", held_brake_ns),
	MEMBER("nvlink_tx_kib", nvlink_tx_kib),
	MEMBER("nvlink_rx_kib", nvlink_rx_kib),
	MEMBER("pcie_tx_bytes", pcie_tx_bytes),
	MEMBER("pcie_rx_bytes", pcie_rx_bytes),
	MEMBER("mem_total", mem_total),
	MEMBER("sm_mhz_max", sm_clock_max),
	MEMBER("mig", mig_mode),
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* What a document calls a GPU: its UUID, else its bus id. */
static const char *gpu_name(const struct gpu *g)
{
	return g->uuid[0] ? g->uuid : g->bus_id;
}

char *snapshot_port_name(const struct hca *h, const struct ib_port *p,
			 char buf[48])
{
	snprintf(buf, 48, "%.31s:%d", h->name, p->number);
	return buf;
}

static void put(json_t *o, const char *name, const struct val *v)
{
	if (VAL_KNOWN(*v))
		json_object_set_new(o, name, json_integer((json_int_t)v->v));
}

/* The NVLink domain, where a GPU belongs to one. */
static void put_fabric(json_t *o, const struct gpu *g)
{
	char text[64];

	if (!g->fabric_uuid[0] || !VAL_KNOWN(g->fabric_clique))
		return;
	snprintf(text, sizeof(text), "%s.%lld", g->fabric_uuid,
		 (long long)g->fabric_clique.v);
	json_object_set_new(o, "fabric", json_string(text));
}

json_t *snapshot_gpu(const struct gpu *g)
{
	json_t *o = json_object();
	struct val v;
	size_t i;

	for (i = 0; o && i < COUNT(members); i++) {
		v = *(const struct val *)((const char *)g + members[i].offset);
		put(o, members[i].name, &v);
	}
	if (o)
		put_fabric(o, g);
	return o;
}

json_t *snapshot_port(const struct ib_port *p)
{
	json_t *o = json_object();
	int i;

	for (i = 0; o && i < FABRIC_COUNTERS; i++)
		put(o, fabric_counters[i].name, fabric_counter_of(p, i));
	if (o && p->rate_gbit >= 0)
		json_object_set_new(o, "rate_gbit", json_integer(p->rate_gbit));
	if (o && p->state >= 0)
		json_object_set_new(o, "state", json_integer(p->state));
	return o;
}

static json_t *gpus_of(const struct facts_gpus *g, const bool *which)
{
	json_t *all = json_object();
	int i;

	for (i = 0; all && i < g->count; i++)
		if (g->gpu[i].answered && (!which || which[i]))
			json_object_set_new(all, gpu_name(&g->gpu[i]),
					    snapshot_gpu(&g->gpu[i]));
	return all;
}

static json_t *ports_of(const struct facts_fabric *f)
{
	json_t *all = json_object();
	const struct hca *h;
	char name[48];
	int i, k;

	for (i = 0; all && i < f->hca_count; i++) {
		h = &f->hca[i];
		for (k = 0; k < h->port_count; k++)
			json_object_set_new(
				all, snapshot_port_name(h, &h->port[k], name),
				snapshot_port(&h->port[k]));
	}
	return all;
}

json_t *snapshot_of(const struct facts *f, const bool *gpu, int64_t now_s)
{
	return json_pack("{s:I, s:s, s:I, s:o, s:o}", "time", (json_int_t)now_s,
			 "boot_id", f->kmsg.boot_id, "kmsg_seq",
			 (json_int_t)f->kmsg.next_seq, "gpus",
			 gpus_of(&f->gpus, gpu), "ports", ports_of(&f->fabric));
}
