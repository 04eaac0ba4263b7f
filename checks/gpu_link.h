/* SPDX-License-Identifier: Apache-2.0
 * gpu_link - what a GPU's PCIe link could at most.
 */
#ifndef ASSAY_GPU_LINK_H
#define ASSAY_GPU_LINK_H

#include "checks/check.h"

/* The generation that GPU, slot and the links above allow; 0 unknown. A GPU
 * without a link above it is one that a virtual machine was given: what lies
 * between is hidden. */
int gpu_link_generation(const struct check_env *env, int gpu);

/* GB/s in one direction; NAN unknown, or not by PCIe. */
double gpu_link_gbps(const struct check_env *env, int gpu);

#endif
