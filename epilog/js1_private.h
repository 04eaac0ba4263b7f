/* SPDX-License-Identifier: Apache-2.0
 * Inside js1: the object between a record and a comment.
 */
#ifndef ASSAY_EPILOG_JS1_PRIVATE_H
#define ASSAY_EPILOG_JS1_PRIVATE_H

#include "epilog/js1.h"

/* How much is told. */
enum js1_level {
	JS1_GPUS,   /* of each GPU what only assay knows */
	JS1_NODES,  /* no more than readers of JS1 know */
	JS1_TOTALS, /* all nodes as one */
	JS1_BARE,   /* and nothing of our own but that it is so */
	JS1_LEVELS
};

#define JS1_NAME_BYTES 64

/* Floats have one decimal; our own are whole or have four digits. */
json_t *js1_tenth(double v);
json_t *js1_whole(double v);
/* A copy without what says nothing (null, empty objects), texts cut, of lists
 * so many entries. NULL: nothing is left of it. */
json_t *js1_shortened(const json_t *v, size_t list, int depth);
/* The host part of a row's node, scrubbed. */
const char *js1_short_name(const json_t *row, char buf[JS1_NAME_BYTES]);

/* The job's wall time in seconds. */
int64_t js1_wall_s(const json_t *record, const struct js1_alloc *alloc);
/* The object without our own data, the nodes' own ones included; *partial
 * (new reference): names of nodes that could not be told of. NULL on ENOMEM.
 * No node in it: there is nothing to tell. */
json_t *js1_of_nodes(const json_t *record, const struct js1_alloc *alloc,
		     enum js1_level level, json_t **partial);
/* Our own of the job: sections of its record. */
bool js1_is_section(const char *name);
json_t *js1_own(const json_t *record, enum js1_level level,
		json_t *partial);
/* {node: [its rows]}, and the objects of a node's GPUs from its rows. */
json_t *js1_gpus_by_node(const json_t *record);
void js1_add_gpus(json_t *node, const json_t *rows, enum js1_level level);
/* All nodes become one, which says how many they are. */
int js1_total(json_t *js1);

/* JSON text and comment. Malloc'ed; NULL with errno: EFBIG, EINVAL, ENOMEM. */
char *js1_pack(const char *json, size_t len);
char *js1_unpack(const char *comment, size_t *len);

/* Does every reader get along with it? 0, or -1 with EINVAL and *e. */
int js1_check(const json_t *js1, struct err *e);

#endif
