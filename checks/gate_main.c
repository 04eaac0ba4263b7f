/* SPDX-License-Identifier: Apache-2.0
 * From slurmd's call to a supervised gate. */
#include "config.h"
#include "checks/gate.h"

#include <sys/stat.h>

#include "lib/log.h"
#include "lib/options.h"
#include "lib/spawn.h"

#define DEADLINE_MS 8000	/* until the config says otherwise */

extern char **environ;

static int work(struct supervised *link, void *arg)
{
	return gate_run(link, arg);
}

int gate_main(const struct gate_program *p, int argc, char **argv)
{
	static struct job job;
	struct gate_request q = { .job = &job, .context = p->context,
				  .hooks = p->hooks };
	struct options o;

	spawn_fill_stdio();
	umask(022);
	if (options_parse(&o, argc, argv, p->name, p->about) != 0)
		return 0;
	log_open(p->name, true, LOG_LVL_INFO);
	job_from_env(&job, environ);
	job.context = p->job_context;
	q.config_path = o.config;
	return supervise(work, &q, DEADLINE_MS, 0);
}
