/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_host.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/timex.h>

#include "lib/clock.h"
#include "lib/cpulist.h"
#include "lib/facts_tasks.h"
#include "lib/scrub.h"

#define CPU_DIR "sys/devices/system/cpu/"
#define CPU_SAMPLES 16	/* CPUs whose cpufreq files are read */

/* The number of a "Key:   123 kB" line, or -1. */
static int64_t meminfo_kb(const char *text, const char *key)
{
	size_t len = strlen(key);
	long long kb;

	for (const char *p = text; p; p = strchr(p, '\n')) {
		if (*p == '\n')
			p++;
		if (!strncmp(p, key, len) && p[len] == ':')
			return sscanf(p + len + 1, "%lld", &kb) == 1 && kb >= 0 ?
				kb : -1;
	}
	return -1;
}

/* "Node 0 MemTotal:       131072 kB" of one NUMA node, or -1. */
static int64_t node_kb(const struct roots *r, int node)
{
	char text[4096];
	const char *p;
	long long kb;

	if (roots_readf(r, text, sizeof(text),
			"sys/devices/system/node/node%d/meminfo", node) < 0)
		return -1;
	p = strstr(text, " MemTotal:");
	if (!p || sscanf(p + strlen(" MemTotal:"), "%lld", &kb) != 1)
		return -1;
	return kb;
}

/* The memory of nodes that have CPUs; -1 if one of them does not tell. */
static int64_t local_kb(const struct roots *r)
{
	struct cpulist nodes;
	char text[256];
	int64_t sum = 0;
	int n = -1;

	if (roots_read(r, "sys/devices/system/node/has_cpu", text,
		       sizeof(text)) < 0 ||
	    cpulist_parse(text, &nodes) < 0 || !cpulist_count(&nodes))
		return -1;
	while ((n = cpulist_next(&nodes, n + 1)) >= 0) {
		int64_t kb = node_kb(r, n);

		if (kb < 0)
			return -1;
		sum += kb;
	}
	return sum;
}

static void gather_memory(const struct roots *r, struct facts_host *out)
{
	char text[8192];

	if (roots_read(r, "proc/meminfo", text, sizeof(text)) >= 0) {
		out->mem_total_kb = meminfo_kb(text, "MemTotal");
		out->mem_available_kb = meminfo_kb(text, "MemAvailable");
		out->swap_total_kb = meminfo_kb(text, "SwapTotal");
		out->hugepages_kb = meminfo_kb(text, "Hugetlb");
	}
	out->mem_local_kb = local_kb(r);
}

int64_t facts_host_memory_kb(const struct roots *r)
{
	struct facts_host h = { .mem_total_kb = -1, .mem_local_kb = -1 };

	gather_memory(r, &h);
	return h.mem_local_kb > 0 ? h.mem_local_kb : h.mem_total_kb;
}

struct edac {
	const struct roots *roots;
	struct facts_host *out;
};

static void add_count(const struct roots *r, const char *mc, const char *file,
		      int64_t *sum)
{
	uint64_t n;

	if (roots_read_u64(r, &n, "sys/devices/system/edac/mc/%s/%s", mc,
			   file) < 0)
		return;
	*sum = (*sum < 0 ? 0 : *sum) + (int64_t)n;
}

static int each_mc(const char *name, void *arg)
{
	struct edac *e = arg;

	if (!strncmp(name, "mc", 2)) {
		add_count(e->roots, name, "ue_count", &e->out->edac_ue);
		add_count(e->roots, name, "ce_count", &e->out->edac_ce);
	}
	return 0;
}

static int read_cpulist(const struct roots *r, const char *path,
			struct cpulist *out)
{
	char text[1024];

	if (roots_read(r, path, text, sizeof(text)) < 0)
		return -1;
	return cpulist_parse(text, out);
}

static int64_t read_khz(const struct roots *r, int cpu, const char *file,
			int64_t factor)
{
	uint64_t n;

	if (roots_read_u64(r, &n, CPU_DIR "cpu%d/%s", cpu, file) < 0)
		return 0;
	return n <= 100000000 ? (int64_t)n * factor : 0;
}

static void look_at_cpufreq(const struct roots *r, int cpu,
			    struct facts_host *out)
{
	int64_t limit = read_khz(r, cpu, "cpufreq/scaling_max_freq", 1);
	char text[sizeof(out->governor)];

	if (limit && (!out->limit_khz || limit < out->limit_khz))
		out->limit_khz = limit;
	if (roots_readf(r, text, sizeof(text),
			CPU_DIR "cpu%d/cpufreq/scaling_governor", cpu) <= 0)
		return;
	if (!out->governor[0])
		scrub_copy(out->governor, sizeof(out->governor), text);
	else if (strcmp(out->governor, text))
		out->governor_mixed++;
}

/* The clock of the CPU that runs us, which is therefore not idle: what other
 * CPUs show means nothing, and before Linux 5.18 the kernel takes 10 ms to
 * find out. */
static int64_t own_clock(const struct roots *r, const char *kernel, int first)
{
	int cpu = r->injected ? first : sched_getcpu();
	int major = 0, minor = 0;

	if (!r->injected && (sscanf(kernel, "%d.%d", &major, &minor) != 2 ||
			     major < 5 || (major == 5 && minor < 18)))
		return 0;
	return read_khz(r, cpu, "cpufreq/scaling_cur_freq", 1);
}

static void gather_clocks(const struct roots *r, const struct cpulist *online,
			  struct facts_host *out)
{
	int step = (out->cpus_online + CPU_SAMPLES - 1) / CPU_SAMPLES;
	int first = cpulist_next(online, 0);
	int n = -1, i = 0;

	if (first < 0)
		return;
	out->base_khz = read_khz(r, first, "cpufreq/base_frequency", 1);
	if (!out->base_khz)
		out->base_khz = read_khz(r, first, "acpi_cppc/nominal_freq",
					 1000);
	while ((n = cpulist_next(online, n + 1)) >= 0)
		if (i++ % step == 0)
			look_at_cpufreq(r, n, out);
	if (out->governor[0])
		out->cur_khz = own_clock(r, out->kernel, first);
}

static void gather_cpus(const struct roots *r, struct facts_host *out)
{
	struct cpulist present, online, off;
	char text[sizeof(out->smt)];

	if (roots_read(r, CPU_DIR "smt/control", text, sizeof(text)) > 0)
		scrub_copy(out->smt, sizeof(out->smt), text);
	if (read_cpulist(r, CPU_DIR "online", &online) < 0)
		return;
	out->cpus_online = cpulist_count(&online);
	gather_clocks(r, &online, out);
	if (read_cpulist(r, CPU_DIR "present", &present) < 0)
		return;
	out->cpus_present = cpulist_count(&present);
	cpulist_minus(&present, &online, &off);
	cpulist_format(&off, out->offline_list, sizeof(out->offline_list));
}

static void gather_shm(const struct sysfacts *s, struct facts_host *out)
{
	struct statfs st;

	if (sysfacts_statfs(s, "/dev/shm", &st) < 0) {
		out->shm_total.rc = errno;
		out->shm_avail.rc = errno;
		return;
	}
	out->shm_total = (struct val){ (int64_t)st.f_blocks * st.f_bsize, 0 };
	out->shm_avail = (struct val){ (int64_t)st.f_bavail * st.f_bsize, 0 };
}

static void gather_time(const struct sysfacts *s, struct facts_host *out)
{
	struct timex tx = { .modes = 0 };

	out->clock_rc = sysfacts_adjtimex(s, &tx);
	if (out->clock_rc < 0) {
		out->clock_errno = errno;
		return;
	}
	out->clock_status = tx.status;
	out->clock_offset_us = tx.offset;
	if (tx.status & STA_NANO)
		out->clock_offset_us /= 1000;
	out->clock_maxerror_us = tx.maxerror;
	out->clock_esterror_us = tx.esterror;
}

static void all_unknown(struct facts_host *out)
{
	memset(out, 0, sizeof(*out));
	out->mem_total_kb = -1;
	out->mem_available_kb = -1;
	out->mem_local_kb = -1;
	out->swap_total_kb = -1;
	out->hugepages_kb = -1;
	out->edac_ue = -1;
	out->edac_ce = -1;
	out->cpus_present = -1;
	out->cpus_online = -1;
	out->shm_total.rc = VAL_UNASKED;
	out->shm_avail.rc = VAL_UNASKED;
	out->clock_rc = -1;
}

int facts_host_gather(const struct roots *r, const struct sysfacts *s,
		      int second_look_ms, struct facts_host *out)
{
	struct edac edac = { r, out };
	int64_t started = clock_mono_us();
	char text[sizeof(out->kernel)];

	all_unknown(out);
	if (roots_read(r, "proc/sys/kernel/osrelease", text, sizeof(text)) > 0)
		scrub_copy(out->kernel, sizeof(out->kernel), text);
	gather_memory(r, out);
	roots_each(r, "sys/devices/system/edac/mc", each_mc, &edac);
	gather_cpus(r, out);
	gather_shm(s, out);
	gather_time(s, out);
	facts_tasks_gather(r, second_look_ms, out);
	out->gather.end = GATHER_DONE;
	out->gather.elapsed_us = clock_mono_us() - started;
	return 0;
}
