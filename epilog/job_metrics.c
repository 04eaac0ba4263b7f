/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "epilog/job_metrics.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "checks/metrics.h"
#include "epilog/members.h"
#include "lib/scrub.h"

/* Where a number stands in a row of a record, and what it is called. Rows of
 * one name stand together; label: of the row, behind those of its device. */
struct metric {
	const char *name, *type, *help;
	const char *group, *member; /* group NULL: the row's own */
	double scale;
	const char *label;
};

static const struct metric gpu_metrics[] = {
	{ "assay_job_gpu_energy_joules_total", "counter",
	  "Energy that a job's GPU used.", NULL, "energy_j", 1, NULL },
	{ "assay_job_gpu_busy_ratio", "gauge",
	  "Share of the job's time with a kernel resident.", NULL, "busy_pct",
	  0.01, NULL },
	{ "assay_job_gpu_sm_active_ratio", "gauge",
	  "Share of SM cycles with work.", NULL, "sm_active_pct", 0.01, NULL },
	{ "assay_job_gpu_tensor_active_ratio", "gauge",
	  "Share of cycles the tensor pipes issued.", NULL, "tensor_active_pct",
	  0.01, NULL },
	{ "assay_job_gpu_memory_peak_bytes", "gauge", "Most memory in use.",
	  NULL, "mem_peak_bytes", 1, NULL },
	{ "assay_job_gpu_temperature_max_celsius", "gauge",
	  "Highest temperature.", "temp_c", "max", 1, NULL },
	{ "assay_job_gpu_idle_seconds_total", "counter",
	  "Time without a kernel.", NULL, "idle_s", 1, NULL },
	{ "assay_job_gpu_throttle_seconds_total", "counter",
	  "Time that clocks were held down.", "throttle_s", "power", 1,
	  "reason=\"power\"" },
	{ "assay_job_gpu_throttle_seconds_total", "counter", NULL, "throttle_s",
	  "thermal", 1, "reason=\"thermal\"" },
	{ "assay_job_gpu_throttle_seconds_total", "counter", NULL, "throttle_s",
	  "hw", 1, "reason=\"hw\"" },
	{ "assay_job_gpu_nvlink_bytes_total", "counter",
	  "NVLink bytes, both directions.", NULL, "nvlink_bytes", 1, NULL },
	{ "assay_job_gpu_pcie_bytes_total", "counter",
	  "PCIe bytes, both directions.", NULL, "pcie_bytes", 1, NULL },
	{ "assay_job_gpu_ecc_errors_total", "counter",
	  "Memory errors that ECC met.", NULL, "ecc_corr", 1,
	  "kind=\"corrected\"" },
	{ "assay_job_gpu_ecc_errors_total", "counter", NULL, NULL, "ecc_unc", 1,
	  "kind=\"uncorrected\"" },
};

static const struct metric port_metrics[] = {
	{ "assay_job_port_receive_bytes_total", "counter",
	  "Bytes that a port received during the job.", NULL, "rx_bytes", 1,
	  NULL },
	{ "assay_job_port_transmit_bytes_total", "counter",
	  "Bytes that a port sent during the job.", NULL, "tx_bytes", 1, NULL },
	{ "assay_job_port_errors_total", "counter",
	  "Errors of the link during the job.", NULL, "error_count", 1, NULL },
	{ "assay_job_port_retries_total", "counter",
	  "Timeouts, sequence errors, receivers that were not ready.", NULL,
	  "retries", 1, NULL },
	{ "assay_job_port_congestion_total", "counter",
	  "Marks and notifications of congestion.", NULL, "congestion", 1, NULL },
	{ "assay_job_port_link_downs_total", "counter",
	  "How often the link went down during the job.", NULL, "downs", 1, NULL },
};

static const struct metric node_metrics[] = {
	{ "assay_job_cpu_seconds_total", "counter", "CPU time of the job.",
	  NULL, "cpu_seconds", 1, NULL },
	{ "assay_job_cpus", "gauge", "CPUs of the job.", NULL, "cores_alloc", 1,
	  NULL },
	{ "assay_job_memory_peak_bytes", "gauge", "Most memory in use.", NULL,
	  "mem_peak_bytes", 1, NULL },
	{ "assay_job_memory_limit_bytes", "gauge", "Its limit.", NULL,
	  "mem_limit_bytes", 1, NULL },
	{ "assay_job_oom_kills_total", "counter",
	  "Processes that were killed for memory.", NULL, "oom_kills", 1, NULL },
	{ "assay_job_block_read_bytes_total", "counter",
	  "Bytes read from block devices.", NULL, "read_bytes", 1, NULL },
	{ "assay_job_block_write_bytes_total", "counter",
	  "Bytes written to block devices.", NULL, "write_bytes", 1, NULL },
};

/* Of sections of the record itself. */
static const struct metric job_metrics[] = {
	{ "assay_job_duration_seconds", "gauge", "How long the job ran.", "job",
	  "elapsed_s", 1, NULL },
	{ "assay_job_stall_seconds_total", "counter",
	  "Time in which all GPUs of the job were idle at once.", "stalls",
	  "total_s", 1, NULL },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LABELS_MAX 512

/* ---- labels ------------------------------------------------------------------- */

/* NAME="value", scrubbed and escaped, behind what is there. */
static void label(char *buf, const char *name, const char *value)
{
	char text[100];
	size_t n = strlen(buf), i;

	scrub_copy(text, sizeof(text), value);
	n += (size_t)snprintf(buf + n, LABELS_MAX - n, "%s%s=\"",
			      *buf ? "," : "", name);
	for (i = 0; text[i] && n + 4 < LABELS_MAX; i++) {
		if (text[i] == '"' || text[i] == '\\')
			buf[n++] = '\\';
		buf[n++] = text[i];
	}
	snprintf(buf + n, LABELS_MAX - n, "\"");
}

static void label_number(char *buf, const char *name, const json_t *v)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(v));
	label(buf, name, text);
}

/* What a row belongs to: its job, and its device. */
static void labels_of(const json_t *record, const json_t *row, char *buf)
{
	const json_t *job = json_object_get(record, "job");

	*buf = '\0';
	label_number(buf, "jobid", json_object_get(job, "id"));
	if (json_object_get(row, "uuid")) {
		label_number(buf, "gpu", json_object_get(row, "index"));
		label(buf, "uuid", member_string(row, "uuid"));
	} else if (json_object_get(row, "name")) {
		label(buf, "port", member_string(row, "name"));
	}
}

/* ---- values ------------------------------------------------------------------- */

static double value_of(const json_t *row, const struct metric *m)
{
	const json_t *in = m->group ? json_object_get(row, m->group) : row;

	return member_number(in, m->member) * m->scale;
}

/* What is printed: one family of metrics, of all records' rows of a list (way
 * NULL: of the records themselves). */
struct family {
	FILE *f;
	const json_t *records;
	const char *way;
	const char *help; /* of the first metric of that name */
	bool told;	  /* the lines before its first value are there */
};

static void row_line(struct family *fam, const struct metric *m,
		     const json_t *record, const json_t *row)
{
	double v = value_of(row, m);
	char labels[LABELS_MAX];

	if (isnan(v))
		return;
	if (!fam->told)
		metrics_head(fam->f, m->name, m->type, fam->help);
	fam->told = true;
	labels_of(record, row, labels);
	fprintf(fam->f, "%s{%s%s%s} %.15g\n", m->name, labels,
		m->label ? "," : "", m->label ? m->label : "", v);
}

static const json_t *rows_of(const json_t *record, const char *way)
{
	return member_at(record, strcmp(way, "port") ? NULL : "fabric", way);
}

static void lines(struct family *fam, const struct metric *m)
{
	json_t *record, *row;
	size_t i, k;

	json_array_foreach(fam->records, i, record) {
		if (!fam->way) {
			row_line(fam, m, record, record);
			continue;
		}
		json_array_foreach(rows_of(record, fam->way), k, row)
			row_line(fam, m, record, row);
	}
}

/* Metrics of one name are one family. */
static void families(struct family fam, const struct metric *table, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (table[i].help) {
			fam.help = table[i].help;
			fam.told = false;
		}
		lines(&fam, &table[i]);
	}
}

static void info(FILE *f, const json_t *records)
{
	char labels[LABELS_MAX];
	const json_t *job;
	json_t *record;
	size_t i;

	metrics_head(f, "assay_job_info", "gauge",
		     "A job of the last hour on this node.");
	json_array_foreach(records, i, record) {
		job = json_object_get(record, "job");
		labels_of(record, NULL, labels);
		label_number(labels, "restart", json_object_get(job, "restart"));
		label(labels, "user", member_string(job, "user"));
		label(labels, "account", member_string(job, "account"));
		label(labels, "partition", member_string(job, "partition"));
		label(labels, "state", member_string(job, "state"));
		fprintf(f, "assay_job_info{%s} 1\n", labels);
	}
}

/* How many of a kind; kinds are a closed list of the record's. */
static void faults_of(FILE *f, const json_t *record)
{
	json_t *counts = json_object(), *fault, *n;
	char labels[LABELS_MAX];
	const char *kind;
	size_t i;

	json_array_foreach(json_object_get(record, "faults"), i, fault) {
		kind = member_string(fault, "kind");
		n = json_object_get(counts, kind);
		json_object_set_new(counts, kind,
				    json_integer(json_integer_value(n) + 1));
	}
	json_object_foreach(counts, kind, n) {
		labels_of(record, NULL, labels);
		label(labels, "kind", kind);
		fprintf(f, "assay_job_faults_total{%s} %lld\n", labels,
			(long long)json_integer_value(n));
	}
	json_decref(counts);
}

static void faults(FILE *f, const json_t *records)
{
	json_t *record;
	size_t i;

	metrics_head(f, "assay_job_faults_total", "counter",
		     "Faults of the hardware that the job met.");
	json_array_foreach(records, i, record)
		faults_of(f, record);
}

void job_metrics_print(FILE *f, const void *records)
{
	struct family fam = { .f = f, .records = records };

	info(f, records);
	families(fam, job_metrics, COUNT(job_metrics));
	fam.way = "node";
	families(fam, node_metrics, COUNT(node_metrics));
	fam.way = "gpu";
	families(fam, gpu_metrics, COUNT(gpu_metrics));
	fam.way = "port";
	families(fam, port_metrics, COUNT(port_metrics));
	faults(f, records);
}
