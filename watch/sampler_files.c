/* SPDX-License-Identifier: Apache-2.0
 * Ports, and the jobs' processes: what files tell in a round. */
#include "config.h"
#include "watch/sampler.h"

#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "watch/figures.h"

static struct sampler_port *place_for(struct sampler *w, const char *name)
{
	struct sampler_port *empty = NULL;
	int i;

	for (i = 0; i < LOOK_PORTS_MAX; i++) {
		if (!strcmp(w->port[i].name, name))
			return &w->port[i];
		if (!empty && !w->port[i].name[0])
			empty = &w->port[i];
	}
	return empty;
}

static void begin(struct sampler *w, struct sampler_port *p, const char *name)
{
	struct track_id id = { TRACK_PORT, name, w->boot_id, clock_now() };
	char file[TRACK_NAME_SIZE];

	memset(p, 0, sizeof(*p));
	memcpy(p->name, name, strlen(name) + 1);
	if (track_open(&p->track, w->dir, track_name(name, file), &id) < 0)
		log_warn("no track for %s: %s", name, strerror(errno));
}

static void add(struct track *t, const void *sample)
{
	if (t->fd >= 0 && track_add(t, sample) < 0)
		log_warn("track of %s: %s", t->head.device, strerror(errno));
}

/* What could not be read now is counted from where it was known last. */
static void keep_known(struct port_reading *now,
		       const struct port_reading *last)
{
#define X(m) \
	if (!VAL_KNOWN(now->port.m) && VAL_KNOWN(last->port.m)) \
		now->port.m = last->port.m;
	FACTS_PORT_COUNTERS(X)
#undef X
#define X(m, file) \
	if (!VAL_KNOWN(now->m) && VAL_KNOWN(last->m)) \
		now->m = last->m;
	LOOK_COUNTERS(X)
#undef X
}

static void alarms(struct sampler *w, struct sampler_port *p,
		   const struct port_reading *now, const struct instant *at)
{
	struct event ev[ALARMS_MAX];
	int i, n = alarm_of_port(&p->alarm, &p->last, now, ev);

	for (i = 0; i < n; i++) {
		ev[i].time_s = at->wall_s;
		ev[i].up_s = at->up_s;
		memcpy(ev[i].device, p->subject, sizeof(ev[i].device));
		sampler_tell(w, &ev[i]);
	}
}

static void take_port(struct sampler *w, const struct look_page *page, int i,
		      const struct instant *then)
{
	const struct port_reading *now = &page->port[i];
	const char *name = page->port_name[i];
	struct sampler_port *p = place_for(w, name);
	struct track_traffic sample;
	struct instant at = clock_at(then, now->at_us);
	struct figures_when when;
	struct port_reading last;

	if (!p)
		return;
	if (!p->name[0])
		begin(w, p, name);
	memcpy(p->subject, page->port_subject[i], sizeof(p->subject));
	when = (struct figures_when){ at.up_s, p->track.head.epoch_up_s };
	if (figures_of_port(&p->last, now, &when, &sample))
		add(&p->track, &sample);
	alarms(w, p, now, &at);
	last = p->last;
	p->last = *now;
	if (last.at_us)
		keep_known(&p->last, &last);
}

static void take_job(struct sampler_job *j, const struct host_reading *now,
		     const struct netfs *net, const struct instant *then)
{
	struct host_readings a = { &j->last, &j->net }, b = { now, net };
	struct figures_when when = { clock_at(then, now->at_us).up_s,
				     j->track.head.epoch_up_s };
	struct track_host sample;

	j->has_cgroup = now->found;
	j->had_cgroup |= now->found;
	if (!j->has_base) {
		j->base = *net;
		j->has_base = true;
	}
	/* A cgroup that has gone leaves what it told last. */
	if (!now->found && j->last.found)
		return;
	if (figures_of_host(&a, &b, &when, &sample))
		add(&j->track, &sample);
	netfs_resets(&j->base, &j->net, net);
	j->last = *now;
	j->net = *net;
	sampler_write_host(j);
}

void sampler_fit_ports(struct sampler *w)
{
	int64_t oldest = sampler_oldest_up_s(w);
	struct sampler_port *p;
	int i;

	for (i = 0; i < LOOK_PORTS_MAX; i++) {
		p = &w->port[i];
		if (!p->name[0] || p->track.fd < 0)
			continue;
		track_part(&p->track);
		if (track_forget(&p->track, oldest) < 0)
			log_warn("track of %s: %s", p->name, strerror(errno));
	}
}

bool sampler_ask_files(struct sampler *w)
{
	const struct mark *m;
	int i;

	for (i = 0; i < w->job_count; i++) {
		m = &w->job[i].mark;
		w->look.job[i] = (struct cgroup_job){ m->job, m->sluid,
						      m->node };
	}
	w->look.job_count = w->job_count;
	return look_ask(&w->look);
}

void sampler_take_files(struct sampler *w)
{
	const struct look_page *page = w->look.page;
	const struct instant now = clock_now();
	struct sampler_job *j;
	int i;

	if (!w->look.fresh)
		return;
	for (i = 0; i < page->port_count; i++)
		take_port(w, page, i, &now);
	for (i = 0; i < w->look.job_count; i++) {
		/* Its place may be another by now. */
		j = sampler_job_of(w, w->look.job[i].id);
		if (j)
			take_job(j, &page->host[i], &page->net, &now);
	}
}

void sampler_close_ports(struct sampler *w)
{
	int i;

	for (i = 0; i < LOOK_PORTS_MAX; i++)
		if (w->port[i].name[0])
			track_close(&w->port[i].track);
	memset(w->port, 0, sizeof(w->port));
}
