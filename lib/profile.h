/* SPDX-License-Identifier: Apache-2.0
 * profile - what a GPU model should have: etc/profiles/NAME.json.
 *
 * Found by PCI device id, then by name. Each number carries its source; the
 * loader rejects unknown keys, unit slips and a floor or figure outside 50-100%
 * of the datasheet, naming file and key. What the keys mean: assay.conf(5).
 */
#ifndef ASSAY_PROFILE_H
#define ASSAY_PROFILE_H

#include <stdint.h>

#include "lib/err.h"

#define PROFILE_IDS_MAX 16

struct profile {
	char name[48]; /* "H100-SXM5" */
	char file[256];
	uint32_t pci_id[PROFILE_IDS_MAX]; /* device << 16 | vendor */
	int pci_ids;
	char match_name[96];	  /* POSIX extended regex on NVML's name */
	int sm_major, sm_minor;	  /* compute capability */
	int nvlinks;		  /* 0: none; -1: unknown */
	int nvlink_bridge;	  /* 1: by optional bridges between cards */
	double nvlink_gbps;	  /* per direction, all links; NAN */
	int pcie_gen, pcie_width; /* 0 unknown */
	double pcie_gbps;	  /* one direction, GB/s; NAN */
	double hbm_gbps;	  /* datasheet, GB/s; NAN */
	double hbm_floor_gbps;	  /* NAN: none */
	double h2d_floor_gbps, d2h_floor_gbps, p2p_floor_gbps;
	double c2c_gbps;	  /* NVLink-C2C to the CPU, one direction */
	double gemm_tflops;	  /* datasheet, dense bf16 (fp16 before) */
	/* What assay's own probes have measured on healthy ones; NAN: none. */
	double own_membw_read_gbps, own_membw_triad_gbps;
	double own_h2d_gbps, own_d2h_gbps, own_peer_gbps, own_gemm_tflops;
	int64_t mem_mib; /* 0 unknown */
	int power_w;	 /* default limit; 0 unknown */
	int row_remap;	 /* 1: HBM row remapping, 0: page retirement */
};

struct profiles;

/* All *.json of dir (sorted). A bad file is refused as a whole and named in
 * *e, the others load; NULL only if the directory cannot be read or memory
 * is out. complaint() tells the first refusal or NULL. */
struct profiles *profiles_load(const char *dir, struct err *e);
void profiles_destroy(struct profiles *p);
const char *profiles_complaint(const struct profiles *p);
int profiles_count(const struct profiles *p);

/* By pci_id first (0: unknown), then by name. NULL: unknown hardware, which
 * never fails a threshold. */
const struct profile *profiles_find(const struct profiles *p, uint32_t pci_id,
				    const char *name);

#endif
