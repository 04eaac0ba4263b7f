/* SPDX-License-Identifier: Apache-2.0
 * assay-watch - samples the devices of the jobs on this node while they run;
 * started by the Prolog, gone when the last job is gone. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fdio.h"
#include "lib/log.h"
#include "lib/options.h"
#include "lib/spawn.h"
#include "watch/keeper.h"
#include "watch/sampler.h"

extern char **environ;

static int work(struct session *s)
{
	static struct sampler w;
	struct err e = { "" };
	int rc = 1;

	w.s = s;
	w.lock = -1;
	w.dir = s->run_dir < 0 ? -1 : keeper_dir(s->run_dir);
	if (w.dir < 0) {
		log_error("no directory to work in: %s", strerror(errno));
		return 1;
	}
	w.lock = keeper_take(w.dir);
	if (w.lock < 0 && errno == EAGAIN) {
		keeper_poke(s->run_dir);	/* it shall see the new mark */
		rc = 0;
	} else if (w.lock < 0) {
		log_error("lock: %s", strerror(errno));
	} else {
		rc = sampler_run(&w, &e) < 0;
		if (rc)
			log_error("%s", e.text);
	}
	fdio_close(w.lock);
	fdio_close(w.dir);
	if (w.missed && keeper_start(s, &e) < 0)
		log_error("%s", e.text);
	return rc;
}

int main(int argc, char **argv)
{
	static struct job job;
	struct session s;
	struct options o;
	struct err e;
	int rc;

	spawn_fill_stdio();
	umask(022);
	rc = options_parse(&o, argc, argv, "assay-watch",
			   "Samples the devices of this node's jobs; started "
			   "by assay-prolog.");
	if (rc != 0)
		return rc < 0 ? 2 : 0;
	log_open("assay-watch", true, LOG_LVL_INFO);
	/* Without it the places would be others than the Prolog's. */
	if (o.config && access(o.config, F_OK) < 0) {
		log_error("%s: %s", o.config, strerror(errno));
		return 1;
	}
	job_from_env(&job, environ);
	job.id = 0;	/* all jobs are its jobs */
	if (session_open(&s, o.config, &job, &e) < 0) {
		log_error("%s", e.text);
		return 1;
	}
	rc = work(&s);
	session_close(&s);
	return rc;
}
