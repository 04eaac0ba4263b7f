/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/cuda_corrupt.h"

#include <stdbool.h>
#include <string.h>

/* Does an entry name the word, at whatever place of a sequence? */
static bool names(json_t *j, const char *word)
{
	const char *key;
	json_t *v;
	size_t i;

	json_array_foreach(j, i, v)
		if (names(v, word))
			return true;
	json_object_foreach(j, key, v)
		if (json_is_string(v) ? strcmp(json_string_value(v), word) == 0
				      : names(v, word))
			return true;
	return false;
}

static int number(json_t *j, const char *key)
{
	json_t *v = json_object_get(j, key);

	return json_is_integer(v) ? (int)json_integer_value(v) : -1;
}

struct found {
	const char *word;
	struct corrupt *out;
	int n;
};

static void take(struct found *f, const struct scn_node *n)
{
	json_t *j = scn_json(n);
	const char *kernel = json_string_value(json_object_get(j, "kernel"));
	json_t *bit = json_object_get(j, "flip_bit");

	if (!kernel || strcmp(kernel, f->word) != 0 || f->n == CORRUPT_MAX)
		return;
	f->out[f->n++] = (struct corrupt){
		.sm = number(j, "sm"),
		.path = number(j, "path"),
		.peer = number(j, "peer"),
		.bit = (uint64_t)json_integer_value(bit),
	};
}

static void take_all(struct found *f, const struct scn_node *list)
{
	struct scn_node n;
	json_t *j;
	size_t i;

	json_array_foreach(scn_json(list), i, j) {
		if (!names(j, f->word))
			continue;
		n = scn_item(list, i);
		take(f, &n);
	}
}

int corrupt_list(struct fake_device *d, const char *word,
		 struct corrupt out[CORRUPT_MAX])
{
	struct found f = { word, out, 0 };
	struct scn_node root = scn_root(&d->scn), n;

	if (!names(json_object_get(d->scn.over, "corrupt"), word))
		return 0;
	n = scn_step(&root, "corrupt");
	if (json_is_array(scn_json(&n)))
		take_all(&f, &n);
	else
		take(&f, &n);
	return f.n;
}

void corrupt_flip(void *p, size_t bytes, uint64_t bit)
{
	unsigned char *at = p;

	if (bytes)
		at[bit / 8 % bytes] ^= (unsigned char)(1u << bit % 8);
}

void corrupt_bytes(struct fake_device *d, const char *word,
		   const struct corrupt_copy *c)
{
	struct corrupt list[CORRUPT_MAX];
	int i, n = corrupt_list(d, word, list);

	for (i = 0; i < n; i++)
		if (list[i].peer < 0 || list[i].peer == c->peer)
			corrupt_flip(c->p, c->bytes, list[i].bit);
}
