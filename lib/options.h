/* SPDX-License-Identifier: Apache-2.0
 * options - what every program understands: --config, --help, --version.
 */
#ifndef ASSAY_OPTIONS_H
#define ASSAY_OPTIONS_H

struct options {
	const char *config;	/* NULL: the default */
	int rest;		/* index in argv of the first other argument */
};

/* Leading options of argv. 0: go on; 1: --help or --version was answered on
 * stdout; -1: bad usage, said on stderr. what: one sentence for --help. */
int options_parse(struct options *o, int argc, char **argv, const char *name,
		  const char *what);

#endif
