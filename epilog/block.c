/* SPDX-License-Identifier: Apache-2.0
 * The lines, each with its rank: when there are too many of them, the highest
 * ranks go first.
 */
#include "config.h"
#include "epilog/block_private.h"

#include <string.h>

typedef void line_f(struct block_line *l, const json_t *record);

static const struct {
	line_f *write;
	int rank;
} lines[] = {
	{ block_line_job, 0 },	   { block_line_seen, 8 },
	{ block_line_gpus, 4 },	   { block_line_time, 7 },
	{ block_line_mostly, 5 },  { block_line_stalls, 9 },
	{ block_line_power, 6 },   { block_line_thirds, 13 },
	{ block_line_fabric, 11 }, { block_line_host, 12 },
	{ block_line_slow, 3 },	   { block_line_checks, 10 },
	{ block_line_fault, 2 },   { block_line_blame, 2 },
	{ block_line_advice, 1 },
};

#define LINES (sizeof(lines) / sizeof(lines[0]))

/* Leave out the line of the highest rank. */
static void drop_one(bool there[LINES])
{
	size_t i, drop = LINES;

	for (i = 0; i < LINES; i++)
		if (there[i] &&
		    (drop == LINES || lines[i].rank > lines[drop].rank))
			drop = i;
	if (drop < LINES)
		there[drop] = false;
}

void block_render(const json_t *record, struct block *b)
{
	struct block_line line[LINES];
	bool there[LINES];
	size_t i, n = 0;

	for (i = 0; i < LINES; i++) {
		lines[i].write(&line[i], record);
		there[i] = !block_is_empty(&line[i]);
		n += there[i];
	}
	for (; n > BLOCK_LINES; n--)
		drop_one(there);
	b->count = 0;
	for (i = 0; i < LINES; i++)
		if (there[i])
			memcpy(b->line[b->count++], line[i].text,
			       sizeof(b->line[0]));
}
