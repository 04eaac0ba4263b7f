/* SPDX-License-Identifier: Apache-2.0
 * prom - the devices of running jobs as metrics: assay-watch.prom in [report]
 * metrics_dir, written each round, gone with the sampler.
 *
 * One series for each figure and device: none by job or user, so that their
 * number does not grow with what ran. Which job holds a GPU is an info metric.
 */
#ifndef ASSAY_WATCH_PROM_H
#define ASSAY_WATCH_PROM_H

#include <stdio.h>

#include "watch/sampler.h"

#define PROM_FILE "assay-watch.prom"

void prom_write(const struct sampler *w);
void prom_remove(const struct sampler *w);

/* Its text, for tests; arg: a struct sampler. */
void prom_print(FILE *f, const void *arg);

#endif
