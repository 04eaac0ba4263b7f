/* SPDX-License-Identifier: Apache-2.0
 * track - the samples of one device while jobs run on it: a file that never
 * grows.
 *
 * The sampler writes, the report reads. A track holds TRACK_SAMPLES at most;
 * when it is full, each two neighbours become one of double length: a week of
 * a sample each thirty seconds is told by steps of four minutes. What is
 * cumulative in a device (energy, bytes, seconds held down) is kept as the sum
 * over the sample's length, so that merging and adding up lose nothing.
 *
 * File (native byte order, one machine, one boot): struct track_head, then
 * the samples. It is written in place by its one writer and read by others
 * at any time: the head's sequence is odd while it changes (seqlock), readers
 * copy and try again.
 */
#ifndef ASSAY_TRACK_H
#define ASSAY_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#define TRACK_SAMPLES 3072 /* of 80 bytes: 240 KiB a device */

/* Of a GPU. Floats are NAN where unknown. */
struct track_sample {
	int32_t from_s; /* seconds after the track's epoch_s */
	float length_s;
	float busy;		/* 0..1: some kernel was resident */
	float sm, tensor, dram; /* 0..1: active, of SM cycles or of time */
	float power_w;		/* mean; energy / length where that is told */
	float power_max_w;
	float energy_j;
	float held_power_s, held_thermal_s, held_hw_s; /* held down, seconds */
	float nvlink_mb, pcie_mb; /* moved, both directions, 10^6 bytes */
	float mem_used_mib;	  /* highest */
	uint16_t sm_mhz, mem_mhz; /* mean; 0 unknown */
	int16_t temp_c;		  /* highest; INT16_MIN unknown */
	uint16_t reasons; /* throttle bits seen, low 16 (NVML_REASON_*) */
	float idle_s;	  /* of it with busy at 0 */
	float spare[2];
};

/* Of an RDMA port: the same file with these instead. */
struct track_traffic {
	int32_t from_s;
	float length_s;
	float tx_mb, rx_mb; /* 10^6 bytes */
	float peak_gbps;    /* of either direction, GB/s over one interval */
	float errors;	    /* of the link: symbol, recovery, receive */
	float retries;	    /* timeouts, sequence errors, RNR */
	float congestion;   /* CNPs, marked packets */
	float downs;	    /* link_downed */
	float rate_gbit;    /* lowest */
	float spare[2];
};

#endif
