/* SPDX-License-Identifier: Apache-2.0
 * clients - what the clients of network file systems moved, by mount.
 */
#ifndef ASSAY_EPILOG_CLIENTS_H
#define ASSAY_EPILOG_CLIENTS_H

#include <jansson.h>

/* Add one ({kind, mount, read_bytes, write_bytes}) to a list: to the entry of
 * the same kind and mount, where there is one. */
void clients_add(json_t *list, const json_t *client);

#endif
