/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_gpu_ask.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/scrub.h"

#define PROCS_ASK 256

void gpu_ask_enter(const struct gpu_ask *a, const char *call)
{
	struct facts_gpu_progress *p = a->q->progress;

	p->gpu = a->slot;
	snprintf(p->call, sizeof(p->call), "%s", call);
}

int gpu_ask_leave(const struct gpu_ask *a, int rc)
{
	a->q->progress->call[0] = '\0';
	a->q->progress->calls++;
	return rc;
}

/* An older driver calls a field, link or struct that it does not know an
 * invalid argument; a newer one calls it not found or deprecated. */
static int settle(int rc)
{
	return rc == NVML_RC_INVALID_ARGUMENT ? NVML_RC_NOT_SUPPORTED : rc;
}

static void set(struct val *v, int rc, int64_t value)
{
	v->rc = settle(rc);
	v->v = rc ? 0 : value;
}

/* All ones is how a driver says that it has none: of 32 bits, and of counts,
 * bytes and bits. */
static void set_u32(struct val *v, int rc, unsigned int value)
{
	set(v, rc || value != UINT_MAX ? rc : NVML_RC_NO_DATA, value);
}

static void set_wide(struct val *v, int rc, unsigned long long value)
{
	bool fits = value <= INT64_MAX;

	set(v, rc || fits ? rc : NVML_RC_NO_DATA, fits ? (int64_t)value : 0);
}

static struct val *at(struct gpu *g, size_t offset)
{
	return (struct val *)((char *)g + offset);
}

/* ---- tables: one number a call ---------------------------------------- */

typedef int (*u32_f)(struct nvml_device *, unsigned int *);
typedef int (*u64_f)(struct nvml_device *, unsigned long long *);
typedef int (*keyed_f)(struct nvml_device *, unsigned int, unsigned int *);

struct simple {
	size_t fn, name, val; /* offsets */
	unsigned int key;     /* keyed_f only */
};

#define CALL_OF(member) \
	offsetof(struct devlibs_nvml, member), \
		offsetof(struct devlibs_nvml_names, member)
#define TO(member) offsetof(struct gpu, member)

/* What the sampler asks for, too. */
static const struct simple u32_sampled[] = {
	{ CALL_OF(power_usage), TO(power_mw), 0 },
};

static const struct simple keyed_sampled[] = {
	{ CALL_OF(temperature), TO(temp), NVML_TEMP_GPU },
	{ CALL_OF(clock), TO(sm_clock), NVML_CLOCK_SM_DOMAIN },
	{ CALL_OF(clock), TO(mem_clock), NVML_CLOCK_MEM_DOMAIN },
};

static const struct simple u32_calls[] = {
	{ CALL_OF(pcie_width), TO(pcie_width), 0 },
	{ CALL_OF(pcie_width_max), TO(pcie_width_max), 0 },
	{ CALL_OF(pcie_gen), TO(pcie_gen), 0 },
	{ CALL_OF(pcie_gen_max), TO(pcie_gen_max), 0 },
	{ CALL_OF(pcie_gen_gpu_max), TO(pcie_gen_gpu_max), 0 },
	{ CALL_OF(power_limit), TO(power_limit_mw), 0 },
	{ CALL_OF(power_default), TO(power_default_mw), 0 },
	{ CALL_OF(power_enforced), TO(power_enforced_mw), 0 },
	{ CALL_OF(persistence), TO(persistence), 0 },
	{ CALL_OF(compute_mode), TO(compute_mode), 0 },
	{ CALL_OF(numa_node), TO(numa_node), 0 },
};

static const struct simple u64_calls[] = {
	{ CALL_OF(energy), TO(energy_mj), 0 },
};

static const struct simple keyed_calls[] = {
	{ CALL_OF(temp_threshold), TO(temp_slowdown), NVML_THRESHOLD_SLOWDOWN },
	{ CALL_OF(temp_threshold), TO(temp_shutdown), NVML_THRESHOLD_SHUTDOWN },
	{ CALL_OF(temp_threshold), TO(temp_mem_max), NVML_THRESHOLD_MEM_MAX },
	{ CALL_OF(clock_max), TO(sm_clock_max), NVML_CLOCK_SM_DOMAIN },
	{ CALL_OF(clock_max), TO(mem_clock_max), NVML_CLOCK_MEM_DOMAIN },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The function pointer of a row into *fn (of a pointer's size), and its call
 * told to the parent. False: the library does not have it. */
static bool enter(const struct gpu_ask *a, const struct simple *s, void *fn)
{
	const char *name;
	void *p;

	memcpy(&p, (const char *)&a->n + s->fn, sizeof(p));
	memcpy(fn, &p, sizeof(p));
	if (!p)
		return false;
	memcpy(&name, (const char *)&devlibs_nvml_names + s->name, sizeof(name));
	gpu_ask_enter(a, name);
	return true;
}

static void ask_u32(struct gpu_ask *a, struct gpu *g, const struct simple *s)
{
	unsigned int v = 0;
	u32_f fn;
	int rc = VAL_NO_SYMBOL;

	if (enter(a, s, &fn))
		rc = gpu_ask_leave(a, fn(a->handle[a->slot], &v));
	set_u32(at(g, s->val), rc, v);
}

static void ask_u64(struct gpu_ask *a, struct gpu *g, const struct simple *s)
{
	unsigned long long v = 0;
	u64_f fn;
	int rc = VAL_NO_SYMBOL;

	if (enter(a, s, &fn))
		rc = gpu_ask_leave(a, fn(a->handle[a->slot], &v));
	set_wide(at(g, s->val), rc, v);
}

static void ask_keyed(struct gpu_ask *a, struct gpu *g, const struct simple *s)
{
	unsigned int v = 0;
	keyed_f fn;
	int rc = VAL_NO_SYMBOL;

	if (enter(a, s, &fn))
		rc = gpu_ask_leave(a, fn(a->handle[a->slot], s->key, &v));
	set_u32(at(g, s->val), rc, v);
}

static void ask_sampled(struct gpu_ask *a, struct gpu *g)
{
	size_t i;

	for (i = 0; i < COUNT(u32_sampled); i++)
		ask_u32(a, g, &u32_sampled[i]);
	for (i = 0; i < COUNT(u64_calls); i++)
		ask_u64(a, g, &u64_calls[i]);
	for (i = 0; i < COUNT(keyed_sampled); i++)
		ask_keyed(a, g, &keyed_sampled[i]);
}

static void ask_tables(struct gpu_ask *a, struct gpu *g)
{
	size_t i;

	ask_sampled(a, g);
	for (i = 0; i < COUNT(u32_calls); i++)
		ask_u32(a, g, &u32_calls[i]);
	for (i = 0; i < COUNT(keyed_calls); i++)
		ask_keyed(a, g, &keyed_calls[i]);
}

/* ---- fields: many numbers in one call --------------------------------- */

static const struct {
	unsigned int field, scope;
	size_t val;
} fields[] = {
	{ NVML_FIELD_RECOVERY_ACTION, 0, TO(recovery) },
	{ NVML_FIELD_RETIRED_SBE, 0, TO(retired_sbe) },
	{ NVML_FIELD_RETIRED_DBE, 0, TO(retired_dbe) },
	{ NVML_FIELD_RETIRED_PENDING, 0, TO(retired_pending) },
	{ NVML_FIELD_ECC_CORR_VOLATILE, 0, TO(ecc_corr_volatile) },
	{ NVML_FIELD_ECC_UNC_VOLATILE, 0, TO(ecc_unc_volatile) },
	{ NVML_FIELD_ECC_CORR_AGGREGATE, 0, TO(ecc_corr_aggregate) },
	{ NVML_FIELD_ECC_UNC_AGGREGATE, 0, TO(ecc_unc_aggregate) },
	{ NVML_FIELD_PCIE_REPLAY, 0, TO(pcie_replay) },
	{ NVML_FIELD_MEMORY_TEMP, 0, TO(temp_mem) },
	{ NVML_FIELD_LINK_COUNT, 0, TO(nvlink_count) },
	{ NVML_FIELD_VIOLATION_POWER, 0, TO(held_power_ns) },
	{ NVML_FIELD_VIOLATION_THERMAL, 0, TO(held_thermal_ns) },
	{ NVML_FIELD_HELD_SW_THERMAL, 0, TO(held_sw_thermal_ns) },
	{ NVML_FIELD_HELD_HW_THERMAL, 0, TO(held_hw_thermal_ns) },
	{ NVML_FIELD_HELD_HW_BRAKE, 0, TO(held_brake_ns) },
	{ NVML_FIELD_LINK_DATA_TX, NVML_SCOPE_ALL, TO(nvlink_tx_kib) },
	{ NVML_FIELD_LINK_DATA_RX, NVML_SCOPE_ALL, TO(nvlink_rx_kib) },
	{ NVML_FIELD_PCIE_TX, 0, TO(pcie_tx_bytes) },
	{ NVML_FIELD_PCIE_RX, 0, TO(pcie_rx_bytes) },
};

static int64_t field_value(const struct nvml_field_value *f)
{
	switch (f->type) {
	case NVML_TYPE_DOUBLE:
		return (int64_t)f->value.d;
	case NVML_TYPE_UINT:
		return f->value.u;
	case NVML_TYPE_ULONG:
		return (int64_t)f->value.ul;
	case NVML_TYPE_INT:
		return f->value.i;
	case NVML_TYPE_USHORT:
		return f->value.us;
	default:
		return f->value.ll;
	}
}

/* Is it a number that field_value() can tell? */
static bool fits(const struct nvml_field_value *f)
{
	switch (f->type) {
	case NVML_TYPE_DOUBLE:
		return fabs(f->value.d) < 9e18;
	case NVML_TYPE_UINT:
		return f->value.u != UINT_MAX;
	case NVML_TYPE_ULONG:
	case NVML_TYPE_ULONG_LONG:
		return f->value.ull <= INT64_MAX;
	default:
		return true;
	}
}

/* Ask for n fields whose ids are set. If the call as a whole fails, so did
 * each value. */
static void ask_fields(struct gpu_ask *a, struct nvml_field_value *f, int n)
{
	int i, rc;

	for (i = 0; i < n; i++)
		f[i].rc = NVML_RC_NOT_SUPPORTED;
	rc = GPU_CALL(a, field_values, a->handle[a->slot], n, f);
	for (i = 0; i < n; i++)
		if (rc || (!f[i].rc && !fits(&f[i])))
			f[i].rc = rc ? rc : NVML_RC_NO_DATA;
}

static void ask_main_fields(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_field_value f[COUNT(fields)];
	size_t i;

	memset(f, 0, sizeof(f));
	for (i = 0; i < COUNT(fields); i++) {
		f[i].field = fields[i].field;
		f[i].scope = fields[i].scope;
	}
	ask_fields(a, f, (int)COUNT(fields));
	for (i = 0; i < COUNT(fields); i++)
		set(at(g, fields[i].val), f[i].rc, field_value(&f[i]));
}

/* ---- NVLink ------------------------------------------------------------ */

/* One kind of error counter: a field for each link up to Hopper, totals of
 * the whole GPU up to Ampere. */
static const struct link_counter {
	unsigned int per_link, total, total2;
	size_t val;
} link_counters[] = {
	{ NVML_FIELD_LINK_REPLAY, NVML_FIELD_LINK_REPLAY_TOTAL, 0,
	  TO(nvlink_replay) },
	{ NVML_FIELD_LINK_RECOVERY, NVML_FIELD_LINK_RECOVERY_TOTAL, 0,
	  TO(nvlink_recovery) },
	{ NVML_FIELD_LINK_CRC, NVML_FIELD_LINK_CRC_FLIT_TOTAL,
	  NVML_FIELD_LINK_CRC_DATA_TOTAL, TO(nvlink_crc) },
};

/* Sum of the known values; the first error if none is known. */
static void sum(struct val *v, const struct nvml_field_value *f, int n)
{
	unsigned long long total = 0;
	bool known = false;
	int i;

	for (i = 0; i < n; i++) {
		if (f[i].rc)
			continue;
		known = true;
		total += (unsigned long long)field_value(&f[i]);
	}
	set_wide(v, known || !n ? 0 : f[0].rc, total);
}

static void ask_totals(struct gpu_ask *a, struct gpu *g,
		       const struct link_counter *c)
{
	struct nvml_field_value f[2];

	memset(f, 0, sizeof(f));
	f[0].field = c->total;
	f[1].field = c->total2;
	ask_fields(a, f, c->total2 ? 2 : 1);
	sum(at(g, c->val), f, c->total2 ? 2 : 1);
}

/* Where the sum over all links is not told, a byte count of each. */
static void ask_link_data(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_field_value f[2 * FACTS_LINKS_MAX];
	int links = FACTS_LINKS_MAX, i;

	if (VAL_KNOWN(g->nvlink_tx_kib) || !VAL_KNOWN(g->nvlink_count))
		return;
	if (g->nvlink_count.v < links)
		links = (int)g->nvlink_count.v;
	if (links <= 0)
		return;
	memset(f, 0, sizeof(f));
	for (i = 0; i < links; i++) {
		f[i].field = NVML_FIELD_LINK5_TX;
		f[links + i].field = NVML_FIELD_LINK5_RX;
		f[i].scope = f[links + i].scope = (unsigned int)i;
	}
	ask_fields(a, f, 2 * links);
	sum(&g->nvlink_tx_kib, f, links);
	sum(&g->nvlink_rx_kib, f + links, links);
	g->nvlink_tx_kib.v /= 1024;
	g->nvlink_rx_kib.v /= 1024;
}

/* Drivers that do not have the state as a field. */
static void ask_link_states(struct gpu_ask *a, struct gpu *g, int links)
{
	unsigned int up = 0;
	int i, rc;

	for (i = 0; i < links; i++) {
		rc = GPU_CALL(a, link_state, a->handle[a->slot],
			      (unsigned int)i, &up);
		set(&g->link_state[i], rc, up != 0);
		if (rc == VAL_NO_SYMBOL || rc == NVML_RC_NOT_SUPPORTED ||
		    rc == NVML_RC_INVALID_ARGUMENT)
			return;
	}
}

static void take_link_states(struct gpu *g, const struct nvml_field_value *f,
			     int links)
{
	int i;

	/* 2 is asleep: a link that saves power is up. */
	for (i = 0; i < links; i++)
		set(&g->link_state[i], f[i].rc, field_value(&f[i]) != 0);
}

static void ask_links(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_field_value f[4 * FACTS_LINKS_MAX];
	int links = FACTS_LINKS_MAX, i, k;

	if (VAL_KNOWN(g->nvlink_count) && g->nvlink_count.v < links)
		links = (int)g->nvlink_count.v;
	if (links <= 0)
		return;
	memset(f, 0, sizeof(f));
	for (i = 0; i < links; i++)
		f[i].field = NVML_FIELD_LINK_STATE, f[i].scope = (unsigned)i;
	for (k = 0; k < 3; k++) {
		for (i = 0; i < links; i++) {
			f[(k + 1) * links + i].field = link_counters[k].per_link;
			f[(k + 1) * links + i].scope = (unsigned int)i;
		}
	}
	ask_fields(a, f, 4 * links);
	take_link_states(g, f, links);
	if (g->link_state[0].rc == NVML_RC_NOT_SUPPORTED ||
	    g->link_state[0].rc == VAL_NO_SYMBOL)
		ask_link_states(a, g, links);
	for (k = 0; k < 3; k++) {
		sum(at(g, link_counters[k].val), f + (k + 1) * links, links);
		if (!VAL_KNOWN(*at(g, link_counters[k].val)))
			ask_totals(a, g, &link_counters[k]);
	}
}

/* Fabric info, version 3 or, of an older driver, 2. */
static void ask_fabric(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_fabric_v3 f = { .version = NVML_VERSION(f, 3) };
	bool has_summary = true;
	size_t i;
	int rc;

	rc = GPU_CALL(a, fabric, a->handle[a->slot], &f);
	if (rc == NVML_RC_ARGUMENT_VERSION || rc == NVML_RC_INVALID_ARGUMENT) {
		f.version = NVML_VERSION(struct nvml_fabric_v2, 2);
		has_summary = false;
		rc = GPU_CALL(a, fabric, a->handle[a->slot], &f);
	}
	set(&g->fabric_state, rc, f.state);
	set(&g->fabric_status, rc, f.status);
	set(&g->fabric_clique, rc, f.clique);
	set(&g->fabric_health, rc, f.health_mask);
	set(&g->fabric_summary, has_summary ? rc : NVML_RC_NOT_SUPPORTED,
	    f.health_summary);
	g->fabric_uuid[0] = '\0';
	for (i = 0; !rc && i < sizeof(f.cluster_uuid); i++)
		if (f.cluster_uuid[i])
			break;
	if (rc || i == sizeof(f.cluster_uuid))
		return;
	for (i = 0; i < sizeof(f.cluster_uuid); i++)
		snprintf(g->fabric_uuid + 2 * i, 3, "%02x", f.cluster_uuid[i]);
}

/* ---- memory and its errors --------------------------------------------- */

static void ask_remap(struct gpu_ask *a, struct gpu *g)
{
	unsigned int corr = 0, unc = 0, pending = 0, failure = 0;
	struct nvml_row_histogram h = { 0 };
	int rc;

	rc = GPU_CALL(a, remapped_rows, a->handle[a->slot], &corr, &unc,
		      &pending, &failure);
	set(&g->remap_corr, rc, corr);
	set(&g->remap_unc, rc, unc);
	set(&g->remap_pending, rc, pending);
	set(&g->remap_failure, rc, failure);
	rc = GPU_CALL(a, row_histogram, a->handle[a->slot], &h);
	set(&g->bank_max, rc, h.max);
	set(&g->bank_high, rc, h.high);
	set(&g->bank_partial, rc, h.partial);
	set(&g->bank_low, rc, h.low);
	set(&g->bank_none, rc, h.none);
}

/* Without the call for it, the same as fields. */
static void ask_remap_fields(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_field_value f[4];
	struct val *v[4] = { &g->remap_corr, &g->remap_unc, &g->remap_pending,
			     &g->remap_failure };
	unsigned int i;

	memset(f, 0, sizeof(f));
	for (i = 0; i < 4; i++)
		f[i].field = NVML_FIELD_REMAP_CORR + i;
	ask_fields(a, f, 4);
	for (i = 0; i < 4; i++)
		set(v[i], f[i].rc, field_value(&f[i]));
}

static void ask_sram(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_sram_ecc e = { .version = NVML_VERSION(e, 1) };
	int rc = GPU_CALL(a, sram_ecc, a->handle[a->slot], &e);

	set_wide(&g->sram_unc_parity, rc, e.aggregate_unc_parity);
	set_wide(&g->sram_unc_secded, rc, e.aggregate_unc_secded);
	set_wide(&g->sram_corr, rc, e.aggregate_corr);
	set(&g->sram_threshold, rc, e.threshold_exceeded != 0);
}

static void ask_memory(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_memory_v2 m = { .version = NVML_VERSION(m, 2) };
	int rc = GPU_CALL(a, memory, a->handle[a->slot], &m);

	set_wide(&g->mem_total, rc, m.total);
	set_wide(&g->mem_used, rc, m.used);
}

/* ---- pairs and identity ------------------------------------------------ */

static void ask_pairs(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_device *h = a->handle[a->slot];
	unsigned int x = 0, y = 0;
	int major = 0, minor = 0, rc;

	rc = GPU_CALL(a, ecc_mode, h, &x, &y);
	set(&g->ecc_mode, rc, x);
	rc = GPU_CALL(a, mig_mode, h, &x, &y);
	set(&g->mig_mode, rc, x);
	set(&g->mig_pending, rc, y);
	rc = GPU_CALL(a, power_range, h, &x, &y);
	set(&g->power_min_mw, rc, x);
	set(&g->power_max_mw, rc, y);
	rc = GPU_CALL(a, cuda_capability, h, &major, &minor);
	set(&g->cc_major, rc, major);
	set(&g->cc_minor, rc, minor);
}

static void ask_identity(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_device *h = a->handle[a->slot];
	struct nvml_pci_info pci = { .pci_device_id = 0 };
	char text[96] = "";
	unsigned int minor = 0;

	if (GPU_CALL(a, name, h, text, sizeof(text)) == 0)
		scrub_copy(g->name, sizeof(g->name), text);
	if (GPU_CALL(a, uuid, h, text, sizeof(text)) == 0)
		scrub_copy(g->uuid, sizeof(g->uuid), text);
	if (GPU_CALL(a, vbios, h, text, sizeof(text)) == 0)
		scrub_copy(g->vbios, sizeof(g->vbios), text);
	if (GPU_CALL(a, minor, h, &minor) == 0 && minor < 1024)
		g->minor = (int)minor;
	if (GPU_CALL(a, pci_info, h, &pci) == 0 && pci.pci_device_id)
		g->pci_id = pci.pci_device_id;
}

/* ---- what is looked at twice ------------------------------------------- */

static struct val throttle(struct gpu_ask *a)
{
	struct nvml_device *h = a->handle[a->slot];
	unsigned long long bits = 0;
	struct val v;
	int rc = a->n.event_reasons ? GPU_CALL(a, event_reasons, h, &bits)
				    : GPU_CALL(a, throttle_reasons, h, &bits);

	set_wide(&v, rc, bits);
	return v;
}

static void ask_throttle(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_device *h = a->handle[a->slot];
	struct nvml_margin_temp m = { .version = NVML_VERSION(m, 1) };
	unsigned long long bits = 0;
	int rc;

	g->throttle = g->throttle_again = throttle(a);
	g->temp_again = g->temp;
	rc = a->n.event_reasons_supported
		     ? GPU_CALL(a, event_reasons_supported, h, &bits)
		     : GPU_CALL(a, throttle_reasons_supported, h, &bits);
	set_wide(&g->throttle_supported, rc, bits);
	rc = GPU_CALL(a, temp_margin, h, &m);
	set(&g->temp_margin, rc, m.margin);
}

/* The compute processes on the GPU; their number, -1 if it is not told. */
static int ask_procs(struct gpu_ask *a, struct gpu_proc *out)
{
	static struct nvml_process p[PROCS_ASK];
	unsigned int n = PROCS_ASK, i;
	int rc = GPU_CALL(a, processes, a->handle[a->slot], &n, p);

	if (rc == NVML_RC_INSUFFICIENT_SIZE)
		n = PROCS_ASK;
	else if (rc)
		return -1;
	for (i = 0; i < n && i < FACTS_PROCS_MAX; i++) {
		out[i].pid = rc ? -1 : (int64_t)p[i].pid;
		out[i].mem_bytes = -1;
		if (!rc && p[i].used_memory != NVML_MEMORY_UNKNOWN)
			out[i].mem_bytes = (int64_t)p[i].used_memory;
		out[i].comm[0] = '\0';
	}
	return (int)i;
}

static void name_procs(const struct gpu_ask *a, struct gpu *g)
{
	char text[64];
	int i;

	for (i = 0; i < g->proc_count; i++)
		if (g->proc[i].pid > 0 &&
		    roots_readf(a->q->roots, text, sizeof(text),
				"proc/%lld/comm", (long long)g->proc[i].pid) > 0)
			scrub_copy(g->proc[i].comm, sizeof(g->proc[i].comm),
				   text);
}

bool facts_gpu_is_odd(const struct gpu *g)
{
	return (VAL_KNOWN(g->throttle) &&
		((uint64_t)g->throttle.v & NVML_REASONS_HELD_BACK)) ||
	       (VAL_KNOWN(g->temp_margin) && g->temp_margin.v <= 0) ||
	       (VAL_KNOWN(g->temp) && VAL_KNOWN(g->temp_slowdown) &&
		g->temp.v >= g->temp_slowdown.v) ||
	       g->proc_count > 0;
}

static bool holds(const struct gpu_proc *list, int n, int64_t pid)
{
	int i;

	for (i = 0; i < n; i++)
		if (list[i].pid == pid)
			return true;
	return false;
}

/* Who was there in both looks stays in the list; if nobody was, the first
 * list stays, as what it is. */
static void again_procs(struct gpu_ask *a, struct gpu *g)
{
	struct gpu_proc now[FACTS_PROCS_MAX];
	int i, kept = 0, n = ask_procs(a, now);

	g->procs_again = false;
	for (i = 0; i < g->proc_count && n > 0; i++)
		if (holds(now, n, g->proc[i].pid))
			g->procs_again = true;
	for (i = 0; i < g->proc_count && g->procs_again; i++)
		if (holds(now, n, g->proc[i].pid))
			g->proc[kept++] = g->proc[i];
	if (g->procs_again)
		g->proc_count = kept;
}

void facts_gpu_ask_again(struct gpu_ask *a, int slot)
{
	struct gpu *g = &a->io->gpu[slot];
	struct gpu second = *g;

	a->slot = slot;
	g->throttle_again = throttle(a);
	ask_keyed(a, &second, &keyed_sampled[0]);
	g->temp_again = second.temp;
	if (g->proc_count > 0)
		again_procs(a, g);
}

/* ---- one GPU ------------------------------------------------------------ */

void facts_gpu_ask_one(struct gpu_ask *a, int slot)
{
	struct gpu *g = &a->io->gpu[slot];

	a->slot = slot;
	ask_identity(a, g);
	ask_main_fields(a, g);
	ask_remap(a, g);
	if (g->remap_corr.rc == VAL_NO_SYMBOL)
		ask_remap_fields(a, g);
	ask_tables(a, g);
	ask_pairs(a, g);
	ask_sram(a, g);
	ask_memory(a, g);
	ask_throttle(a, g);
	ask_links(a, g);
	ask_link_data(a, g);
	ask_fabric(a, g);
	g->procs_again = false;
	g->proc_count = ask_procs(a, g->proc);
	name_procs(a, g);
}

static void ask_utilization(struct gpu_ask *a, struct gpu *g)
{
	struct nvml_utilization u = { 0 };
	int rc = GPU_CALL(a, utilization, a->handle[a->slot], &u);

	set(&g->busy_pct, rc, u.gpu);
}

void facts_gpu_ask_counters(struct gpu_ask *a, int slot)
{
	struct gpu *g = &a->io->gpu[slot];

	a->slot = slot;
	ask_main_fields(a, g);
	ask_link_data(a, g);
	ask_sampled(a, g);
	ask_memory(a, g);
	g->throttle = throttle(a);
	ask_utilization(a, g);
}
