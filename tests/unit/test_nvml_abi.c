/* SPDX-License-Identifier: Apache-2.0
 * The binary interface of NVML as literal numbers (x86-64 and aarch64 agree),
 * read off nvml.h of NVML 11.8.86, 12.4.127 and 12.5.39 (Debian's
 * libnvidia-ml-dev) and of NVML 13 (NVIDIA/go-nvml, gen/nvml/nvml.h).
 */
#include "config.h"
#include "lib/nvml.h"
#include "lib/nvml_gpm.h"
#include "tests/unit/unit.h"

#ifdef HAVE_NVML_H
#include <nvml.h>
#endif

#define AT(type, member, offset) \
	assert_int_equal(offsetof(struct type, member), offset)
#define SIZE(type, size) assert_int_equal(sizeof(struct type), size)

static void pci_and_memory(void **state)
{
	(void)state;
	SIZE(nvml_pci_info, 68);
	AT(nvml_pci_info, bus_id_legacy, 0);
	AT(nvml_pci_info, domain, 16);
	AT(nvml_pci_info, bus, 20);
	AT(nvml_pci_info, device, 24);
	AT(nvml_pci_info, pci_device_id, 28);
	AT(nvml_pci_info, pci_subsystem_id, 32);
	AT(nvml_pci_info, bus_id, 36);
	SIZE(nvml_memory_v2, 40);
	AT(nvml_memory_v2, total, 8);
	AT(nvml_memory_v2, reserved, 16);
	AT(nvml_memory_v2, free, 24);
	AT(nvml_memory_v2, used, 32);
	assert_int_equal(NVML_VERSION(struct nvml_memory_v2, 2), 0x02000028);
	SIZE(nvml_process, 24);
	AT(nvml_process, used_memory, 8);
	AT(nvml_process, gpu_instance, 16);
	AT(nvml_process, compute_instance, 20);
}

static void fields(void **state)
{
	(void)state;
	SIZE(nvml_field_value, 40);
	AT(nvml_field_value, field, 0);
	AT(nvml_field_value, scope, 4);
	AT(nvml_field_value, timestamp_us, 8);
	AT(nvml_field_value, latency_us, 16);
	AT(nvml_field_value, type, 24);
	AT(nvml_field_value, rc, 28);
	AT(nvml_field_value, value, 32);
	assert_int_equal(NVML_FIELD_REMAP_CORR, 142);
	assert_int_equal(NVML_FIELD_REMAP_FAILURE, 145);
	assert_int_equal(NVML_FIELD_LINK_REPLAY, 161);
	assert_int_equal(NVML_FIELD_LINK_STATE, 165);
	assert_int_equal(NVML_FIELD_RECOVERY_ACTION, 230);
	assert_int_equal(NVML_FIELD_PCIE_TX, 197);
	assert_int_equal(NVML_FIELD_LINK5_TX, 202);
	assert_int_equal(NVML_FIELD_LINK5_RX, 204);
	assert_int_equal(NVML_FIELD_HELD_SW_THERMAL, 269);
	assert_int_equal(NVML_FIELD_HELD_HW_BRAKE, 271);
}

static void errors(void **state)
{
	(void)state;
	SIZE(nvml_row_histogram, 20);
	AT(nvml_row_histogram, none, 16);
	SIZE(nvml_sram_ecc, 104);
	AT(nvml_sram_ecc, aggregate_unc_parity, 8);
	AT(nvml_sram_ecc, aggregate_unc_secded, 16);
	AT(nvml_sram_ecc, aggregate_corr, 24);
	AT(nvml_sram_ecc, volatile_unc_parity, 32);
	AT(nvml_sram_ecc, volatile_unc_secded, 40);
	AT(nvml_sram_ecc, volatile_corr, 48);
	AT(nvml_sram_ecc, bucket_l2, 56);
	AT(nvml_sram_ecc, bucket_other, 88);
	AT(nvml_sram_ecc, threshold_exceeded, 96);
	assert_int_equal(NVML_VERSION(struct nvml_sram_ecc, 1), 0x01000068);
	SIZE(nvml_violation, 16);
	AT(nvml_violation, violation_ns, 8);
}

static void monitoring(void **state)
{
	(void)state;
	SIZE(nvml_utilization, 8);
	AT(nvml_utilization, memory, 4);
	SIZE(nvml_gpm_metric, 40);
	AT(nvml_gpm_metric, rc, 4);
	AT(nvml_gpm_metric, value, 8);
	AT(nvml_gpm_metric, short_name, 16);
	AT(nvml_gpm_metric, unit, 32);
	AT(nvml_gpm_get, count, 4);
	AT(nvml_gpm_get, first, 8);
	AT(nvml_gpm_get, second, 16);
	AT(nvml_gpm_get, metric, 24);
	SIZE(nvml_gpm_support, 8);
	AT(nvml_gpm_support, supported, 4);
}

static void fabric_and_temperature(void **state)
{
	(void)state;
	SIZE(nvml_fabric_v2, 36);
	SIZE(nvml_fabric_v3, 40);
	AT(nvml_fabric_v2, health_mask, 32);
	AT(nvml_fabric_v3, cluster_uuid, 4);
	AT(nvml_fabric_v3, status, 20);
	AT(nvml_fabric_v3, clique, 24);
	AT(nvml_fabric_v3, state, 28);
	AT(nvml_fabric_v3, health_mask, 32);
	AT(nvml_fabric_v3, health_summary, 36);
	assert_int_equal(NVML_VERSION(struct nvml_fabric_v2, 2), 0x02000024);
	assert_int_equal(NVML_VERSION(struct nvml_fabric_v3, 3), 0x03000028);
	SIZE(nvml_cc_state, 12);
	AT(nvml_cc_state, feature, 4);
	SIZE(nvml_margin_temp, 8);
	AT(nvml_margin_temp, margin, 4);
	assert_int_equal(NVML_VERSION(struct nvml_margin_temp, 1), 0x01000008);
}

#ifdef HAVE_NVML_H
#define SAME(ours, theirs) assert_int_equal(sizeof(struct ours), sizeof(theirs))
#define SAME_AT(ours, m, theirs, tm) \
	assert_int_equal(offsetof(struct ours, m), offsetof(theirs, tm))

static void against_the_header(void **state)
{
	(void)state;
	SAME(nvml_pci_info, nvmlPciInfo_t);
	SAME_AT(nvml_pci_info, pci_device_id, nvmlPciInfo_t, pciDeviceId);
	SAME_AT(nvml_pci_info, bus_id, nvmlPciInfo_t, busId);
	SAME(nvml_memory_v2, nvmlMemory_v2_t);
	SAME_AT(nvml_memory_v2, used, nvmlMemory_v2_t, used);
	SAME(nvml_process, nvmlProcessInfo_t);
	SAME_AT(nvml_process, used_memory, nvmlProcessInfo_t, usedGpuMemory);
	SAME(nvml_field_value, nvmlFieldValue_t);
	SAME_AT(nvml_field_value, scope, nvmlFieldValue_t, scopeId);
	SAME_AT(nvml_field_value, type, nvmlFieldValue_t, valueType);
	SAME_AT(nvml_field_value, rc, nvmlFieldValue_t, nvmlReturn);
	SAME_AT(nvml_field_value, value, nvmlFieldValue_t, value);
	SAME(nvml_row_histogram, nvmlRowRemapperHistogramValues_t);
	SAME(nvml_violation, nvmlViolationTime_t);
	SAME(nvml_utilization, nvmlUtilization_t);
	assert_int_equal(NVML_RC_NOT_SUPPORTED, NVML_ERROR_NOT_SUPPORTED);
	assert_int_equal(NVML_RC_NO_PERMISSION, NVML_ERROR_NO_PERMISSION);
	assert_int_equal(NVML_RC_NOT_FOUND, NVML_ERROR_NOT_FOUND);
	assert_int_equal(NVML_RC_DRIVER_NOT_LOADED, NVML_ERROR_DRIVER_NOT_LOADED);
	assert_int_equal(NVML_RC_GPU_IS_LOST, NVML_ERROR_GPU_IS_LOST);
	assert_int_equal(NVML_RC_RESET_REQUIRED, NVML_ERROR_RESET_REQUIRED);
	assert_int_equal(NVML_RC_VERSION_MISMATCH,
			 NVML_ERROR_LIB_RM_VERSION_MISMATCH);
	assert_int_equal(NVML_TYPE_UINT, NVML_VALUE_TYPE_UNSIGNED_INT);
	assert_int_equal(NVML_TYPE_ULONG_LONG,
			 NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
	assert_int_equal(NVML_THRESHOLD_SLOWDOWN,
			 NVML_TEMPERATURE_THRESHOLD_SLOWDOWN);
	assert_int_equal(NVML_CLOCK_MEM_DOMAIN, NVML_CLOCK_MEM);
	assert_int_equal(NVML_FIELD_REMAP_CORR, NVML_FI_DEV_REMAPPED_COR);
	assert_int_equal(NVML_FIELD_REMAP_FAILURE, NVML_FI_DEV_REMAPPED_FAILURE);
	assert_int_equal(NVML_FIELD_PCIE_REPLAY, NVML_FI_DEV_PCIE_REPLAY_COUNTER);
	assert_int_equal(NVML_FIELD_LINK_COUNT, NVML_FI_DEV_NVLINK_LINK_COUNT);
	assert_int_equal(NVML_FIELD_MEMORY_TEMP, NVML_FI_DEV_MEMORY_TEMP);
	assert_int_equal(NVML_FIELD_ENERGY, NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION);
}

/* What only newer headers have. */
static void against_a_new_header(void **state)
{
	(void)state;
#ifdef nvmlEccSramErrorStatus_v1
	SAME(nvml_sram_ecc, nvmlEccSramErrorStatus_v1_t);
	SAME_AT(nvml_sram_ecc, threshold_exceeded, nvmlEccSramErrorStatus_v1_t,
		bThresholdExceeded);
	assert_int_equal(NVML_VERSION(struct nvml_sram_ecc, 1),
			 nvmlEccSramErrorStatus_v1);
#endif
#ifdef nvmlGpuFabricInfo_v2
	SAME(nvml_fabric_v2, nvmlGpuFabricInfo_v2_t);
	SAME_AT(nvml_fabric_v2, health_mask, nvmlGpuFabricInfo_v2_t, healthMask);
	assert_int_equal(NVML_VERSION(struct nvml_fabric_v2, 2),
			 nvmlGpuFabricInfo_v2);
#endif
#ifdef nvmlGpuFabricInfo_v3
	SAME(nvml_fabric_v3, nvmlGpuFabricInfo_v3_t);
	SAME_AT(nvml_fabric_v3, health_summary, nvmlGpuFabricInfo_v3_t,
		healthSummary);
#endif
#ifdef NVML_GPM_METRICS_GET_VERSION
	SAME(nvml_gpm_metric, nvmlGpmMetric_t);
	SAME(nvml_gpm_support, nvmlGpmSupport_t);
	SAME_AT(nvml_gpm_get, metric, nvmlGpmMetricsGet_t, metrics);
	assert_true(sizeof(nvmlGpmMetricsGet_t) <= sizeof(struct nvml_gpm_get));
	assert_int_equal(NVML_GPM_VERSION, NVML_GPM_METRICS_GET_VERSION);
	assert_int_equal(NVML_GPM_BUSY, NVML_GPM_METRIC_GRAPHICS_UTIL);
	assert_int_equal(NVML_GPM_SM, NVML_GPM_METRIC_SM_UTIL);
	assert_int_equal(NVML_GPM_TENSOR, NVML_GPM_METRIC_ANY_TENSOR_UTIL);
	assert_int_equal(NVML_GPM_DRAM, NVML_GPM_METRIC_DRAM_BW_UTIL);
#endif
#ifdef nvmlMarginTemperature_v1
	SAME(nvml_margin_temp, nvmlMarginTemperature_v1_t);
#endif
#ifdef NVML_FI_DEV_NVLINK_GET_STATE
	assert_int_equal(NVML_FIELD_LINK_REPLAY,
			 NVML_FI_DEV_NVLINK_ERROR_DL_REPLAY);
	assert_int_equal(NVML_FIELD_LINK_RECOVERY,
			 NVML_FI_DEV_NVLINK_ERROR_DL_RECOVERY);
	assert_int_equal(NVML_FIELD_LINK_CRC, NVML_FI_DEV_NVLINK_ERROR_DL_CRC);
	assert_int_equal(NVML_FIELD_LINK_STATE, NVML_FI_DEV_NVLINK_GET_STATE);
#endif
#ifdef NVML_FI_DEV_POWER_REQUESTED_LIMIT
	assert_int_equal(NVML_FIELD_POWER_DEFAULT_LIMIT,
			 NVML_FI_DEV_POWER_DEFAULT_LIMIT);
	assert_int_equal(NVML_FIELD_POWER_REQUESTED_LIMIT,
			 NVML_FI_DEV_POWER_REQUESTED_LIMIT);
#endif
#ifdef NVML_FI_DEV_GET_GPU_RECOVERY_ACTION
	assert_int_equal(NVML_FIELD_RECOVERY_ACTION,
			 NVML_FI_DEV_GET_GPU_RECOVERY_ACTION);
#endif
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pci_and_memory),
		cmocka_unit_test(fields),
		cmocka_unit_test(errors),
		cmocka_unit_test(monitoring),
		cmocka_unit_test(fabric_and_temperature),
#ifdef HAVE_NVML_H
		cmocka_unit_test(against_the_header),
		cmocka_unit_test(against_a_new_header),
#endif
	};

	return cmocka_run_group_tests_name("nvml_abi", tests, NULL, NULL);
}
