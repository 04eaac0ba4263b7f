/* SPDX-License-Identifier: Apache-2.0
 * cuda_memory - the memory of the fake devices: host memory, which costs
 * something only where it is touched. A device address is no host address;
 * who follows one on the CPU dies, as in life.
 */
#ifndef ASSAY_FAKE_CUDA_MEMORY_H
#define ASSAY_FAKE_CUDA_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "tests/fake/cuda_device.h"

/* The host memory behind an address that work on d may use: of d, of a peer
 * that it has access to, or registered host memory. NULL: not all of it. */
void *cumem_reach(const struct fake_device *d, uint64_t address, size_t bytes);

/* The same, if it is memory of d itself. */
void *cumem_own(const struct fake_device *d, uint64_t address, size_t bytes);

/* Of so many bytes that the device works on, those that a CPU works on: the
 * first real_mib (16) MiB. */
uint64_t cumem_real(struct fake_device *d, double bytes);

/* Give the memory of a THING_MEMORY back; the thing itself stays. */
void cumem_unmap(void *thing);

#endif
