/* SPDX-License-Identifier: Apache-2.0
 * devlibs - vendor libraries, loaded at run time.
 *
 * A table says for each symbol whether assay can live without it: a missing
 * optional symbol leaves its pointer NULL and costs what needs it; a missing
 * required one makes the library unusable, and is named. A library that was
 * loaded is never unloaded (its threads and handlers may outlive the call).
 *
 * Vendor libraries may block for ever: load and call them in workers only.
 */
#ifndef ASSAY_DEVLIBS_H
#define ASSAY_DEVLIBS_H

#include "lib/cublaslt.h"
#include "lib/cuda.h"
#include "lib/err.h"
#include "lib/nccl.h"
#include "lib/nvml.h"
#include "lib/nvml_gpm.h"
#include "lib/verbs.h"

/* X(need, return type, member, symbol, arguments) */
#define DEVLIBS_NVML(X) \
	X(REQUIRED, int, init, "nvmlInit_v2", (void)) \
	X(REQUIRED, int, count, "nvmlDeviceGetCount_v2", (unsigned int *)) \
	X(REQUIRED, int, by_index, "nvmlDeviceGetHandleByIndex_v2", \
	  (unsigned int, struct nvml_device **)) \
	X(REQUIRED, int, by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2", \
	  (const char *, struct nvml_device **)) \
	X(REQUIRED, int, pci_info, "nvmlDeviceGetPciInfo_v3", \
	  (struct nvml_device *, struct nvml_pci_info *)) \
	X(OPTIONAL, int, init_flags, "nvmlInitWithFlags", (unsigned int)) \
	X(OPTIONAL, const char *, error_string, "nvmlErrorString", (int)) \
	X(OPTIONAL, int, driver_version, "nvmlSystemGetDriverVersion", \
	  (char *, unsigned int)) \
	X(OPTIONAL, int, cc_state, "nvmlSystemGetConfComputeState", \
	  (struct nvml_cc_state *)) \
	X(OPTIONAL, int, field_values, "nvmlDeviceGetFieldValues", \
	  (struct nvml_device *, int, struct nvml_field_value *)) \
	X(OPTIONAL, int, name, "nvmlDeviceGetName", \
	  (struct nvml_device *, char *, unsigned int)) \
	X(OPTIONAL, int, uuid, "nvmlDeviceGetUUID", \
	  (struct nvml_device *, char *, unsigned int)) \
	X(OPTIONAL, int, vbios, "nvmlDeviceGetVbiosVersion", \
	  (struct nvml_device *, char *, unsigned int)) \
	X(OPTIONAL, int, minor, "nvmlDeviceGetMinorNumber", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, remapped_rows, "nvmlDeviceGetRemappedRows", \
	  (struct nvml_device *, unsigned int *, unsigned int *, \
	   unsigned int *, unsigned int *)) \
	X(OPTIONAL, int, row_histogram, "nvmlDeviceGetRowRemapperHistogram", \
	  (struct nvml_device *, struct nvml_row_histogram *)) \
	X(OPTIONAL, int, ecc_mode, "nvmlDeviceGetEccMode", \
	  (struct nvml_device *, unsigned int *, unsigned int *)) \
	X(OPTIONAL, int, ecc_total, "nvmlDeviceGetTotalEccErrors", \
	  (struct nvml_device *, unsigned int, unsigned int, \
	   unsigned long long *)) \
	X(OPTIONAL, int, sram_ecc, "nvmlDeviceGetSramEccErrorStatus", \
	  (struct nvml_device *, struct nvml_sram_ecc *)) \
	X(OPTIONAL, int, pcie_width, "nvmlDeviceGetCurrPcieLinkWidth", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, pcie_width_max, "nvmlDeviceGetMaxPcieLinkWidth", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, pcie_gen, "nvmlDeviceGetCurrPcieLinkGeneration", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, pcie_gen_max, "nvmlDeviceGetMaxPcieLinkGeneration", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, pcie_gen_gpu_max, \
	  "nvmlDeviceGetGpuMaxPcieLinkGeneration", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, pcie_replay, "nvmlDeviceGetPcieReplayCounter", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, event_reasons, \
	  "nvmlDeviceGetCurrentClocksEventReasons", \
	  (struct nvml_device *, unsigned long long *)) \
	X(OPTIONAL, int, throttle_reasons, \
	  "nvmlDeviceGetCurrentClocksThrottleReasons", \
	  (struct nvml_device *, unsigned long long *)) \
	X(OPTIONAL, int, event_reasons_supported, \
	  "nvmlDeviceGetSupportedClocksEventReasons", \
	  (struct nvml_device *, unsigned long long *)) \
	X(OPTIONAL, int, throttle_reasons_supported, \
	  "nvmlDeviceGetSupportedClocksThrottleReasons", \
	  (struct nvml_device *, unsigned long long *)) \
	X(OPTIONAL, int, temperature, "nvmlDeviceGetTemperature", \
	  (struct nvml_device *, unsigned int, unsigned int *)) \
	X(OPTIONAL, int, temp_threshold, "nvmlDeviceGetTemperatureThreshold", \
	  (struct nvml_device *, unsigned int, unsigned int *)) \
	X(OPTIONAL, int, temp_margin, "nvmlDeviceGetMarginTemperature", \
	  (struct nvml_device *, struct nvml_margin_temp *)) \
	X(OPTIONAL, int, power_usage, "nvmlDeviceGetPowerUsage", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, power_limit, "nvmlDeviceGetPowerManagementLimit", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, power_default, \
	  "nvmlDeviceGetPowerManagementDefaultLimit", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, power_enforced, "nvmlDeviceGetEnforcedPowerLimit", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, power_range, \
	  "nvmlDeviceGetPowerManagementLimitConstraints", \
	  (struct nvml_device *, unsigned int *, unsigned int *)) \
	X(OPTIONAL, int, persistence, "nvmlDeviceGetPersistenceMode", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, compute_mode, "nvmlDeviceGetComputeMode", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, mig_mode, "nvmlDeviceGetMigMode", \
	  (struct nvml_device *, unsigned int *, unsigned int *)) \
	X(OPTIONAL, int, memory, "nvmlDeviceGetMemoryInfo_v2", \
	  (struct nvml_device *, struct nvml_memory_v2 *)) \
	X(OPTIONAL, int, clock, "nvmlDeviceGetClockInfo", \
	  (struct nvml_device *, unsigned int, unsigned int *)) \
	X(OPTIONAL, int, clock_max, "nvmlDeviceGetMaxClockInfo", \
	  (struct nvml_device *, unsigned int, unsigned int *)) \
	X(OPTIONAL, int, app_clock, "nvmlDeviceGetApplicationsClock", \
	  (struct nvml_device *, unsigned int, unsigned int *)) \
	X(OPTIONAL, int, app_clock_default, \
	  "nvmlDeviceGetDefaultApplicationsClock", \
	  (struct nvml_device *, unsigned int, unsigned int *)) \
	X(OPTIONAL, int, cuda_capability, \
	  "nvmlDeviceGetCudaComputeCapability", \
	  (struct nvml_device *, int *, int *)) \
	X(OPTIONAL, int, link_state, "nvmlDeviceGetNvLinkState", \
	  (struct nvml_device *, unsigned int, unsigned int *)) \
	X(OPTIONAL, int, link_remote, "nvmlDeviceGetNvLinkRemoteDeviceType", \
	  (struct nvml_device *, unsigned int, unsigned int *)) \
	X(OPTIONAL, int, fabric, "nvmlDeviceGetGpuFabricInfoV", \
	  (struct nvml_device *, void *)) \
	X(OPTIONAL, int, processes, \
	  "nvmlDeviceGetComputeRunningProcesses_v3", \
	  (struct nvml_device *, unsigned int *, struct nvml_process *)) \
	X(OPTIONAL, int, numa_node, "nvmlDeviceGetNumaNodeId", \
	  (struct nvml_device *, unsigned int *)) \
	X(OPTIONAL, int, energy, "nvmlDeviceGetTotalEnergyConsumption", \
	  (struct nvml_device *, unsigned long long *)) \
	X(OPTIONAL, int, utilization, "nvmlDeviceGetUtilizationRates", \
	  (struct nvml_device *, struct nvml_utilization *)) \
	X(OPTIONAL, int, gpm_support, "nvmlGpmQueryDeviceSupport", \
	  (struct nvml_device *, struct nvml_gpm_support *)) \
	X(OPTIONAL, int, gpm_alloc, "nvmlGpmSampleAlloc", \
	  (struct nvml_gpm_sample **)) \
	X(OPTIONAL, int, gpm_sample, "nvmlGpmSampleGet", \
	  (struct nvml_device *, struct nvml_gpm_sample *)) \
	X(OPTIONAL, int, gpm_metrics, "nvmlGpmMetricsGet", \
	  (struct nvml_gpm_get *))

struct devlibs_nvml {
	void *so;		/* NULL: not loaded */
	int missing_required;	/* how many required symbols are missing */
	int missing_optional;
#define X(need, type, member, symbol, args) type (*member) args;
	DEVLIBS_NVML(X)
#undef X
};

/* The symbol behind each member, to name a call by. */
struct devlibs_nvml_names {
#define X(need, type, member, symbol, args) const char *member;
	DEVLIBS_NVML(X)
#undef X
};
extern const struct devlibs_nvml_names devlibs_nvml_names;

struct devlibs_cuda_names {
#define X(need, member, symbol, args) const char *member;
	DEVLIBS_CUDA(X)
#undef X
};
extern const struct devlibs_cuda_names devlibs_cuda_names;

struct devlibs_verbs_names {
#define X(need, type, member, symbol, args) const char *member;
	DEVLIBS_VERBS(X)
#undef X
};
extern const struct devlibs_verbs_names devlibs_verbs_names;

/* Load a library. path: NULL or "" for the distribution's own places, else an
 * absolute path, which must be trusted (cfg_file_trusted()). *n is filled
 * from zero. 0, or -1 with *e: errno ELIBACC (it cannot be loaded; missing_
 * required is 0) or ENOSYS (required symbols are missing, all named). */
int devlibs_nvml_load(struct devlibs_nvml *n, const char *path, struct err *e);
int devlibs_cuda_load(struct devlibs_cuda *n, const char *path, struct err *e);
int devlibs_nccl_load(struct devlibs_nccl *n, const char *path, struct err *e);
int devlibs_verbs_load(struct devlibs_verbs *n, const char *path, struct err *e);
/* Where no path is given, also where NVIDIA's installer puts its toolkit; of
 * several releases the newest that assay knows. */
int devlibs_cublaslt_load(struct devlibs_cublaslt *n, const char *path,
			  struct err *e);

#endif
