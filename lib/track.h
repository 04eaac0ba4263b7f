/* SPDX-License-Identifier: Apache-2.0
 * track - the samples of one device while jobs run on it: a file that never
 * grows.
 *
 * The sampler writes, the report reads. A track holds TRACK_SAMPLES at most;
 * when it is full, each two neighbours become one of double length, and from
 * then on as many samples go into one: a week of a sample each thirty seconds
 * is told by steps of four minutes. What is cumulative in a device (energy,
 * bytes, seconds held down) is kept as the sum over the sample's length, so
 * that merging and adding up lose nothing.
 *
 * File (native byte order, one machine, one boot): struct track_head, then
 * the samples. Its one writer adds in place, and others read at any time: the
 * head's sequence is odd while the last sample changes (seqlock), readers copy
 * and try again. Time in it is time since boot: whoever sets the clock moves no
 * sample. A track that is made shorter is written aside and renamed:
 * who has it open keeps the old one, whole.
 */
#ifndef ASSAY_TRACK_H
#define ASSAY_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/clock.h"

#define TRACK_SAMPLES 3072 /* of 80 bytes: 240 KiB a device */
#define TRACK_NAME_SIZE 80

enum track_kind { TRACK_GPU = 1, TRACK_PORT, TRACK_HOST };

struct track_head {		/* 192 bytes */
	char magic[8];		/* "assaytrk" */
	uint32_t version, kind;
	uint32_t sample_bytes;
	uint32_t seq;		/* odd: the last sample is being changed */
	uint32_t count;
	uint32_t stride;	/* samples of the sampler that go into one */
	uint32_t filled;	/* of them, in the last one */
	uint32_t reserved;
	int64_t epoch_s;	/* wall clock when from_s began to count */
	char boot_id[40];
	char device[64];	/* UUID, "mlx5_0:1" */
	int64_t epoch_up_s;	/* the same moment, since boot */
	char spare[32];
};

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
	float idle_s;	  /* of it with no kernel resident */
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

/* Of a job's processes on the node. */
struct track_host {
	int32_t from_s;
	float length_s;
	float cpu_s;		 /* used by all of them */
	float mem_mib;		 /* highest */
	float read_mb, write_mb; /* of block devices, 10^6 bytes */
	float net_read_mb, net_write_mb; /* of the node's network file systems */
	float spare[4];
};

/* ---- the writer -------------------------------------------------------- */

struct track {
	int dir;		/* borrowed */
	int fd;			/* -1 closed */
	bool parted;		/* the next sample begins one of its own */
	char name[TRACK_NAME_SIZE];
	struct track_head head;
	union {
		struct track_sample gpu;
		struct track_traffic port;
		struct track_host host;
	} last;
};

struct track_id {
	enum track_kind kind;
	const char *device;
	const char *boot_id;
	struct instant now;	/* the epoch of a new one */
};

/* The file's name for a device: what is no letter, digit, '-', '_', '.' or
 * ':' becomes '_'. */
char *track_name(const char *device, char name[TRACK_NAME_SIZE]);

/* Go on with the file NAME in dir (which stays open as long as the track) if
 * it is such a track of this boot, else begin it anew; 0600. 0 or -1 with
 * errno; *t is then closed. */
int track_open(struct track *t, int dir, const char *name,
	       const struct track_id *id);

/* Add a sample (of the track's kind). Never makes the file longer than
 * TRACK_SAMPLES. 0 or -1 with errno. */
int track_add(struct track *t, const void *sample);

/* A job begins or ends here: the next sample is not merged into the last. */
void track_part(struct track *t);

/* Forget what had ended by then (since boot); of a track that is empty then,
 * the steps are fine again. 0 or -1. */
int track_forget(struct track *t, int64_t before_up_s);

void track_close(struct track *t);

/* *into (which comes first) and *next become one. */
void track_merge(enum track_kind kind, void *into, const void *next);

/* ---- readers ----------------------------------------------------------- */

struct track_copy {
	struct track_head head;
	int count;
	bool torn;		/* no quiet moment was found, or it ends early */
	union {			/* malloc'ed */
		void *any;
		struct track_sample *gpu;
		struct track_traffic *port;
		struct track_host *host;
	} samples;
};

/* A copy of the file NAME in dir. 0, or -1 with errno: EINVAL it is no track
 * of this kind (foreign, of another version, too short, no regular file),
 * ENOENT, ENOMEM... Takes no lock, and writes nothing. */
int track_read(int dir, const char *name, enum track_kind kind,
	       struct track_copy *out);
void track_copy_fini(struct track_copy *c);

#endif
