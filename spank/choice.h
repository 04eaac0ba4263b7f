/* SPDX-License-Identifier: Apache-2.0
 * choice - the words of --assay=LIST: what the job's owner wants.
 *
 * The list is the user's, on the client and again on the node: nobody has
 * checked what arrives there. Only words of the table below leave this module.
 */
#ifndef ASSAY_SPANK_CHOICE_H
#define ASSAY_SPANK_CHOICE_H

#include <stddef.h>

#define CHOICE_KNOWN "report, no-report"
#define CHOICE_TEXT_BYTES 64

enum choice_report { REPORT_UNSAID, REPORT_YES, REPORT_NO };

struct choice {
	enum choice_report report;
};

/* Take LIST, words divided by commas, into *c; of two that contradict each
 * other the later holds. 0; or -1 if there is a word that this build does not
 * know, or none at all: the first such is in bad, printable and cut to
 * bad_size, and the others are taken. list may be NULL. */
int choice_parse(const char *list, struct choice *c, char *bad,
		 size_t bad_size);

/* What was chosen, a word a line; "" if nothing was. Returns buf. */
char *choice_format(const struct choice *c, char buf[CHOICE_TEXT_BYTES]);

#endif
