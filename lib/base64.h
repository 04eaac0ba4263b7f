/* SPDX-License-Identifier: Apache-2.0
 * base64 - bytes as text: the standard alphabet, padded, in one line.
 */
#ifndef ASSAY_BASE64_H
#define ASSAY_BASE64_H

#include <stddef.h>

/* Bytes of the text of size bytes, without a terminator. */
#define BASE64_LEN(size) (((size) + 2) / 3 * 4)

/* Terminated, malloc'ed; NULL with ENOMEM. */
char *base64_encode(const void *bytes, size_t size);

/* The bytes (malloc'ed) and their number. Strict: nothing but the alphabet,
 * padding where it belongs, no bit set that is not used. NULL with EINVAL or
 * ENOMEM. */
unsigned char *base64_decode(const char *text, size_t len, size_t *size);

#endif
