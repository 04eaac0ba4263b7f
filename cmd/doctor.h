/* SPDX-License-Identifier: Apache-2.0
 * doctor - is this node set up right? Probes, each of which may hang.
 *
 * The probes run in a worker, one after the other, and hand their findings
 * over one by one; a look that does not come back is named, its worker ended,
 * and the next worker goes on behind it.
 */
#ifndef ASSAY_DOCTOR_H
#define ASSAY_DOCTOR_H

#include "checks/session.h"
#include "cmd/slurmconf.h"

enum doctor_level { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WRONG };

struct diagnosis {
	enum doctor_level level;
	char topic[16];		/* "slurm", "config" ... */
	char what[400];
	char mend[300];		/* "" nothing to mend */
};

struct doctor {
	struct session *s;
	struct slurmconf slurm;	/* empty: none was found */
	char slurm_conf[4096];	/* path of slurm.conf, "" unknown */
	char slurm_version[32];	/* "22.05.8", "" unknown */
	void (*emit)(const struct diagnosis *d, void *arg);
	void (*value)(const char *key, const char *value, const char *source,
		      void *arg);
	void *arg;
};

/* Tell one finding; mend NULL for none. */
void doctor_say(const struct doctor *d, enum doctor_level level,
		const char *topic, const char *mend, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

typedef void (*doctor_probe_f)(struct doctor *d);

/* Find and read Slurm's settings into d (silent; probes tell). */
void doctor_read_slurm(struct doctor *d);
bool doctor_has_slurm(const struct doctor *d);

/* The probes, by file. */
void doctor_config(struct doctor *d);		/* doctor_node.c */
void doctor_values(struct doctor *d);
void doctor_switch(struct doctor *d);
void doctor_places(struct doctor *d);
void doctor_memory(struct doctor *d);
void doctor_profile(struct doctor *d);		/* doctor_gpu.c */
void doctor_gres(struct doctor *d);
void doctor_driver(struct doctor *d);
void doctor_stuck(struct doctor *d);
void doctor_slurm(struct doctor *d);		/* doctor_slurm.c */
void doctor_flags(struct doctor *d);		/* doctor_flags.c */
void doctor_scripts(struct doctor *d);		/* doctor_scripts.c */
void doctor_plugin(struct doctor *d);		/* doctor_plugin.c */

#endif
