/* SPDX-License-Identifier: Apache-2.0
 * rundir - the job's directory below the run directory, seen from the plugin.
 *
 * The Prolog makes it, root's own; where it is not, nothing is recorded. All
 * is opened by the directory's descriptor and without following a link: only
 * root can put something else there, and even then nothing else is touched.
 */
#ifndef ASSAY_SPANK_RUNDIR_H
#define ASSAY_SPANK_RUNDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Open <run>/<job>. Both have to be directories, owned by root or the
 * effective user and writable by nobody else. -1 with errno. */
int rundir_open(const char *run, uint32_t job);

/* Is there a file of that name (regular, as above)? */
bool rundir_has(int dir, const char *name);

/* Read the beginning of such a file, at most size - 1 bytes, terminated. Its
 * length, or -1 with errno and buf empty. */
ssize_t rundir_read(int dir, const char *name, char *buf, size_t size);

/* Append a line (its newline included) to such a file, made 0600 if it is not
 * there. A line that was torn before, by a full disk, is ended first. -1 with
 * errno; EFBIG: the file has max bytes or more. */
int rundir_append(int dir, const char *name, const char *line, off_t max);

/* Write text as a new file 0600. -1 with EEXIST: there is one. */
int rundir_note(int dir, const char *name, const char *text);

#endif
