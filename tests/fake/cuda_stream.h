/* SPDX-License-Identifier: Apache-2.0
 * cuda_stream - the head of every stream of the fake CUDA. The fake NCCL and
 * cuBLASLt, libraries of their own, reach the stream's memory and its clock by
 * it.
 */
#ifndef ASSAY_FAKE_CUDA_STREAM_H
#define ASSAY_FAKE_CUDA_STREAM_H

#include <stddef.h>
#include <stdint.h>

#define FAKE_STREAM_MAGIC 0x6661537472656d21ULL

struct fake_stream {
	uint64_t magic;		/* FAKE_STREAM_MAGIC */
	/* Host memory behind a device address of the stream's device, or NULL:
	 * not all of these bytes are one allocation there. */
	void *(*reach)(struct fake_stream *s, uint64_t address, size_t bytes);
	/* The stream takes part in an all-reduce of so many bytes a rank. */
	void (*collective)(struct fake_stream *s, uint64_t bytes, int ranks);
	/* The stream multiplies by a library: so many operations. */
	void (*operations)(struct fake_stream *s, double count);
};

#endif
