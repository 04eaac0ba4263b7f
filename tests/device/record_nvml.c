/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/device/record.h"

#include <stdio.h>
#include <string.h>

#include "lib/facts.h"
#include "tests/fake/nvml_members.h"

#define PREFIX "nvmlDevice"

/* A function: where its pointer and its name are. */
struct call {
	size_t fn, name;
};
#define CALL(member) \
	{ offsetof(struct devlibs_nvml, member), \
	  offsetof(struct devlibs_nvml_names, member) }

static const char *symbol(const struct call *c)
{
	const char *name;

	memcpy(&name, (const char *)&devlibs_nvml_names + c->name,
	       sizeof(name));
	return name;
}

static bool find(struct record *x, const struct call *c, void *fn)
{
	void *p;
	json_t *was;
	size_t i;

	memcpy(&p, (const char *)x->nvml + c->fn, sizeof(p));
	memcpy(fn, &p, sizeof(p));
	if (p)
		return true;
	json_array_foreach(x->missing, i, was)
		if (!strcmp(json_string_value(was), symbol(c)))
			return false;
	json_array_append_new(x->missing, json_string(symbol(c)));
	return false;
}

json_t *record_answer(int rc, json_t *value)
{
	if (rc == NVML_RC_OK)
		return value;
	json_decref(value);
	return rc == NVML_RC_NOT_SUPPORTED || rc == NVML_RC_INVALID_ARGUMENT ||
			       rc == NVML_RC_NOT_FOUND ||
			       rc == NVML_RC_ARGUMENT_VERSION ?
		       NULL :
		       json_pack("{s:i}", "rc", rc);
}

static void put(struct record *x, const struct call *c, json_t *value)
{
	if (value)
		json_object_set_new(x->answers, symbol(c) + strlen(PREFIX),
				    value);
}

static void put_key(json_t *object, unsigned int key, json_t *value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", key);
	if (value)
		json_object_set_new(object, text, value);
}

static json_t *unless_empty(json_t *object)
{
	if (json_object_size(object))
		return object;
	json_decref(object);
	return NULL;
}

/* ---- plain answers ------------------------------------------------------- */

static const struct call texts[] = { CALL(name), CALL(vbios) };

static void ask_text(struct record *x, const struct call *c)
{
	int (*fn)(struct nvml_device *, char *, unsigned int);
	char text[96] = "";
	int rc;

	if (!find(x, c, &fn))
		return;
	rc = fn(x->gpu, text, sizeof(text));
	put(x, c, record_answer(rc, json_string(text)));
}

static const struct call numbers[] = {
	CALL(minor),	     CALL(pcie_width),	CALL(pcie_width_max),
	CALL(pcie_gen),	     CALL(pcie_gen_max), CALL(pcie_gen_gpu_max),
	CALL(pcie_replay),   CALL(power_usage),	CALL(power_limit),
	CALL(power_default), CALL(power_enforced), CALL(persistence),
	CALL(compute_mode),  CALL(numa_node),
};

static void ask_number(struct record *x, const struct call *c)
{
	int (*fn)(struct nvml_device *, unsigned int *);
	unsigned int v = 0;
	int rc;

	if (!find(x, c, &fn))
		return;
	rc = fn(x->gpu, &v);
	put(x, c, record_answer(rc, json_integer(v)));
}

static const struct call wides[] = {
	CALL(event_reasons),	       CALL(throttle_reasons),
	CALL(event_reasons_supported), CALL(throttle_reasons_supported),
	CALL(energy),
};

static void ask_wide(struct record *x, const struct call *c)
{
	int (*fn)(struct nvml_device *, unsigned long long *);
	unsigned long long v = 0;
	int rc;

	if (!find(x, c, &fn))
		return;
	rc = fn(x->gpu, &v);
	put(x, c, record_answer(rc, json_integer((json_int_t)v)));
}

/* ---- by a key, by two, in pairs ------------------------------------------ */

static const struct keyed {
	struct call call;
	unsigned int keys;	/* 0 to that, exclusively */
} keyed[] = {
	{ CALL(temperature), 1 },
	{ CALL(temp_threshold), 8 },
	{ CALL(clock), 4 },
	{ CALL(clock_max), 4 },
	{ CALL(app_clock), 4 },
	{ CALL(app_clock_default), 4 },
	{ CALL(link_state), FACTS_LINKS_MAX },
	{ CALL(link_remote), FACTS_LINKS_MAX },
};

static void ask_keyed(struct record *x, const struct keyed *k)
{
	int (*fn)(struct nvml_device *, unsigned int, unsigned int *);
	json_t *all;
	unsigned int i, v;
	int rc;

	if (!find(x, &k->call, &fn))
		return;
	all = json_object();
	for (i = 0; i < k->keys; i++) {
		v = 0;
		rc = fn(x->gpu, i, &v);
		put_key(all, i, record_answer(rc, json_integer(v)));
	}
	put(x, &k->call, unless_empty(all));
}

static void ask_ecc_totals(struct record *x)
{
	static const struct call c = CALL(ecc_total);
	json_t *all, *value;
	int (*fn)(struct nvml_device *, unsigned int, unsigned int,
		  unsigned long long *);
	unsigned long long v;
	unsigned int i;
	char key[8];
	int rc;

	if (!find(x, &c, &fn))
		return;
	all = json_object();
	for (i = 0; i < 4; i++) {
		v = 0;
		rc = fn(x->gpu, i & 1, i >> 1, &v);
		value = record_answer(rc, json_integer((json_int_t)v));
		snprintf(key, sizeof(key), "%u:%u", i & 1, i >> 1);
		if (value)
			json_object_set_new(all, key, value);
	}
	put(x, &c, unless_empty(all));
}

static const struct pair {
	struct call call;
	const char *first, *second;
} pairs[] = {
	{ CALL(ecc_mode), "current", "pending" },
	{ CALL(mig_mode), "currentMode", "pendingMode" },
	{ CALL(power_range), "minLimit", "maxLimit" },
	{ CALL(cuda_capability), "major", "minor" },
};

static void ask_pair(struct record *x, const struct pair *p)
{
	int (*fn)(struct nvml_device *, unsigned int *, unsigned int *);
	unsigned int a = 0, b = 0;
	int rc;

	if (!find(x, &p->call, &fn))
		return;
	rc = fn(x->gpu, &a, &b);
	put(x, &p->call,
	    record_answer(rc, json_pack("{s:I, s:I}", p->first, (json_int_t)a,
				 p->second, (json_int_t)b)));
}

static void ask_remapped(struct record *x)
{
	static const struct call c = CALL(remapped_rows);
	int (*fn)(struct nvml_device *, unsigned int *, unsigned int *,
		  unsigned int *, unsigned int *);
	unsigned int v[4] = { 0 };
	int rc;

	if (!find(x, &c, &fn))
		return;
	rc = fn(x->gpu, &v[0], &v[1], &v[2], &v[3]);
	put(x, &c, record_answer(rc, json_pack("{s:I, s:I, s:I, s:I}", "corrRows",
					(json_int_t)v[0], "uncRows",
					(json_int_t)v[1], "isPending",
					(json_int_t)v[2], "failureOccurred",
					(json_int_t)v[3])));
}

/* ---- structs ------------------------------------------------------------- */

/* Numbers of 32 bits are taken for signed ones: played, the bits are the same
 * either way. */
static int64_t read_member(const void *base, const struct answer_member *m)
{
	const char *at = (const char *)base + m->offset;
	int64_t v;
	int32_t v32;

	if (m->size == 1)
		return *(const unsigned char *)at;
	if (m->size == 4) {
		memcpy(&v32, at, 4);
		return v32;
	}
	memcpy(&v, at, 8);
	return v;
}

static json_t *read_members(const void *base, const struct answer_member *m)
{
	json_t *out = json_object();

	for (; m->name; m++)
		json_object_set_new(out, m->name,
				    json_integer(read_member(base, m)));
	return out;
}

static const struct whole {
	struct call call;
	const struct answer_member *members;
	unsigned int version;	/* its first word; 0: it has none */
} wholes[] = {
	{ CALL(row_histogram), histogram_members, 0 },
	{ CALL(memory), memory_members,
	  NVML_VERSION(struct nvml_memory_v2, 2) },
	{ CALL(temp_margin), margin_members,
	  NVML_VERSION(struct nvml_margin_temp, 1) },
	{ CALL(sram_ecc), sram_members, NVML_VERSION(struct nvml_sram_ecc, 1) },
};

static void ask_whole(struct record *x, const struct whole *w)
{
	int (*fn)(struct nvml_device *, void *);
	union {
		unsigned int version;
		unsigned char bytes[256];
		long long aligned;
	} u = { .bytes = { 0 } };
	int rc;

	if (!find(x, &w->call, &fn))
		return;
	u.version = w->version;
	rc = fn(x->gpu, &u);
	put(x, &w->call, record_answer(rc, read_members(&u, w->members)));
}

/* Version 3, or of an older driver 2. The cluster stays nameless. */
static void ask_fabric(struct record *x)
{
	static const struct call c = CALL(fabric);
	struct nvml_fabric_v3 f = {
		.version = NVML_VERSION(struct nvml_fabric_v3, 3)
	};
	int (*fn)(struct nvml_device *, void *);
	json_t *value;
	int rc;

	if (!find(x, &c, &fn))
		return;
	rc = fn(x->gpu, &f);
	if (rc != NVML_RC_OK) {
		f.version = NVML_VERSION(struct nvml_fabric_v2, 2);
		rc = fn(x->gpu, &f);
	}
	value = read_members(&f, fabric_members);
	json_object_set_new(value, "clusterUuid",
			    json_string("00000000-0000-0000-0000-000000000000"));
	put(x, &c, record_answer(rc, value));
}

static void ask_pci(struct record *x)
{
	static const struct call c = CALL(pci_info);
	struct nvml_pci_info p = { .bus_id = "" };
	char device[16], subsystem[16];
	int rc = x->nvml->pci_info(x->gpu, &p);

	snprintf(device, sizeof(device), "0x%08X", p.pci_device_id);
	snprintf(subsystem, sizeof(subsystem), "0x%08X", p.pci_subsystem_id);
	put(x, &c, record_answer(rc, json_pack("{s:s, s:s, s:s}", "busId", p.bus_id,
					"pciDeviceId", device,
					"pciSubSystemId", subsystem)));
}

static void ask_processes(struct record *x)
{
	static const struct call c = CALL(processes);
	int (*fn)(struct nvml_device *, unsigned int *, struct nvml_process *);
	struct nvml_process list[64];
	unsigned int i, n = 64;
	json_t *out, *p;
	int rc;

	if (!find(x, &c, &fn))
		return;
	rc = fn(x->gpu, &n, list);
	out = json_array();
	for (i = 0; rc == NVML_RC_OK && i < n; i++) {
		p = json_pack("{s:I}", "pid", (json_int_t)list[i].pid);
		if (list[i].used_memory != NVML_MEMORY_UNKNOWN)
			json_object_set_new(
				p, "usedGpuMemory",
				json_integer((json_int_t)list[i].used_memory));
		json_array_append_new(out, p);
	}
	put(x, &c, record_answer(rc, out));
}

/* ---- a GPU, and all ------------------------------------------------------ */

#define EACH(table, ask) \
	for (i = 0; i < sizeof(table) / sizeof(*(table)); i++) \
		ask(x, &(table)[i])

static void ask_all(struct record *x)
{
	static const struct call fields = CALL(field_values);
	void *unused;
	size_t i;

	EACH(texts, ask_text);
	ask_pci(x);
	EACH(numbers, ask_number);
	EACH(wides, ask_wide);
	EACH(keyed, ask_keyed);
	EACH(pairs, ask_pair);
	EACH(wholes, ask_whole);
	ask_ecc_totals(x);
	ask_remapped(x);
	ask_fabric(x);
	ask_processes(x);
	if (find(x, &fields, &unused))
		put(x, &fields, unless_empty(record_fields(x)));
}

static json_t *gpu_answers(struct record *x, unsigned int i)
{
	char uuid[64];

	x->answers = json_object();
	if (x->nvml->by_index(i, &x->gpu) != NVML_RC_OK)
		return x->answers;
	snprintf(uuid, sizeof(uuid), "GPU-a%07x-0000-4000-8000-%012x", i, i);
	json_object_set_new(x->answers, "GetUUID", json_string(uuid));
	ask_all(x);
	return x->answers;
}

json_t *record_nvml(struct rig *r)
{
	struct record x = { .nvml = &r->libs.nvml, .missing = json_array() };
	json_t *out = json_object(), *gpus = json_array();
	unsigned int i, count = 0;
	char driver[96];

	if (x.nvml->driver_version &&
	    x.nvml->driver_version(driver, sizeof(driver)) == NVML_RC_OK)
		json_object_set_new(out, "SystemGetDriverVersion",
				    json_string(driver));
	x.nvml->count(&count);
	for (i = 0; i < count; i++)
		json_array_append_new(gpus, gpu_answers(&x, i));
	json_object_set_new(out, "gpus", gpus);
	if (json_array_size(x.missing))
		json_object_set(out, "missing_symbols", x.missing);
	json_decref(x.missing);
	return out;
}
