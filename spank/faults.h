/* SPDX-License-Identifier: Apache-2.0
 * faults - a plugin that goes wrong on command, for the tests.
 *
 * Only in a build with SPANK_FAULTS; it is never installed. The file
 * spank-faults in the run directory, root's own, holds words (a line):
 *
 *	hooks=N	each hook returns N
 *	null	each hook gets NULL for its handle
 *	items	Slurm tells nothing
 *	fork	no child can be made
 *	segv	the child that writes dies by SIGSEGV
 *	hang	it never ends
 *	full	the disk is full after half of a line
 */
#ifndef ASSAY_SPANK_FAULTS_H
#define ASSAY_SPANK_FAULTS_H

#ifdef SPANK_FAULTS
#include <stdbool.h>
#include <sys/types.h>

void faults_load(const char *run);
bool faults_on(const char *word);
int faults_return(const char *hook);	/* N, said in the log; or 0 */
ssize_t faults_write(int fd, const void *buf, size_t size);
#define FAULTS_LOAD(run) faults_load(run)
#define FAULT(word) faults_on(word)
#define FAULT_RETURN(hook) faults_return(hook)
#define FAULT_WRITE(fd, buf, size) faults_write(fd, buf, size)
#else
#define FAULTS_LOAD(run) ((void)(run))
#define FAULT(word) false
#define FAULT_RETURN(hook) 0
#define FAULT_WRITE(fd, buf, size) write(fd, buf, size)
#endif

#endif
