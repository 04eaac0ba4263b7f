/* SPDX-License-Identifier: Apache-2.0
 * nvml_members - the C names that a scenario gives to the members of NVML's
 * structs: by them the fake answers, and tests/device records.
 */
#ifndef ASSAY_FAKE_NVML_MEMBERS_H
#define ASSAY_FAKE_NVML_MEMBERS_H

#include <stddef.h>

#include "lib/nvml.h"

/* A list of them ends with a NULL name. */
struct answer_member {
	const char *name;
	size_t offset, size;	/* size: 1, 4 or 8 */
};
#define ANSWER_MEMBER(type, m, text) \
	{ text, offsetof(type, m), sizeof(((type *)0)->m) }

static const struct answer_member pci_members[] = {
	ANSWER_MEMBER(struct nvml_pci_info, pci_device_id, "pciDeviceId"),
	ANSWER_MEMBER(struct nvml_pci_info, pci_subsystem_id, "pciSubSystemId"),
	{ NULL, 0, 0 }
};

static const struct answer_member histogram_members[] = {
	ANSWER_MEMBER(struct nvml_row_histogram, max, "max"),
	ANSWER_MEMBER(struct nvml_row_histogram, high, "high"),
	ANSWER_MEMBER(struct nvml_row_histogram, partial, "partial"),
	ANSWER_MEMBER(struct nvml_row_histogram, low, "low"),
	ANSWER_MEMBER(struct nvml_row_histogram, none, "none"),
	{ NULL, 0, 0 }
};

static const struct answer_member memory_members[] = {
	ANSWER_MEMBER(struct nvml_memory_v2, total, "total"),
	ANSWER_MEMBER(struct nvml_memory_v2, reserved, "reserved"),
	ANSWER_MEMBER(struct nvml_memory_v2, free, "free"),
	ANSWER_MEMBER(struct nvml_memory_v2, used, "used"),
	{ NULL, 0, 0 }
};

static const struct answer_member margin_members[] = {
	ANSWER_MEMBER(struct nvml_margin_temp, margin, "marginTemperature"),
	{ NULL, 0, 0 }
};

static const struct answer_member sram_members[] = {
#define M(member, text) ANSWER_MEMBER(struct nvml_sram_ecc, member, text)
	M(aggregate_unc_parity, "aggregateUncParity"),
	M(aggregate_unc_secded, "aggregateUncSecDed"),
	M(aggregate_corr, "aggregateCor"),
	M(volatile_unc_parity, "volatileUncParity"),
	M(volatile_unc_secded, "volatileUncSecDed"),
	M(volatile_corr, "volatileCor"),
	M(bucket_l2, "aggregateUncBucketL2"),
	M(bucket_sm, "aggregateUncBucketSm"),
	M(bucket_pcie, "aggregateUncBucketPcie"),
	M(bucket_mcu, "aggregateUncBucketMcu"),
	M(bucket_other, "aggregateUncBucketOther"),
	M(threshold_exceeded, "bThresholdExceeded"),
#undef M
	{ NULL, 0, 0 }
};

static const struct answer_member fabric_members[] = {
#define M(member, text) ANSWER_MEMBER(struct nvml_fabric_v3, member, text)
	M(status, "status"),
	M(clique, "cliqueId"),
	M(state, "state"),
	M(health_mask, "healthMask"),
	M(health_summary, "healthSummary"),
#undef M
	{ NULL, 0, 0 }
};

#endif
