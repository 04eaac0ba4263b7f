/* SPDX-License-Identifier: Apache-2.0
 * nvml - the part of the NVIDIA Management Library's binary interface that
 * assay calls, in its own words: the library is loaded at run time, and many
 * machines that build assay have no header of it.
 *
 * Sizes and offsets (64-bit) stand behind the members as literal bytes; they
 * were read off the headers of NVML 11.8, 12.4, 12.5 and 13 and are asserted
 * by tests/unit/test_nvml_abi.c, against <nvml.h> too where there is one.
 */
#ifndef ASSAY_NVML_H
#define ASSAY_NVML_H

struct nvml_device;	/* a GPU's handle, known to the library only */

/* Return codes that assay tells apart. */
#define NVML_RC_OK			0
#define NVML_RC_UNINITIALIZED		1
#define NVML_RC_INVALID_ARGUMENT	2
#define NVML_RC_NOT_SUPPORTED		3
#define NVML_RC_NO_PERMISSION		4
#define NVML_RC_NOT_FOUND		6
#define NVML_RC_INSUFFICIENT_SIZE	7
#define NVML_RC_DRIVER_NOT_LOADED	9
#define NVML_RC_GPU_IS_LOST		15
#define NVML_RC_RESET_REQUIRED		16
#define NVML_RC_VERSION_MISMATCH	18	/* library and kernel module */
#define NVML_RC_NO_DATA			21
#define NVML_RC_ARGUMENT_VERSION	25	/* a struct's version member */
#define NVML_RC_UNKNOWN			999

#define NVML_FLAG_NO_GPUS	1	/* init: no GPU is not an error */

/* The version member of a struct: its size, and its number in bits 24-31. */
#define NVML_VERSION(type, number) \
	((unsigned int)sizeof(type) | (unsigned int)(number) << 24)

struct nvml_pci_info {				/* 68 bytes */
	char bus_id_legacy[16];			/*  0 */
	unsigned int domain;			/* 16 */
	unsigned int bus;			/* 20 */
	unsigned int device;			/* 24 */
	unsigned int pci_device_id;		/* 28: device << 16 | vendor */
	unsigned int pci_subsystem_id;		/* 32 */
	char bus_id[32];			/* 36: "00000000:1B:00.0" */
};

struct nvml_memory_v2 {				/* 40 bytes */
	unsigned int version;			/*  0 */
	unsigned long long total;		/*  8 */
	unsigned long long reserved;		/* 16 */
	unsigned long long free;		/* 24 */
	unsigned long long used;		/* 32 */
};

#define NVML_MEMORY_UNKNOWN	(~0ULL)	/* of a process: not available */

struct nvml_process {				/* 24 bytes */
	unsigned int pid;			/*  0 */
	unsigned long long used_memory;		/*  8 */
	unsigned int gpu_instance;		/* 16 */
	unsigned int compute_instance;		/* 20 */
};

union nvml_value {				/* 8 bytes */
	double d;
	int i;
	unsigned int u;
	unsigned long ul;
	unsigned long long ull;
	signed long long ll;
	unsigned short us;
};

enum nvml_value_type {
	NVML_TYPE_DOUBLE = 0,
	NVML_TYPE_UINT = 1,
	NVML_TYPE_ULONG = 2,
	NVML_TYPE_ULONG_LONG = 3,
	NVML_TYPE_LONG_LONG = 4,
	NVML_TYPE_INT = 5,
	NVML_TYPE_USHORT = 6
};

struct nvml_field_value {			/* 40 bytes */
	unsigned int field;			/*  0 */
	unsigned int scope;			/*  4: link, or 0 */
	long long timestamp_us;			/*  8 */
	long long latency_us;			/* 16 */
	unsigned int type;			/* 24: enum nvml_value_type */
	int rc;					/* 28: of this value */
	union nvml_value value;			/* 32 */
};

#define NVML_SCOPE_ALL	0xffffffffU	/* throughput: sum of all links */

/* Fields of nvmlDeviceGetFieldValues. */
enum nvml_field {
	NVML_FIELD_ECC_MODE = 1,
	NVML_FIELD_ECC_CORR_VOLATILE = 3,
	NVML_FIELD_ECC_UNC_VOLATILE = 4,
	NVML_FIELD_ECC_CORR_AGGREGATE = 5,
	NVML_FIELD_ECC_UNC_AGGREGATE = 6,
	NVML_FIELD_RETIRED_SBE = 29,
	NVML_FIELD_RETIRED_DBE = 30,
	NVML_FIELD_RETIRED_PENDING = 31,
	NVML_FIELD_LINK_CRC_FLIT_TOTAL = 38,	/* up to Ampere */
	NVML_FIELD_LINK_CRC_DATA_TOTAL = 45,
	NVML_FIELD_LINK_REPLAY_TOTAL = 52,
	NVML_FIELD_LINK_RECOVERY_TOTAL = 59,
	NVML_FIELD_VIOLATION_POWER = 74,	/* ns */
	NVML_FIELD_VIOLATION_THERMAL = 75,	/* ns */
	NVML_FIELD_MEMORY_TEMP = 82,
	NVML_FIELD_ENERGY = 83,			/* mJ */
	NVML_FIELD_LINK_COUNT = 91,
	NVML_FIELD_PCIE_REPLAY = 94,
	NVML_FIELD_LINK_DATA_TX = 138,		/* KiB; scope: link or all */
	NVML_FIELD_LINK_DATA_RX = 139,
	NVML_FIELD_REMAP_CORR = 142,
	NVML_FIELD_REMAP_UNC = 143,
	NVML_FIELD_REMAP_PENDING = 144,
	NVML_FIELD_REMAP_FAILURE = 145,
	NVML_FIELD_LINK_REPLAY = 161,		/* scope: link; to Hopper */
	NVML_FIELD_LINK_RECOVERY = 162,
	NVML_FIELD_LINK_CRC = 163,
	NVML_FIELD_LINK_STATE = 165,		/* scope: link */
	NVML_FIELD_C2C_COUNT = 170,
	NVML_FIELD_C2C_STATUS = 171,
	NVML_FIELD_C2C_MAX_BW = 172,
	NVML_FIELD_POWER_MIN_LIMIT = 187,	/* mW */
	NVML_FIELD_POWER_MAX_LIMIT = 188,
	NVML_FIELD_POWER_DEFAULT_LIMIT = 189,
	NVML_FIELD_POWER_CURRENT_LIMIT = 190,
	NVML_FIELD_POWER_REQUESTED_LIMIT = 192,
	NVML_FIELD_PCIE_TX = 197,		/* bytes; may wrap */
	NVML_FIELD_PCIE_RX = 198,
	NVML_FIELD_LINK5_TX = 202,		/* bytes; scope: link; */
	NVML_FIELD_LINK5_RX = 204,		/* from Blackwell on */
	NVML_FIELD_RECOVERY_ACTION = 230,
	NVML_FIELD_HELD_SW_THERMAL = 269,	/* ns; from driver 575 on */
	NVML_FIELD_HELD_HW_THERMAL = 270,
	NVML_FIELD_HELD_HW_BRAKE = 271
};

struct nvml_row_histogram {			/* 20 bytes: banks by what */
	unsigned int max;			/*  0: is left to remap */
	unsigned int high;			/*  4 */
	unsigned int partial;			/*  8 */
	unsigned int low;			/* 12 */
	unsigned int none;			/* 16 */
};

struct nvml_sram_ecc {				/* 104 bytes, version 1 */
	unsigned int version;			/*  0 */
	unsigned long long aggregate_unc_parity;	/*  8 */
	unsigned long long aggregate_unc_secded;	/* 16 */
	unsigned long long aggregate_corr;		/* 24 */
	unsigned long long volatile_unc_parity;		/* 32 */
	unsigned long long volatile_unc_secded;		/* 40 */
	unsigned long long volatile_corr;		/* 48 */
	unsigned long long bucket_l2;			/* 56: aggregate, */
	unsigned long long bucket_sm;			/* 64: uncorrectable */
	unsigned long long bucket_pcie;			/* 72 */
	unsigned long long bucket_mcu;			/* 80 */
	unsigned long long bucket_other;		/* 88 */
	unsigned int threshold_exceeded;		/* 96 */
};

struct nvml_fabric_v2 {				/* 36 bytes */
	unsigned int version;			/*  0 */
	unsigned char cluster_uuid[16];		/*  4 */
	int status;				/* 20: rc of the probe */
	unsigned int clique;			/* 24 */
	unsigned char state;			/* 28: 3 is completed */
	unsigned int health_mask;		/* 32 */
};

struct nvml_fabric_v3 {				/* 40 bytes */
	unsigned int version;			/*  0 */
	unsigned char cluster_uuid[16];		/*  4 */
	int status;				/* 20 */
	unsigned int clique;			/* 24 */
	unsigned char state;			/* 28 */
	unsigned int health_mask;		/* 32 */
	unsigned char health_summary;		/* 36 */
};

struct nvml_cc_state {				/* 12 bytes */
	unsigned int environment;		/*  0 */
	unsigned int feature;			/*  4: 1 on */
	unsigned int devtools;			/*  8 */
};

struct nvml_margin_temp {			/* 8 bytes, version 1 */
	unsigned int version;			/*  0 */
	int margin;				/*  4: degrees to the limit */
};

struct nvml_violation {				/* 16 bytes */
	unsigned long long reference_us;	/*  0 */
	unsigned long long violation_ns;	/*  8 */
};

struct nvml_utilization {			/* 8 bytes */
	unsigned int gpu;			/*  0 */
	unsigned int memory;			/*  4 */
};

/* Arguments that are enumerations in the library. */
#define NVML_TEMP_GPU			0
#define NVML_THRESHOLD_SHUTDOWN		0
#define NVML_THRESHOLD_SLOWDOWN		1
#define NVML_THRESHOLD_MEM_MAX		2
#define NVML_CLOCK_SM_DOMAIN		1
#define NVML_CLOCK_MEM_DOMAIN		2

/* Bits of the clocks event (throttle) reasons that mean hardware held back. */
#define NVML_REASON_SET_CLOCKS		0x02ULL	/* no faults: clocks that */
#define NVML_REASON_SW_POWER_CAP	0x04ULL	/* are set, a power cap */
#define NVML_REASON_HW_SLOWDOWN		0x08ULL
#define NVML_REASON_SW_THERMAL		0x20ULL
#define NVML_REASON_HW_THERMAL		0x40ULL
#define NVML_REASON_HW_POWER_BRAKE	0x80ULL
#define NVML_REASONS_HELD_BACK		0xe8ULL

#endif
