/* SPDX-License-Identifier: Apache-2.0
 * sections - what a record says of the job as a whole, worked out from the
 * sorted rows of a sheet. Each function makes one member of the record
 * (a new reference).
 */
#ifndef ASSAY_EPILOG_SECTIONS_H
#define ASSAY_EPILOG_SECTIONS_H

#include "epilog/members.h"
#include "epilog/sheet.h"

/* A number of many devices together: of those that told it. */
struct total {
	double sum, most;
	int told, of;
	enum story_why why; /* of the first that did not */
	int most_at;	    /* its row, -1: none */
};

enum gpus { GPUS_ALL, GPUS_USED };

/* member: offsetof a struct story_number in the row. */
struct total gpu_total(const struct sheet *s, size_t member, enum gpus which);
struct total port_total(const struct sheet *s, size_t member);
struct total node_total(const struct sheet *s, size_t member);
double total_mean(const struct total *t); /* NAN: nobody told */
/* One that is made otherwise: of nothing, and a number (of row at) more. */
struct total total_none(void);
void total_add(struct total *t, const struct story_number *n, int at);
/* o.name = the sum; o.partial says if only some told it. */
void total_put(json_t *o, const char *name, const struct total *t);
/* The mean by devices, or the highest, in the same way. */
void mean_put(json_t *o, const char *name, const struct total *t);
void most_put(json_t *o, const char *name, const struct total *t);
/* Only o.partial, of what is put otherwise. */
void partial_put(json_t *o, const char *name, const struct total *t);

bool gpu_is_used(const struct gpu_row *r);
/* "n1 GPU3" into buf. */
#define DEVICE_MAX 128
char *gpu_name(const struct gpu_row *r, char buf[DEVICE_MAX]);
char *port_name(const struct port_row *r, char buf[DEVICE_MAX]);

/* The first node's start and the last one's end; seconds between them. */
int64_t sheet_start_s(const struct sheet *s);
int64_t sheet_end_s(const struct sheet *s);
double sheet_elapsed_s(const struct sheet *s);
/* Hours of all GPUs that the job held. */
double sheet_gpu_hours(const struct sheet *s);
/* Its worst state. */
enum story_state sheet_state(const struct sheet *s);

struct shares {
	double seconds; /* of GPUs, 0: nothing is known */
	double part[PARTS];
};
struct shares sheet_shares(const struct sheet *s);

json_t *section_gpus(const struct sheet *s);
json_t *section_where(const struct sheet *s);
json_t *section_power(const struct sheet *s);
json_t *section_fabric(const struct sheet *s);
json_t *section_slow(const struct sheet *s);
json_t *section_blame(const struct sheet *s);
/* record: with all of the above in it. */
json_t *section_advice(const struct sheet *s, const json_t *record);

#endif
