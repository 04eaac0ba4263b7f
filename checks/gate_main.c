/* SPDX-License-Identifier: Apache-2.0
 * From slurmd's call to a supervised gate. */
#include "config.h"
#include "checks/gate.h"

#include "checks/session.h"
#include "lib/log.h"
#include "lib/options.h"

#define DEADLINE_MS 8000	/* until the config says otherwise */

extern char **environ;

static int work(struct supervised *link, void *arg)
{
	return gate_run(link, arg);
}

int gate_main(const struct gate_program *p, int argc, char **argv)
{
	static struct job job;
	struct gate_request q = { .job = &job, .context = p->context };
	struct options o;

	if (options_parse(&o, argc, argv, p->name, p->about) != 0)
		return 0;
	log_open(p->name, true, LOG_LVL_INFO);
	if (session_switched_off(o.config)) {
		log_info("switched off by the file OFF beside the config");
		return 0;
	}
	job_from_env(&job, environ);
	job.context = p->job_context;
	if (!job.id) {
		log_error("no SLURM_JOB_ID: not called by slurmd?");
		return 0;
	}
	q.config_path = o.config;
	return supervise(work, &q, DEADLINE_MS, 0);
}
