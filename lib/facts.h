/* SPDX-License-Identifier: Apache-2.0
 * facts - what was seen, as plain data.
 *
 * Gather, judge, act are three layers. Each domain has a gatherer (facts_*.c)
 * that runs in its own worker and fills its struct; checks judge these
 * structs and touch nothing else; policy decides; one module acts.
 *
 * All structs are plain (no pointers), so that they cross a pipe and a fork
 * as they are. A number that may be missing is a struct val: unknown is never
 * 0. Strings are scrubbed and terminated.
 */
#ifndef ASSAY_FACTS_H
#define ASSAY_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* rc of a struct val: 0 known; > 0 the NVML return code (3 NOT_SUPPORTED, 4
 * NO_PERMISSION, 15 GPU_IS_LOST ...) or, for files, the errno; below 0: */
#define VAL_UNASKED	(-1)	/* nobody asked (also: not this generation) */
#define VAL_NO_SYMBOL	(-2)	/* the library does not have the call */
#define VAL_NO_FILE	(-3)	/* the file is not there */

struct val {
	int64_t v;
	int32_t rc;
};

#define VAL_KNOWN(x) ((x).rc == 0)

/* How a domain's gathering ended. */
enum gather_end {
	GATHER_NONE,		/* was not started (nothing asked for it) */
	GATHER_DONE,
	GATHER_ABSENT,		/* does not apply here; why says what lacks */
	GATHER_ERROR,		/* our tool broke; why */
	GATHER_CRASHED,		/* the worker died (why: by which signal) */
	GATHER_TIMEOUT		/* the worker did not answer in time */
};

struct gather {
	enum gather_end end;
	int64_t elapsed_us;
	bool witness;		/* TIMEOUT: a second witness confirmed it */
	char why[200];
	char call[64];		/* TIMEOUT: the call that did not return */
};

/* ---- kernel log: facts_kmsg.c ---------------------------------------- */

#define FACTS_FAULTS_MAX 128
#define FACTS_FAULT_PIDS 8

enum fault_kind {
	FAULT_XID,		/* number = XID */
	FAULT_SXID,		/* number = SXid, fatal set */
	FAULT_OFFBUS,		/* "fallen off the bus", with or without XID */
	FAULT_MCE, FAULT_AER, FAULT_EDAC,	/* number unused; fatal set */
	FAULT_OOM		/* information */
};

/* One open fault: from the kernel log of this boot, kept in the table of open
 * faults until it is closed. Storms are folded: same kind, number, device and
 * sub-code make one entry; count counts, seq and usec are the newest. */
struct fault {
	enum fault_kind kind;
	int32_t number;
	int32_t subcode;	/* NVLink5 XIDs: unit sub-code, else -1 */
	int32_t previous;	/* "caused by previous Xid N", else -1 */
	int32_t recovery_to;	/* XID 154: the new recovery action, else -1 */
	uint32_t count;
	int64_t pid;		/* process named in the line, -1 unknown */
	int pid_count;		/* different processes within one day: */
	int64_t pids[FACTS_FAULT_PIDS];	/* the first of them */
	uint64_t first_seq, seq;
	int64_t usec;		/* kernel time of the newest record */
	int64_t seen_s;		/* wall clock at which assay first saw it */
	bool fatal;
	char device[24];	/* "0000:3d:00.0" lower case, "" none */
	char mig[24];		/* "GPU-I:05 GPU-CI:00", "" none */
	char comm[20];		/* process name, scrubbed, "" unknown */
	char text[120];		/* the record's text, cut */
};

struct facts_kmsg {
	struct gather gather;
	char boot_id[40];
	int64_t uptime_s;	/* -1 unknown */
	uint64_t next_seq;	/* cursor after this run */
	bool gap;		/* records were lost; told once per boot */
	bool gap_noted;		/* it has been told in an earlier run */
	bool cut;		/* the log was not read to its end this time */
	bool new_records;	/* any new fault since the last run (memo) */
	int fault_count;	/* open faults, oldest first */
	bool truncated;		/* more faults than the table holds */
	struct fault fault[FACTS_FAULTS_MAX];
};

/* ---- GPUs: facts_gpu.c (NVML, /proc/driver/nvidia, PCI) --------------- */

#define FACTS_GPUS_MAX 32
#define FACTS_LINKS_MAX 18
#define FACTS_PROCS_MAX 32

/* X(member): 64-bit numbers read by NVML for each GPU. */
#define FACTS_GPU_VALS(X) \
	X(recovery)		/* field 230 */ \
	X(remap_corr) X(remap_unc) X(remap_pending) X(remap_failure) \
	X(bank_max) X(bank_high) X(bank_partial) X(bank_low) X(bank_none) \
	X(retired_sbe) X(retired_dbe) X(retired_pending) \
	X(ecc_mode) X(ecc_unc_volatile) X(ecc_corr_volatile) \
	X(ecc_unc_aggregate) X(ecc_corr_aggregate) \
	X(sram_unc_parity) X(sram_unc_secded) X(sram_corr) \
	X(sram_threshold)	/* bThresholdExceeded */ \
	X(pcie_width) X(pcie_width_max) X(pcie_gen) X(pcie_gen_max) \
	X(pcie_gen_gpu_max) X(pcie_replay) \
	X(throttle) X(throttle_again)	/* bits, 200 ms apart */ \
	X(throttle_supported) \
	X(temp) X(temp_again) X(temp_margin) \
	X(temp_slowdown) X(temp_shutdown) X(temp_mem) X(temp_mem_max) \
	X(power_mw) X(power_limit_mw) X(power_default_mw) \
	X(power_enforced_mw) X(power_min_mw) X(power_max_mw) \
	X(persistence) X(compute_mode) X(mig_mode) X(mig_pending) \
	X(mem_total) X(mem_used) X(sm_clock) X(sm_clock_max) X(mem_clock) \
	X(mem_clock_max) X(cc_major) X(cc_minor) \
	X(nvlink_count)		/* links this GPU can have, NOT known by SKU */ \
	X(nvlink_replay) X(nvlink_recovery) X(nvlink_crc) \
	X(fabric_state) X(fabric_status) X(fabric_clique) X(fabric_health) \
	X(fabric_summary) \
	X(numa_node) X(energy_mj) \
	X(held_power_ns) X(held_thermal_ns)	/* time clocks were held down */ \
	X(held_sw_thermal_ns) X(held_hw_thermal_ns) X(held_brake_ns) \
	X(nvlink_tx_kib) X(nvlink_rx_kib) X(pcie_tx_bytes) X(pcie_rx_bytes) \
	X(busy_pct)		/* asked by the sampler only */

struct gpu_proc {
	int64_t pid;
	int64_t mem_bytes;	/* -1 unknown */
	char comm[20];		/* from /proc/PID/comm, "" unknown */
};

struct gpu {
	char bus_id[24];	/* "0000:3d:00.0" lower case */
	char uuid[64];
	char name[96];
	char vbios[40];
	char fabric_uuid[40];	/* hex; "" none or all zero */
	uint32_t pci_id;	/* 0x233010de: device << 16 | vendor, 0 unknown */
	int index;		/* place in PCI order = nvidia-smi's, from 0 */
	int minor;		/* /dev/nvidiaN; -1 unknown */
	bool in_pci, in_proc, in_nvml;
	bool asked;		/* NVML was asked about it in this run */
	bool answered;		/* and every call came back */
	bool dead_by_log;	/* the kernel log says so: not asked */
	bool fenced;		/* Slurm keeps it from this process's job */
	bool asleep;		/* the driver has not woken it yet (files say) */
	bool hung;		/* a call on it did not return; see call */
	bool hung_twice;	/* the witness worker hung on it as well */
	int handle_rc;		/* NVML rc of getting its handle */
	char call[64];		/* the call it hung in */
	uint16_t pci_width, pci_width_max;	/* sysfs, 0 unknown */
	uint16_t pci_parent_width_max;		/* narrowest slot above it, 0 unknown */
#define X(m) struct val m;
	FACTS_GPU_VALS(X)
#undef X
	struct val link_state[FACTS_LINKS_MAX];		/* 1 up, 0 down */
	int proc_count;		/* -1 unknown */
	bool procs_again;	/* seen in both looks */
	struct gpu_proc proc[FACTS_PROCS_MAX];
};

struct facts_gpus {
	struct gather gather;
	char driver[40];	/* of NVML; "" unknown */
	char kernel_driver[40];	/* /proc/driver/nvidia/version, "" */
	bool module_loaded;	/* kernel module nvidia */
	int init_rc;		/* NVML init rc; VAL_UNASKED if never called */
	bool no_library;	/* libnvidia-ml could not be loaded */
	char library_error[160];
	int missing_required;	/* required symbols that are missing */
	int nvml_count;		/* -1 unknown */
	int pci_count;		/* NVIDIA GPUs on the PCI bus, -1 unknown */
	int proc_count;		/* directories in /proc/driver/nvidia/gpus, -1 */
	int count;		/* entries of gpu[]: union of the three */
	struct gpu gpu[FACTS_GPUS_MAX];	/* in PCI order */
};

/* ---- fabric: facts_fabric.c ------------------------------------------- */

#define FACTS_HCAS_MAX 32
#define FACTS_PORTS_MAX 4

/* Files of counters/, and of hw_counters/ behind "hw_". Only those that a
 * judge understands: each read is a question to the adapter's firmware. */
#define FACTS_PORT_COUNTERS(X) \
	X(symbol_error) X(link_error_recovery) X(link_downed) \
	X(port_rcv_errors) X(port_rcv_remote_physical_errors) \
	X(port_xmit_discards) X(local_link_integrity_errors) \
	X(excessive_buffer_overrun_errors) \
	X(hw_local_ack_timeout_err) X(hw_rx_icrc_encapsulated)

/* One interface of a bond. */
struct ib_leg {
	char netdev[20];
	char bus_id[24];	/* "" unknown */
	bool up;
};

#define FACTS_LEGS_MAX 4

struct ib_port {
	int number;
	int state;		/* 1 DOWN, 2 INIT, 3 ARMED, 4 ACTIVE; -1 unknown */
	int phys_state;		/* 2 Polling, 3 Disabled, 5 LinkUp; -1 unknown */
	int rate_gbit;		/* 400; -1 unknown */
	char rate_text[40];
	char layer[16];		/* "InfiniBand", "Ethernet", "Unknown" (EFA) */
	char netdev[20];	/* its interface, "" unknown */
	uint64_t subnet;	/* InfiniBand: prefix of its GID, 0 unknown */
	int leg_count;		/* RoCE over a bond: interfaces of that */
	struct ib_leg leg[FACTS_LEGS_MAX];
#define X(m) struct val m;
	FACTS_PORT_COUNTERS(X)
#undef X
};

/* An RDMA device. The two ports of a bond are one device with one port. */
struct hca {
	char name[32];
	char bus_id[24];	/* "" unknown (virtual) */
	char board[32];		/* board_id; else PCI ids; else hca_type */
	char fw[32];
	char driver[32];	/* kernel driver: mlx5_core, efa; "" unknown */
	bool no_device_link;	/* no PCI device behind it (rdma_rxe, siw) */
	int numa_node;		/* -1 unknown */
	/* PCIe, all 0 if unknown. path: the narrowest link on the way to the
	 * CPU as it is now; parent: as narrow as the bridges there allow. */
	uint16_t width, width_max, path_width, parent_width_max;
	int32_t speed_mt, speed_max_mt;		/* MT/s: 32000 */
	int32_t path_speed_mt, parent_speed_max_mt;
	int port_count;
	struct ib_port port[FACTS_PORTS_MAX];
};

struct facts_fabric {
	struct gather gather;
	bool module_peermem;	/* nvidia_peermem (or its ancestors) loaded */
	int dmabuf;		/* 1 the kernel side can, 0 cannot, -1 unknown */
	int acs_bridges;	/* PCIe switch ports above GPUs and HCAs that
				 * send peer traffic up; -1 unreadable */
	char acs_bridge[24];	/* one of them */
	int iommu;		/* 1 it translates what a GPU or an HCA reads and
				 * writes, 0 it does not, -1 unknown */
	int part_count;		/* SR-IOV functions, subfunctions and planes,
				 * which are not listed */
	int hca_count;
	struct hca hca[FACTS_HCAS_MAX];	/* natural order of names */
};

/* ---- host: facts_host.c, storage: facts_storage.c ---------------------- */

/* A task that slept in D from one look to the next, or a zombie. */
struct stuck_task {
	int64_t pid;
	uint64_t start;		/* clock ticks after boot: pid and start name
				 * one task of one boot */
	uint64_t runs;		/* times it was put on a CPU, 0 unknown */
	char state;		/* 'D' or 'Z' */
	char comm[20];
	char wchan[40];
};

#define FACTS_STUCK_MAX 16

struct facts_host {
	struct gather gather;
	char kernel[64];		/* release, "" unknown */
	int64_t mem_total_kb, mem_available_kb, swap_total_kb;	/* -1 */
	int64_t mem_local_kb;		/* of NUMA nodes that have CPUs: without
					 * GPU memory that is onlined, -1 */
	int64_t hugepages_kb;		/* reserved for huge pages, -1 */
	int64_t edac_ue, edac_ce;	/* since boot; -1 no EDAC */
	int cpus_present, cpus_online;	/* -1 */
	char offline_list[64];		/* present but not online, "" none */
	char smt[16];			/* "on", "off", "notsupported", "" */
	char governor[32];		/* of the first CPU; "" no cpufreq */
	int governor_mixed;		/* CPUs looked at with another one */
	int64_t base_khz;		/* nominal clock, 0 unknown */
	int64_t limit_khz;		/* lowest ceiling set, 0 unknown */
	int64_t cur_khz;		/* of the CPU that looked (it is busy),
					 * 0 unknown */
	struct val shm_total, shm_avail;	/* bytes, /dev/shm */
	int clock_rc;			/* adjtimex return, -1 unknown */
	int clock_errno;
	int64_t clock_status;
	int64_t clock_offset_us, clock_maxerror_us, clock_esterror_us;
	int task_count;			/* user processes looked at */
	bool tasks_cut;			/* not all of them: it took too long */
	int d_count, z_count;		/* in D all the time between two looks;
					 * zombies */
	int stuck_count;		/* D tasks, those that fit */
	struct stuck_task stuck[FACTS_STUCK_MAX];
};

#define FACTS_MOUNTS_MAX 32

struct mount_fact {
	char path[256];
	char fstype[32];
	char source[128];
	bool mounted;		/* in /proc/self/mountinfo */
	bool readonly;
	bool answered;		/* statfs returned (rc then says how) */
	bool hung;
	int64_t stuck_pid;	/* hung: the process that is still in it, and */
	uint64_t stuck_start;	/* when it was started; 0 if it is gone */
	int rc;			/* 0 or errno; ENOSYS: no answer with a fixture */
	int64_t elapsed_us;
	int64_t bytes_total, bytes_avail, inodes_total, inodes_free; /* -1 */
};

struct facts_storage {
	struct gather gather;
	int count;
	struct mount_fact mount[FACTS_MOUNTS_MAX];
};

/* ---- [exec NAME]: facts_exec.c ---------------------------------------- */

#define FACTS_EXECS_MAX 32

struct exec_fact {
	char name[48];		/* NAME of [exec NAME] */
	bool started;
	bool timed_out;
	int exit_code;		/* -1 if a signal ended it */
	int signal;
	int64_t elapsed_us;
	char line[160];		/* first line of its output, scrubbed */
	char why[160];		/* why it was not started */
};

struct facts_exec {
	struct gather gather;
	int count;
	struct exec_fact exec[FACTS_EXECS_MAX];
};

struct facts {
	struct facts_kmsg kmsg;
	struct facts_gpus gpus;
	struct facts_fabric fabric;
	struct facts_host host;
	struct facts_storage storage;
	struct facts_exec exec;
};

#endif
