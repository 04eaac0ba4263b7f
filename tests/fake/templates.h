/* SPDX-License-Identifier: Apache-2.0
 * templates - the healthy devices of templates/, built into the fakes.
 */
#ifndef ASSAY_FAKE_TEMPLATES_H
#define ASSAY_FAKE_TEMPLATES_H

#include <stddef.h>

/* The text of templates/NAME.json and its length, or NULL. */
const char *template_text(const char *name, size_t *len);

/* The i-th name, NULL behind the last. */
const char *template_name(int i);

#endif
