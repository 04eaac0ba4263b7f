/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "watch/gate_side.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/fdio.h"
#include "lib/log.h"
#include "lib/scrub.h"
#include "watch/keeper.h"
#include "watch/mark.h"

/* The plugin's word that the site prints no summaries. */
static void note_block(const struct session *s)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "%u/noblock", s->job->id);
	if (cfg_bool(s->cfg, "report", "block"))
		return;
	fd = openat(s->run_dir, path,
		    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	fdio_close(fd);
}

void watch_job_begins(struct pass *p, int code)
{
	struct mark m;
	struct err e;

	if (code != 0 || !p->run.facts || p->s->run_dir < 0)
		return;
	note_block(p->s);
	if (mark_of_pass(p, &m) < 0 || mark_write(p->s->run_dir, &m) < 0) {
		log_warn("the job is not marked: %s", strerror(errno));
	} else if (m.watch == MARK_WANTED &&
		   keeper_start(p->s, &e) < 0) {
		log_warn("%s", e.text);
	}
	mark_fini(&m);
}

static const char *boot_id(const struct session *s, char buf[40])
{
	if (roots_read(&s->roots, "proc/sys/kernel/random/boot_id", buf, 40) <
	    0)
		return NULL;
	return scrub(buf);
}

void watch_job_ends(struct session *s)
{
	char boot[40];
	uint32_t other;

	if (s->run_dir < 0)
		return;
	if (mark_over(s->run_dir, s->job->id) < 0 && errno != ENOENT)
		log_warn("the job is not marked as over: %s", strerror(errno));
	if (mark_alive(s->run_dir, boot_id(s, boot), &other, 1) > 0)
		keeper_poke(s->run_dir);
	else if (keeper_stop(s->run_dir) == KEEPER_STAYS)
		log_warn("the sampler does not end; its child may be in the "
			 "driver");
}
