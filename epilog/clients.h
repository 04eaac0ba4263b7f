/* SPDX-License-Identifier: Apache-2.0
 * clients - what the clients of network file systems moved: a list of {kind,
 * mount, read_bytes, write_bytes}.
 */
#ifndef ASSAY_EPILOG_CLIENTS_H
#define ASSAY_EPILOG_CLIENTS_H

#include <jansson.h>

#define CLIENTS_MAX 64 /* of a node, and told of a job */

/* Append one, with no more in it than belongs there. */
void clients_add(json_t *list, const json_t *client);

/* A new list: the entries of the same kind and mount (of many nodes) as one,
 * with their sums. One that not all of them told says so in partial. */
json_t *clients_sum(const json_t *list);

#endif
