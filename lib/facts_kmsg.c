/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/facts_kmsg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/faults.h"
#include "lib/kline.h"
#include "lib/kmsg.h"
#include "lib/scrub.h"

struct reading {
	struct kmsg kmsg;
	struct kline kline;
	struct facts_kmsg *out;
	const struct xid_table *xids;
	int64_t now_s;
	bool first;		/* no record seen yet in this run */
};

static int64_t read_uptime(const struct roots *r)
{
	char buf[64], *end;
	long long v;

	if (roots_read(r, "proc/uptime", buf, sizeof(buf)) <= 0)
		return -1;
	errno = 0;
	v = strtoll(buf, &end, 10);
	return end == buf || errno || v < 0 ? -1 : v;
}

/* Take up where the last run on this boot ended. Without a boot id nothing of
 * the past can be trusted, and all of the log is read every time. */
static void take_up(const struct roots *r, const json_t *prev,
		    struct facts_kmsg *out)
{
	char boot_id[sizeof(out->boot_id)];

	if (roots_read(r, "proc/sys/kernel/random/boot_id", boot_id,
		       sizeof(boot_id)) < 0)
		boot_id[0] = '\0';
	scrub(boot_id);
	faults_load(out, prev);
	if (!boot_id[0] || strcmp(boot_id, out->boot_id)) {
		memset(out, 0, sizeof(*out));
		memcpy(out->boot_id, boot_id, sizeof(boot_id));
	}
	out->uptime_s = read_uptime(r);
}

static void record(struct reading *rd, const struct kmsg_record *rec)
{
	struct facts_kmsg *out = rd->out;
	struct fault f;

	/* A log that starts behind our mark has lost what lay between. */
	if (rd->first && out->next_seq && rec->seq > out->next_seq)
		rd->kmsg.gap = true;
	rd->first = false;
	if (rec->seq < out->next_seq)
		return;
	out->next_seq = rec->seq + 1;
	if (!kmsg_is_kernels(rec) || !kline_fault(&rd->kline, rec, &f))
		return;
	f.seen_s = rd->now_s;
	if (faults_merge(out, &f, rd->xids))
		out->new_records = true;
}

static void end_with(struct facts_kmsg *out, enum gather_end end,
		     const char *why)
{
	out->gather.end = end;
	scrub_copy(out->gather.why, sizeof(out->gather.why), why);
}

static enum gather_end end_of_errno(void)
{
	return errno == ENOENT || errno == ENXIO || errno == ENODEV ?
		GATHER_ABSENT : GATHER_ERROR;
}

static void read_log(struct reading *rd)
{
	struct facts_kmsg *out = rd->out;
	struct kmsg_record rec;
	char why[128];
	int rc;

	while ((rc = kmsg_next(&rd->kmsg, &rec)) > 0)
		record(rd, &rec);
	out->gap = rd->kmsg.gap && !out->gap_noted;
	out->gap_noted = out->gap_noted || rd->kmsg.gap;
	out->cut = rd->kmsg.cut;
	if (rc == 0) {
		end_with(out, GATHER_DONE, "");
		return;
	}
	snprintf(why, sizeof(why), "read the kernel log: %s", strerror(errno));
	end_with(out, end_of_errno(), why);
}

void facts_kmsg_gather(const struct roots *r, const json_t *prev_state,
		       const struct xid_table *t, int64_t now_s,
		       struct facts_kmsg *out, json_t **new_state)
{
	struct reading *rd = calloc(1, sizeof(*rd));
	int64_t start_us = clock_mono_us();
	struct err e = { "" };

	*new_state = NULL;
	memset(out, 0, sizeof(*out));
	take_up(r, prev_state, out);
	if (!rd) {
		end_with(out, GATHER_ERROR, "out of memory");
		return;
	}
	rd->out = out;
	rd->xids = t;
	rd->now_s = now_s;
	rd->first = true;
	if (kmsg_open(&rd->kmsg, r, &e) < 0) {
		end_with(out, end_of_errno(), e.text);
	} else {
		read_log(rd);
		kmsg_close(&rd->kmsg);
		if (out->gather.end == GATHER_DONE)
			*new_state = faults_save(out);
	}
	free(rd);
	out->gather.elapsed_us = clock_mono_us() - start_us;
}
