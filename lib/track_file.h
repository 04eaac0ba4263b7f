/* SPDX-License-Identifier: Apache-2.0
 * track_file - inside of track: what its writer and its readers share.
 */
#ifndef ASSAY_TRACK_FILE_H
#define ASSAY_TRACK_FILE_H

#include <stddef.h>

#include "lib/track.h"

#define TRACK_MAGIC "assaytrk"
#define TRACK_VERSION 2

/* Bytes of a sample; 0: no such kind. */
size_t track_bytes(enum track_kind kind);

/* The head, checked; its strings are terminated. 0 or -1 (EINVAL). */
int track_head_read(int fd, enum track_kind kind, struct track_head *h);

#endif
