/* SPDX-License-Identifier: Apache-2.0
 * rundirs - a run directory with job 12 in it. */
#ifndef ASSAY_TESTS_RUNDIRS_H
#define ASSAY_TESTS_RUNDIRS_H

#include <fcntl.h>

#include "spank/rundir.h"
#include "tests/unit/fixture.h"

struct rundirs {
	struct fixture x;
	int dir;
};

static inline void rundirs_open(struct rundirs *d)
{
	fixture_open(&d->x);
	fixture_dir(&d->x, "12");
	d->dir = rundir_open(d->x.dir, 12);
	assert_true(d->dir >= 0);
}

static inline void rundirs_close(struct rundirs *d)
{
	close(d->dir);
	fixture_close(&d->x);
}

/* A file of the job as text. The caller frees; NULL: there is none. */
static inline char *rundirs_text(struct rundirs *d, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "12/%s", name);
	return roots_slurp(&d->x.roots, path, 1 << 20, NULL);
}

static inline void rundirs_is(struct rundirs *d, const char *name,
			      const char *want)
{
	char *text = rundirs_text(d, name);

	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
}

static inline void rundirs_put(struct rundirs *d, const char *name,
			       const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "12/%s", name);
	fixture_file(&d->x, path, text);
}

#endif
