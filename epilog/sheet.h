/* SPDX-License-Identifier: Apache-2.0
 * sheet - the rows of which a record is made: filled from the story of one
 * node (summary.c) or from the records of many (merge.c). What a record says
 * of the job as a whole is worked out from the sheet, by the same code for
 * both (sections.h).
 */
#ifndef ASSAY_EPILOG_SHEET_H
#define ASSAY_EPILOG_SHEET_H

#include <jansson.h>

#include "epilog/members.h"
#include "epilog/story.h"

#define SHEET_STALL_MIN_S 5.0 /* shorter is no stall */
#define SHEET_SPANS_MAX 32   /* stalls listed, the longest */
#define SHEET_FAULTS_MAX 256 /* listed, of all nodes */
#define SHEET_LEAN 1024	     /* of more GPUs or ports less is told each */

/* What a GPU's time went into. */
enum part {
	PART_COMPUTE,
	PART_MEMORY,
	PART_COMMUNICATION,
	PART_INPUT_CPU,
	PART_STORAGE,
	PART_THROTTLED,
	PART_IDLE,
	PART_UNKNOWN,
	PARTS
};

struct gpu_row {
	char node[64], uuid[64], model[96];
	int index, minor;
	char rate_of[8]; /* "tensor", "sm" or "": what rate is of */
	struct story_number used, busy, sm, tensor, tensor_clock, dram;
	struct story_number mem_peak, mem_total;
	struct story_number energy, power_mean, power_max;
	struct story_number held_power, held_thermal, held_hw, lost;
	struct story_number mhz_mean, mhz_max, mhz_first, mhz_last;
	struct story_number temp_max, temp_first, temp_last;
	struct story_number rate_first, rate_last;
	struct story_number nvlink, nvlink_mean, nvlink_peak;
	struct story_number pcie, pcie_mean, pcie_peak;
	struct story_number idle, ecc_corr, ecc_unc, nvlink_errors, pcie_replay;
};

struct port_row {
	char node[64], name[48];
	struct story_number rate_gbit, rate_low, rx, tx, mean, peak;
	struct story_number errors, retries, congestion, downs;
	json_t *counters; /* object or NULL; owned */
};

struct node_row {
	char node[64], nvlink_domain[64], leaf[64];
	enum story_state state;
	enum story_watch watch;
	int exit_code, signal, steps; /* -1 unknown */
	int interval_s;
	int64_t start_s, end_s;
	double samples;
	double gpu_s; /* seconds of its used GPUs, and what they went into */
	double part_s[PARTS];
	struct story_number cpu, cores, mem_peak, mem_limit, oom_kills;
	struct story_number read, write;
	enum story_source cpu_of, mem_of;
};

/* Something broke, and whose fault that was: all texts scrubbed. */
struct fault_row {
	int64_t time_s, number; /* -1: it has none */
	char node[64], device[48], kind[16], text[120];
	char blame[16], confidence[8];
};

/* All GPUs of the job idle at once: for idle_s within from..to. */
struct span {
	double from, to; /* seconds since 1970 */
	double idle_s;
};

struct stalls {
	struct story_number count, total, longest, longest_at;
	struct story_number lead, tail; /* before the first, after the last
					 * work on a GPU */
	int spans;
	struct span span[SHEET_SPANS_MAX];
};

struct sheet {
	struct story_job job; /* node: "" where it is of many */
	bool of_job;	      /* kind "job" */
	int expected;	      /* nodes of the job */
	int gpus, ports, nodes;
	int gpu_room, port_room, node_room;
	struct gpu_row *gpu;
	struct port_row *port;
	struct node_row *node;
	struct stalls stalls;
	json_t *missing; /* names */
	json_t *clients; /* of network file systems, each node's (clients.h) */
	json_t *faults;
	json_t *gate, *after; /* NULL: not known */
	bool faults_cut;
};

/* 0 or -1 with ENOMEM; fini() of a zeroed one does nothing. */
int sheet_init(struct sheet *s);
void sheet_fini(struct sheet *s);

/* A zeroed row more, NULL on ENOMEM; it is valid until the next one. */
struct gpu_row *sheet_gpu(struct sheet *s);
struct port_row *sheet_port(struct sheet *s);
struct node_row *sheet_node(struct sheet *s);

/* Rows in the order of nodes (n2 before n10) and devices, faults by time. */
void sheet_sort(struct sheet *s);

/* The record; NULL on ENOMEM. The sheet is left sorted. */
json_t *sheet_record(struct sheet *s);

/* Fill an empty sheet from the record of a node; 0 or -1 with ENOMEM.
 * Whatever is in the record, what comes of it are rows of the one node that
 * it names. */
int sheet_read(struct sheet *s, const json_t *record);

/* Rows as JSON and back. lean: without what a big job's record leaves out. */
json_t *gpu_row_json(const struct gpu_row *r, bool lean);
json_t *port_row_json(const struct port_row *r, bool lean);
json_t *node_row_json(const struct node_row *r);
json_t *fault_row_json(const struct fault_row *r);
void gpu_row_read(struct gpu_row *r, const json_t *o);
void port_row_read(struct port_row *r, const json_t *o);
void node_row_read(struct node_row *r, const json_t *o);
void fault_row_read(struct fault_row *r, const json_t *o);

const char *part_name(enum part p);
const char *state_text(enum story_state s);
/* Where a number of the memory comes from, NULL: it is not known. */
const char *memory_of(const struct node_row *r);
const char *watch_text(enum story_watch w);

#endif
