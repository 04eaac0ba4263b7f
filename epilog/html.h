/* SPDX-License-Identifier: Apache-2.0
 * html - a job's record as one page that stands alone: no script, nothing
 * from a network, readable in ten years.
 *
 * The page is for the job's owner; all text in it comes from outside and is
 * escaped.
 */
#ifndef ASSAY_EPILOG_HTML_H
#define ASSAY_EPILOG_HTML_H

#include <jansson.h>
#include <stdio.h>

/* record: assay.job/1 of the job (or of its only node). node: the nodes' own
 * records, which carry the series; none is allowed. lines: the text block, as
 * block_render() makes it, NULL none. 0, or -1 if f took not all. */
int html_write(FILE *f, const json_t *record, const json_t *nodes,
	       const char *lines);

#endif
