/* SPDX-License-Identifier: Apache-2.0
 * JSON text as a comment and back: gzip by zlib, base64. */
#include "config.h"
#include "epilog/js1_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/base64.h"

#define PREFIX "JS1:"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define GZIP_WINDOW (15 + 16)
#define LEVEL 9
#define MEMORY 8
#define COMMENT_COLUMN 65535
#define FIRST_ROOM 8192

enum js1_kind js1_kind(const char *comment)
{
	if (strncmp(comment, PREFIX, PREFIX_LEN) != 0)
		return JS1_FOREIGN;
	if (!strcmp(comment + PREFIX_LEN, "Short"))
		return JS1_SHORT;
	if (!strcmp(comment + PREFIX_LEN, "None"))
		return JS1_NONE;
	return JS1_DATA;
}

static void *out_of_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

/* The header that zlib writes by itself has no time in it: the same data is
 * the same comment. */
static unsigned char *compressed(const char *json, size_t len, size_t *size)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)json,
		       .avail_in = (uInt)len };
	unsigned char *out = NULL;
	size_t room;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return out_of_memory();
	room = deflateBound(&z, len);
	out = malloc(room);
	if (out) {
		z.next_out = out;
		z.avail_out = (uInt)room;
		/* Room for all of it: it cannot but end. */
		deflate(&z, Z_FINISH);
		*size = z.total_out;
	}
	deflateEnd(&z);
	return out;
}

char *js1_pack(const char *json, size_t len)
{
	unsigned char *gz;
	char *text, *comment;
	size_t size;

	if (len > JS1_JSON_MAX) {
		errno = EFBIG;
		return NULL;
	}
	gz = compressed(json, len, &size);
	text = gz ? base64_encode(gz, size) : NULL;
	free(gz);
	comment = text ? malloc(PREFIX_LEN + strlen(text) + 1) : NULL;
	if (comment)
		strcpy(stpcpy(comment, PREFIX), text);
	free(text);
	return comment ? comment : out_of_memory();
}

/* Twice the room, one byte beyond the limit at most: what fills that is too
 * much. */
static int more_room(z_stream *z, char **out, size_t *room)
{
	size_t wanted = *room ? 2 * *room : FIRST_ROOM;
	char *more;

	if (*room > JS1_JSON_MAX) {
		errno = EFBIG;
		return -1;
	}
	if (wanted > JS1_JSON_MAX + 1)
		wanted = JS1_JSON_MAX + 1;
	more = realloc(*out, wanted + 1);
	if (!more)
		return -1;
	*out = more;
	z->next_out = (unsigned char *)more + z->total_out;
	z->avail_out = (uInt)(wanted - z->total_out);
	*room = wanted;
	return 0;
}

/* One gzip member that ends where the bytes end, its sum and length right. */
static int inflate_all(z_stream *z, char **out)
{
	size_t room = 0;
	int rc = Z_OK;

	while (rc == Z_OK) {
		if (!z->avail_out && more_room(z, out, &room) < 0)
			return -1;
		rc = inflate(z, Z_NO_FLUSH);
		/* All is read, there is room, and it is not the end. */
		if (rc == Z_OK && !z->avail_in && z->avail_out)
			rc = Z_DATA_ERROR;
	}
	errno = rc == Z_MEM_ERROR ? ENOMEM : EINVAL;
	return rc == Z_STREAM_END && !z->avail_in ? 0 : -1;
}

static char *inflated(unsigned char *gz, size_t size, size_t *len)
{
	z_stream z = { .next_in = gz, .avail_in = (uInt)size };
	char *out = NULL;
	int rc, saved;

	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return out_of_memory();
	rc = inflate_all(&z, &out);
	saved = errno;
	*len = z.total_out;
	inflateEnd(&z);
	if (rc == 0 && *len <= JS1_JSON_MAX) {
		out[*len] = '\0';
		return out;
	}
	free(out);
	errno = rc < 0 ? saved : EFBIG;
	return NULL;
}

char *js1_unpack(const char *comment, size_t *len)
{
	size_t chars = strnlen(comment, COMMENT_COLUMN + 1);
	unsigned char *gz;
	char *json;
	size_t size;

	if (chars > COMMENT_COLUMN) {
		errno = EFBIG;
		return NULL;
	}
	gz = base64_decode(comment + PREFIX_LEN, chars - PREFIX_LEN, &size);
	if (!gz)
		return NULL;
	json = inflated(gz, size, len);
	free(gz);
	return json;
}
