/* SPDX-License-Identifier: Apache-2.0
 * Prints the AdminComment of the record that comes by stdin, for
 * tests/meta/js1.py. */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "epilog/js1.h"

int main(void)
{
	struct js1_alloc alloc = JS1_ALLOC_UNKNOWN;
	json_t *record = json_loadf(stdin, 0, NULL);
	char *comment =
		record ? js1_encode(record, &alloc, JS1_COMMENT_MAX) : NULL;

	if (comment)
		puts(comment);
	free(comment);
	json_decref(record);
	return comment ? 0 : 1;
}
