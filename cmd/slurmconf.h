/* SPDX-License-Identifier: Apache-2.0
 * slurmconf - the settings of a running Slurm, or of its slurm.conf.
 *
 * Two forms are read: what "scontrol show config" prints (all values, with
 * defaults, "(null)" for none), and slurm.conf itself (only what is set).
 */
#ifndef ASSAY_SLURMCONF_H
#define ASSAY_SLURMCONF_H

#include <stdbool.h>
#include <stdint.h>

#define SLURMCONF_MAX 1024

struct slurmconf {
	char *key[SLURMCONF_MAX];	/* malloc'ed; several times the same */
	char *value[SLURMCONF_MAX];
	int count;
	bool live;		/* from scontrol show config */
};

/* Text of an included file, malloc'ed, or NULL. */
typedef char *(*slurmconf_include_f)(const char *path, void *arg);

/* Both add to *c, which starts zeroed. Lines for nodes, partitions and the
 * like are left out. -1 on ENOMEM or more than SLURMCONF_MAX. */
int slurmconf_show(struct slurmconf *c, const char *text);
int slurmconf_file(struct slurmconf *c, const char *text,
		   slurmconf_include_f include, void *arg);
void slurmconf_fini(struct slurmconf *c);

/* Keys without regard of case. "" if there is none. Borrowed. */
const char *slurmconf_get(const struct slurmconf *c, const char *key);
/* The i-th value of a key that may come several times (Prolog[0], Prolog[1],
 * or several lines); NULL behind the last. */
const char *slurmconf_at(const struct slurmconf *c, const char *key, int i);
/* Is word (or "word=...") among words divided by commas? */
bool slurmconf_has(const struct slurmconf *c, const char *key,
		   const char *word);
/* A number of seconds: "10 sec" or "10"; def if unset, -1 if there is no
 * limit (INFINITE, UNLIMITED, NONE, -1, or Slurm's 65534). */
int64_t slurmconf_seconds(const struct slurmconf *c, const char *key,
			  int64_t def);

#endif
