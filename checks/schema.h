/* SPDX-License-Identifier: Apache-2.0
 * schema - every section and key of assay.conf, in one place.
 */
#ifndef ASSAY_SCHEMA_H
#define ASSAY_SCHEMA_H

#include "lib/cfg.h"

/* The tables for cfg_load(), the checks' own keys included. Static storage;
 * ends with a NULL name. */
const struct cfg_section *schema_sections(void);

#endif
