/* SPDX-License-Identifier: Apache-2.0
 * Figures of what files tell: ports, a job's processes. */
#include "config.h"
#include "watch/figures.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "watch/figures_rise.h"

#define MB 1e6
#define WORD_BYTES 4	/* a port counts its data in words */

/* What makes up a figure of a port, by place in struct port_reading. */
#define OF(member) offsetof(struct port_reading, member)
static const size_t error_parts[] = {
	OF(port.symbol_error),
	OF(port.link_error_recovery),
	OF(port.port_rcv_errors),
	OF(port.local_link_integrity_errors),
	OF(port.excessive_buffer_overrun_errors),
	OF(port.hw_rx_icrc_encapsulated),
};
static const size_t retry_parts[] = {
	OF(port.hw_local_ack_timeout_err), OF(packet_seq),
	OF(out_of_sequence),		   OF(implied_nak),
	OF(rnr_nak),
};
static const size_t congestion_parts[] = { OF(ecn_marked), OF(cnp_handled) };
static const size_t down_parts[] = { OF(port.link_downed) };

struct pair {
	const struct port_reading *before, *now;
};

static double rise_at(const struct pair *p, size_t offset)
{
	return rise((const struct val *)((const char *)p->before + offset),
		    (const struct val *)((const char *)p->now + offset));
}

/* The sum of those that are known; not every adapter has all of them. */
static float sum_of(const struct pair *p, const size_t *part, size_t n)
{
	double all = NAN, one;
	size_t i;

	for (i = 0; i < n; i++) {
		one = rise_at(p, part[i]);
		if (!isnan(one))
			all = isnan(all) ? one : all + one;
	}
	return (float)all;
}

#define SUM(p, parts) sum_of(p, parts, sizeof(parts) / sizeof((parts)[0]))

bool figures_of_port(const struct port_reading *before,
		     const struct port_reading *now,
		     const struct figures_when *when,
		     struct track_traffic *out)
{
	const struct pair p = { before, now };
	struct figures_span span;
	double tx, rx;

	memset(out, 0, sizeof(*out));
	if (!figures_span(before->at_us, now->at_us, when, &span))
		return false;
	out->from_s = span.from_s;
	out->length_s = span.length_s;
	tx = rise(&before->tx_words, &now->tx_words) * WORD_BYTES;
	rx = rise(&before->rx_words, &now->rx_words) * WORD_BYTES;
	out->tx_mb = (float)(tx / MB);
	out->rx_mb = (float)(rx / MB);
	out->peak_gbps = (float)(fmax(tx, rx) / 1e9 / (double)span.length_s);
	out->errors = SUM(&p, error_parts);
	out->retries = SUM(&p, retry_parts);
	out->congestion = SUM(&p, congestion_parts);
	out->downs = SUM(&p, down_parts);
	out->rate_gbit = now->port.rate_gbit > 0 ?
				 (float)now->port.rate_gbit :
				 NAN;
	return true;
}

/* ---- a job's processes ----------------------------------------------------- */

static double used(const struct host_readings *a, const struct host_readings *b,
		   enum cgroup_number which)
{
	const struct cgroup_value *x = &a->host->usage.value[which];
	const struct cgroup_value *y = &b->host->usage.value[which];

	return x->why || y->why || y->n < x->n ? NAN : (double)(y->n - x->n);
}

/* Of all mounts that were there before and tell. */
static void net(const struct netfs *a, const struct netfs *b,
		struct track_host *out)
{
	const struct netfs_mount *was;
	double read = NAN, written = NAN;
	int i;

	for (i = 0; i < b->count; i++) {
		was = netfs_find(a, &b->mount[i]);
		if (!was || b->mount[i].untold ||
		    was->read_bytes > b->mount[i].read_bytes ||
		    was->write_bytes > b->mount[i].write_bytes)
			continue;
		read = (isnan(read) ? 0 : read) +
		       (double)(b->mount[i].read_bytes - was->read_bytes);
		written = (isnan(written) ? 0 : written) +
			  (double)(b->mount[i].write_bytes - was->write_bytes);
	}
	out->net_read_mb = (float)(read / MB);
	out->net_write_mb = (float)(written / MB);
}

bool figures_of_host(const struct host_readings *before,
		     const struct host_readings *now,
		     const struct figures_when *when, struct track_host *out)
{
	const struct cgroup_value *mem =
		&now->host->usage.value[CGROUP_MEM_PEAK_BYTES];
	struct figures_span span;

	memset(out, 0, sizeof(*out));
	if (!figures_span(before->host->at_us, now->host->at_us, when, &span))
		return false;
	out->from_s = span.from_s;
	out->length_s = span.length_s;
	out->cpu_s = (float)(used(before, now, CGROUP_CPU_US) / 1e6);
	out->mem_mib = mem->why ? NAN : (float)((double)mem->n / 1048576);
	out->read_mb = (float)(used(before, now, CGROUP_IO_READ_BYTES) / MB);
	out->write_mb = (float)(used(before, now, CGROUP_IO_WRITE_BYTES) / MB);
	net(before->net, now->net, out);
	return true;
}
