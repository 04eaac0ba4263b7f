/* SPDX-License-Identifier: Apache-2.0
 * words - a list of words divided by commas, as a person types it.
 */
#ifndef ASSAY_WORDS_H
#define ASSAY_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Is word one of them? */
bool words_have(const char *list, const char *word);

/* The word at *list into buf, and *list behind it; false at the end. A word
 * that does not fit is cut; there is none between two commas: "" is told. */
bool words_next(const char **list, char *buf, size_t size);

#endif
