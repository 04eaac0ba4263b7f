/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/base64.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Up to three bytes as four characters. */
static void put(char out[4], const unsigned char *in, size_t n)
{
	uint32_t bits = (uint32_t)in[0] << 16;

	bits |= n > 1 ? (uint32_t)in[1] << 8 : 0;
	bits |= n > 2 ? in[2] : 0;
	out[0] = alphabet[bits >> 18];
	out[1] = alphabet[bits >> 12 & 63];
	out[2] = '=';
	out[3] = '=';
	if (n > 1)
		out[2] = alphabet[bits >> 6 & 63];
	if (n > 2)
		out[3] = alphabet[bits & 63];
}

char *base64_encode(const void *bytes, size_t size)
{
	const unsigned char *in = bytes;
	char *text = malloc(BASE64_LEN(size) + 1);
	char *out = text;
	size_t i;

	if (!text)
		return NULL;
	for (i = 0; i < size; i += 3, out += 4)
		put(out, in + i, size - i);
	*out = '\0';
	return text;
}

static int value_of(char c)
{
	const char *at = c ? strchr(alphabet, c) : NULL;

	return at ? (int)(at - alphabet) : -1;
}

/* Four characters as bytes; their number, -1 if they are none. Only the last
 * four may be padded. */
static int take(unsigned char out[3], const char *in, int last)
{
	int pad = !last ? 0 : in[3] != '=' ? 0 : in[2] != '=' ? 1 : 2;
	uint32_t bits = 0;
	int i, v;

	for (i = 0; i < 4; i++) {
		v = i < 4 - pad ? value_of(in[i]) : 0;
		if (v < 0)
			return -1;
		bits = bits << 6 | (uint32_t)v;
	}
	if (bits & ((1u << 8 * pad) - 1))
		return -1;
	out[0] = (unsigned char)(bits >> 16);
	out[1] = (unsigned char)(bits >> 8);
	out[2] = (unsigned char)bits;
	return 3 - pad;
}

unsigned char *base64_decode(const char *text, size_t len, size_t *size)
{
	unsigned char *bytes;
	size_t i, n = 0;
	int got = len % 4 ? -1 : 0;

	bytes = malloc(len / 4 * 3 + 1);
	if (!bytes)
		return NULL;
	for (i = 0; got >= 0 && i < len; i += 4) {
		got = take(bytes + n, text + i, i + 4 == len);
		n += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		free(bytes);
		errno = EINVAL;
		return NULL;
	}
	*size = n;
	return bytes;
}
