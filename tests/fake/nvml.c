/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for libnvidia-ml.so.1 that answers from a scenario.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/nvml.h"
#include "tests/fake/export.h"
#include "tests/fake/nvml_answer.h"
#include "tests/fake/scenario.h"

typedef struct nvml_device *dev_t_;
typedef unsigned int uint_;
typedef unsigned long long ull_;

#define FAKE_SECTION "nvml"
#define EXPORT(ret, name, params) EXPORT_AS(nvml, ret, name, params)

/* ---- init and handles ------------------------------------------------ */

static int init(const char *func)
{
	struct scn_node n;
	int rc = answer_load();

	if (rc)
		return rc;
	scn_begin();
	n = answer_library(func, NULL);
	if (!n.rc)
		answer_init(1);
	return n.rc;
}

EXPORT(int, Init_v2, (void))
{
	return init("Init_v2");
}

EXPORT(int, InitWithFlags, (uint_ flags))
{
	(void)flags;
	return init("InitWithFlags");
}

EXPORT(int, Shutdown, (void))
{
	struct scn_node n;

	scn_begin();
	if (!answer_ready())
		return NVML_RC_UNINITIALIZED;
	n = answer_library("Shutdown", NULL);
	if (!n.rc)
		answer_init(-1);
	return n.rc;
}

EXPORT(const char *, ErrorString, (int rc))
{
	static const char *const text[] = {
		[0] = "Success",
		[1] = "Uninitialized",
		[2] = "Invalid Argument",
		[3] = "Not Supported",
		[4] = "Insufficient Permissions",
		[6] = "Not Found",
		[7] = "Insufficient Size",
		[9] = "Driver Not Loaded",
		[15] = "GPU is lost",
		[16] = "GPU requires reset",
		[18] = "Driver/library version mismatch",
	};
	size_t n = sizeof(text) / sizeof(*text);

	return rc >= 0 && (size_t)rc < n && text[rc] ? text[rc] : "Unknown Error";
}

EXPORT(int, SystemGetDriverVersion, (char *buf, uint_ size))
{
	return buf ? answer_library_text("SystemGetDriverVersion", buf, size)
		   : NVML_RC_INVALID_ARGUMENT;
}

EXPORT(int, SystemGetNVMLVersion, (char *buf, uint_ size))
{
	return buf ? answer_library_text("SystemGetNVMLVersion", buf, size)
		   : NVML_RC_INVALID_ARGUMENT;
}

EXPORT(int, SystemGetConfComputeState, (struct nvml_cc_state *out))
{
	struct scn_node n;

	scn_begin();
	if (!answer_ready())
		return NVML_RC_UNINITIALIZED;
	if (!out)
		return NVML_RC_INVALID_ARGUMENT;
	memset(out, 0, sizeof(*out));
	n = answer_library("SystemGetConfComputeState", "ccFeature");
	if (!answer_rc(&n))
		out->feature = (uint_)scn_int(&n);
	return answer_rc(&n);
}

EXPORT(int, DeviceGetCount_v2, (uint_ * count))
{
	struct scn_node n;

	scn_begin();
	if (!answer_ready())
		return NVML_RC_UNINITIALIZED;
	if (!count)
		return NVML_RC_INVALID_ARGUMENT;
	n = answer_library("GetCount_v2", NULL);
	*count = scn_json(&n) || n.is_ramp ? (uint_)scn_int(&n)
					   : (uint_)answer_gpu_count();
	return n.rc;
}

/* What every handle getter does first: 0, or why not. */
static int handle_begin(const char *func, const char *key, const void *out)
{
	scn_begin();
	if (!answer_ready())
		return NVML_RC_UNINITIALIZED;
	if (!out || !key)
		return NVML_RC_INVALID_ARGUMENT;
	return answer_library(func, key).rc;
}

EXPORT(int, DeviceGetHandleByIndex_v2, (uint_ index, dev_t_ *out))
{
	char key[16];
	int rc;

	snprintf(key, sizeof(key), "%u", index);
	rc = handle_begin("GetHandleByIndex_v2", key, out);
	if (rc)
		return rc;
	*out = index < 1024 ? answer_gpu((int)index) : NULL;
	return *out ? NVML_RC_OK : NVML_RC_INVALID_ARGUMENT;
}

EXPORT(int, DeviceGetHandleByUUID, (const char *uuid, dev_t_ *out))
{
	struct nvml_device *g;
	const char *text;
	struct scn_node n;
	int rc = handle_begin("GetHandleByUUID", uuid, out);
	int i;

	for (i = 0; !rc && (g = answer_gpu(i)); i++) {
		n = answer_node(g, "GetUUID");
		text = scn_text(&n);
		if (text && strcmp(text, uuid) == 0) {
			*out = g;
			return NVML_RC_OK;
		}
	}
	return rc ? rc : NVML_RC_NOT_FOUND;
}

/* "0000:1b:00.0" and "00000000:1B:00.0" are one. */
static int bus_number(const char *text, uint64_t *out)
{
	unsigned int domain, bus, device, function = 0;

	if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &device, &function) < 3)
		return -1;
	*out = (uint64_t)domain << 32 | bus << 16 | device << 8 | function;
	return 0;
}

static struct nvml_device *by_bus_id(const char *text)
{
	struct nvml_device *g;
	uint64_t want, have;
	int i;

	if (bus_number(text, &want) < 0)
		return NULL;
	for (i = 0; (g = answer_gpu(i)); i++)
		if (bus_number(g->bus_id, &have) == 0 && have == want)
			return g;
	return NULL;
}

EXPORT(int, DeviceGetHandleByPciBusId_v2, (const char *text, dev_t_ *out))
{
	struct nvml_device *g = text ? by_bus_id(text) : NULL;
	const char *func = "GetHandleByPciBusId_v2";
	int rc;

	rc = handle_begin(
		func, g && !answer_lists(func, text) ? g->bus_id : text, out);
	if (rc)
		return rc;
	*out = g;
	return g ? NVML_RC_OK : NVML_RC_NOT_FOUND;
}

/* ---- identity -------------------------------------------------------- */

EXPORT(int, DeviceGetPciInfo_v3, (dev_t_ g, struct nvml_pci_info *out))
{
	struct scn_node n, id;
	int rc = answer_struct(g, "GetPciInfo_v3", pci_members, out);

	if (rc)
		return rc;
	n = answer_node(g, "GetPciInfo_v3");
	id = scn_step(&n, "busId");
	memset(out->bus_id, 0, sizeof(out->bus_id));
	if (!scn_text(&id))
		return id.rc ? id.rc : NVML_RC_UNKNOWN;
	snprintf(out->bus_id, sizeof(out->bus_id), "%s", scn_text(&id));
	out->domain = out->bus = out->device = 0;
	sscanf(out->bus_id, "%x:%x:%x", &out->domain, &out->bus, &out->device);
	snprintf(out->bus_id_legacy, sizeof(out->bus_id_legacy),
		 "%04X:%02X:%02X.0", out->domain & 0xffff, out->bus & 0xff,
		 out->device & 0xff);
	return NVML_RC_OK;
}

#define TEXT(name) \
	EXPORT(int, Device##name, (dev_t_ g, char *buf, uint_ size)) \
	{ \
		return answer_text(g, #name, buf, size); \
	}
TEXT(GetName)
TEXT(GetUUID)
TEXT(GetSerial)
TEXT(GetVbiosVersion)
TEXT(GetGspFirmwareVersion)

/* ---- one number ------------------------------------------------------ */

#define NUMBER(name) \
	EXPORT(int, Device##name, (dev_t_ g, uint_ * out)) \
	{ \
		return answer_u32(g, #name, NULL, out); \
	}
NUMBER(GetComputeMode)
NUMBER(GetCurrPcieLinkGeneration)
NUMBER(GetCurrPcieLinkWidth)
NUMBER(GetEnforcedPowerLimit)
NUMBER(GetGpuMaxPcieLinkGeneration)
NUMBER(GetMaxPcieLinkGeneration)
NUMBER(GetMaxPcieLinkWidth)
NUMBER(GetMinorNumber)
NUMBER(GetNumaNodeId)
NUMBER(GetPcieReplayCounter)
NUMBER(GetPerformanceState)
NUMBER(GetPersistenceMode)
NUMBER(GetPowerManagementDefaultLimit)
NUMBER(GetPowerManagementLimit)
NUMBER(GetPowerUsage)
NUMBER(GetRetiredPagesPendingStatus)

#define WIDE(name) \
	EXPORT(int, Device##name, (dev_t_ g, ull_ * out)) \
	{ \
		return answer_u64(g, #name, NULL, out); \
	}
WIDE(GetCurrentClocksEventReasons)
WIDE(GetCurrentClocksThrottleReasons)
WIDE(GetSupportedClocksEventReasons)
WIDE(GetSupportedClocksThrottleReasons)
WIDE(GetTotalEnergyConsumption)

/* Answers keyed by one argument. */
static int keyed(dev_t_ g, const char *func, uint_ key, uint_ *out)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", key);
	return answer_u32(g, func, text, out);
}

#define KEYED(name) \
	EXPORT(int, Device##name, (dev_t_ g, uint_ key, uint_ * out)) \
	{ \
		return keyed(g, #name, key, out); \
	}
KEYED(GetClockInfo)
KEYED(GetMaxClockInfo)
KEYED(GetApplicationsClock)
KEYED(GetDefaultApplicationsClock)
KEYED(GetNvLinkRemoteDeviceType)
KEYED(GetNvLinkState)
KEYED(GetNvLinkVersion)
KEYED(GetTemperature)
KEYED(GetTemperatureThreshold)

EXPORT(int, DeviceGetTotalEccErrors,
	(dev_t_ g, uint_ type, uint_ counter, ull_ *out))
{
	char key[32];

	snprintf(key, sizeof(key), "%u:%u", type, counter);
	return answer_u64(g, "GetTotalEccErrors", key, out);
}

EXPORT(int, DeviceGetMemoryErrorCounter,
	(dev_t_ g, uint_ type, uint_ counter, uint_ place, ull_ *out))
{
	char key[48];

	snprintf(key, sizeof(key), "%u:%u:%u", type, counter, place);
	return answer_u64(g, "GetMemoryErrorCounter", key, out);
}

/* ---- several numbers ------------------------------------------------- */

/* The members of func into out[]; NULL: not wanted. */
static int members(dev_t_ g, const char *func, const char *const *name,
		   uint_ *const *out, int count)
{
	struct scn_node n;
	ull_ v;
	int rc = answer_begin(g, out[0]);
	int i;

	for (i = 0; !rc && i < count; i++) {
		v = 0;
		rc = answer_more(g, func, name[i], NULL, &v);
		if (rc == NVML_RC_NOT_SUPPORTED) {
			/* Not listed in an answer that is: 0. */
			n = answer_node(g, func);
			rc = answer_rc(&n);
		}
		if (!rc && out[i])
			*out[i] = (uint_)v;
	}
	return rc;
}

EXPORT(int, DeviceGetRemappedRows,
	(dev_t_ g, uint_ *corr, uint_ *unc, uint_ *pending, uint_ *failure))
{
	static const char *const names[] = { "corrRows", "uncRows", "isPending",
					     "failureOccurred" };

	return members(g, "GetRemappedRows", names,
		       (uint_ *const[]){ corr, unc, pending, failure }, 4);
}

#define PAIR(name, type, first, second) \
	EXPORT(int, Device##name, (dev_t_ g, type * a, type * b)) \
	{ \
		static const char *const names[] = { first, second }; \
		return members(g, #name, names, \
			       (uint_ *const[]){ (uint_ *)a, (uint_ *)b }, 2); \
	}
PAIR(GetCudaComputeCapability, int, "major", "minor")
PAIR(GetEccMode, uint_, "current", "pending")
PAIR(GetMigMode, uint_, "currentMode", "pendingMode")
PAIR(GetPowerManagementLimitConstraints, uint_, "minLimit", "maxLimit")

EXPORT(int, DeviceGetViolationStatus,
	(dev_t_ g, uint_ policy, struct nvml_violation *out))
{
	char key[16];
	int rc = answer_begin(g, out);

	if (rc)
		return rc;
	memset(out, 0, sizeof(*out));
	snprintf(key, sizeof(key), "%u", policy);
	rc = answer_more(g, "GetViolationStatus", key, "violationTime",
			 &out->violation_ns);
	if (!rc)
		answer_more(g, "GetViolationStatus", key, "referenceTime",
			    &out->reference_us);
	return rc;
}

EXPORT(int, DeviceGetRowRemapperHistogram,
	(dev_t_ g, struct nvml_row_histogram *out))
{
	return answer_struct(g, "GetRowRemapperHistogram", histogram_members,
			     out);
}

EXPORT(int, DeviceGetUtilizationRates, (dev_t_ g, struct nvml_utilization *out))
{
	static const struct answer_member m[] = {
		ANSWER_MEMBER(struct nvml_utilization, gpu, "gpu"),
		ANSWER_MEMBER(struct nvml_utilization, memory, "memory"),
		{ NULL, 0, 0 }
	};

	return answer_struct(g, "GetUtilizationRates", m, out);
}

EXPORT(int, DeviceGetMemoryInfo_v2, (dev_t_ g, struct nvml_memory_v2 *out))
{
	if (out && out->version != NVML_VERSION(struct nvml_memory_v2, 2))
		return NVML_RC_ARGUMENT_VERSION;
	return answer_struct(g, "GetMemoryInfo_v2", memory_members, out);
}

EXPORT(int, DeviceGetMarginTemperature, (dev_t_ g, struct nvml_margin_temp *out))
{
	if (out && out->version != NVML_VERSION(struct nvml_margin_temp, 1))
		return NVML_RC_ARGUMENT_VERSION;
	return answer_struct(g, "GetMarginTemperature", margin_members, out);
}

EXPORT(int, DeviceGetSramEccErrorStatus, (dev_t_ g, struct nvml_sram_ecc *out))
{
	if (out && out->version != NVML_VERSION(struct nvml_sram_ecc, 1))
		return NVML_RC_ARGUMENT_VERSION;
	return answer_struct(g, "GetSramEccErrorStatus", sram_members, out);
}

/* Hex digits, whatever stands between them. */
static void put_uuid(const char *text, unsigned char uuid[16])
{
	char byte[3] = "";
	int i = 0, n = 0;
	unsigned int v;

	memset(uuid, 0, 16);
	for (; text && *text && i < 16; text++) {
		if (!strchr("0123456789abcdefABCDEF", *text))
			continue;
		byte[n++] = *text;
		if (n == 2 && sscanf(byte, "%2x", &v) == 1) {
			uuid[i++] = (unsigned char)v;
			n = 0;
		}
	}
}

EXPORT(int, DeviceGetGpuFabricInfoV, (dev_t_ g, struct nvml_fabric_v3 *out))
{
	unsigned int v2 = NVML_VERSION(struct nvml_fabric_v2, 2);
	struct nvml_fabric_v3 all;
	struct scn_node n, id;
	int rc;

	if (out && out->version != v2 &&
	    out->version != NVML_VERSION(struct nvml_fabric_v3, 3))
		return NVML_RC_ARGUMENT_VERSION;
	rc = answer_struct(g, "GetGpuFabricInfoV", fabric_members,
			   out ? &all : NULL);
	if (rc)
		return rc;
	n = answer_node(g, "GetGpuFabricInfoV");
	id = scn_step(&n, "clusterUuid");
	put_uuid(scn_text(&id), all.cluster_uuid);
	all.version = out->version;
	memcpy(out, &all,
	       out->version == v2 ? sizeof(struct nvml_fabric_v2) : sizeof(all));
	return NVML_RC_OK;
}

/* ---- lists ----------------------------------------------------------- */

static void put_process(json_t *j, struct nvml_process *p)
{
	json_t *used = json_object_get(j, "usedGpuMemory");
	json_t *gi = json_object_get(j, "gpuInstanceId");
	json_t *ci = json_object_get(j, "computeInstanceId");

	memset(p, 0, sizeof(*p));
	p->pid = (uint_)json_integer_value(json_object_get(j, "pid"));
	p->used_memory = json_is_integer(used) ? (ull_)json_integer_value(used)
					       : NVML_MEMORY_UNKNOWN;
	p->gpu_instance = gi ? (uint_)json_integer_value(gi) : 0xffffffffU;
	p->compute_instance = ci ? (uint_)json_integer_value(ci) : 0xffffffffU;
}

static int processes(dev_t_ g, const char *func, uint_ *count,
		     struct nvml_process *list)
{
	struct scn_node n;
	uint_ space, i;
	int rc = answer_begin(g, count);

	if (rc)
		return rc;
	n = answer_node(g, func);
	rc = answer_rc(&n);
	if (rc)
		return rc;
	space = *count;
	*count = (uint_)json_array_size(scn_json(&n));
	if (*count > space)
		return NVML_RC_INSUFFICIENT_SIZE;
	for (i = 0; i < *count && list; i++)
		put_process(json_array_get(scn_json(&n), i), &list[i]);
	return NVML_RC_OK;
}

#define PROCESSES(name) \
	EXPORT(int, Device##name, \
	       (dev_t_ g, uint_ * count, struct nvml_process * list)) \
	{ \
		return processes(g, #name, count, list); \
	}
PROCESSES(GetComputeRunningProcesses_v3)
PROCESSES(GetGraphicsRunningProcesses_v3)
PROCESSES(GetMPSComputeRunningProcesses_v3)

EXPORT(int, DeviceGetFieldValues,
	(dev_t_ g, int count, struct nvml_field_value *f))
{
	struct scn_node n;
	int rc = answer_begin(g, f);
	int i;

	if (rc)
		return rc;
	n = answer_node(g, "GetFieldValues");
	if (n.rc)
		return n.rc;
	for (i = 0; i < count; i++)
		answer_field(g, &f[i]);
	return NVML_RC_OK;
}
