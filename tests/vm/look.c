/* SPDX-License-Identifier: Apache-2.0
 * look - what assay makes of a real node's cgroups and processes: the jobs
 * that it sees there, the steps, and the memory that is left to itself.
 *
 *	look CONFIG		prints "jobs N steps N room_mib N"
 *
 * With a run directory of its own in CONFIG, the cgroups alone tell of jobs.
 * The job, if there is one, comes from the environment, as the gate's does.
 */
#include "config.h"

#include <stdio.h>

#include "checks/session.h"
#include "lib/headroom.h"

extern char **environ;

int main(int argc, char **argv)
{
	static struct job job;
	struct session s;
	struct err e;

	if (argc != 2) {
		fprintf(stderr, "usage: look CONFIG\n");
		return 2;
	}
	job_from_env(&job, environ);
	if (session_open(&s, argv[1], &job, &e) < 0) {
		fprintf(stderr, "look: %s\n", e.text);
		return 2;
	}
	printf("jobs %d steps %d room_mib %lld\n", session_other_jobs(&s),
	       session_steps(&s), (long long)headroom_bytes(&s.roots) >> 20);
	session_close(&s);
	return 0;
}
