/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/options.h"

#include <stdio.h>
#include <string.h>

static void help(const char *name, const char *what)
{
	printf("usage: %s [--config FILE] [--help] [--version]\n%s\n"
	       "  --config FILE  read FILE instead of %s/assay.conf\n",
	       name, what, ASSAY_SYSCONFDIR);
}

int options_parse(struct options *o, int argc, char **argv, const char *name,
		  const char *what)
{
	int i;

	*o = (struct options){ 0 };
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help")) {
			help(name, what);
			return 1;
		} else if (!strcmp(argv[i], "--version")) {
			printf("%s %s\n", name, PACKAGE_VERSION);
			return 1;
		} else if (!strcmp(argv[i], "--config") && i + 1 < argc) {
			o->config = argv[++i];
		} else if (!strncmp(argv[i], "--config=", 9)) {
			o->config = argv[i] + 9;
		} else {
			fprintf(stderr, "%s: unknown argument '%s'\n", name,
				argv[i]);
			return -1;
		}
	}
	o->rest = i;
	return 0;
}
