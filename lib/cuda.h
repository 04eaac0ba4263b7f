/* SPDX-License-Identifier: Apache-2.0
 * cuda - the part of the CUDA driver's binary interface that assay calls, in
 * its own words: libcuda.so.1 is loaded at run time, by a worker, and a node
 * without a driver runs the same program.
 *
 * Names, numbers and argument lists are those of the driver API reference
 * (CUDA 11.4 to 13); tests/unit/test_cuda_abi.c compares them with <cuda.h>
 * where there is one.
 */
#ifndef ASSAY_CUDA_H
#define ASSAY_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef int cuda_device;	/* CUdevice: an ordinal */
typedef uint64_t cuda_ptr;	/* CUdeviceptr */
struct cuda_context;		/* handles, known to the library only */
struct cuda_module;
struct cuda_function;
struct cuda_stream;
struct cuda_event;

/* Return codes that assay tells apart (CUresult). */
enum cuda_rc {
	CUDA_RC_OK = 0,
	CUDA_RC_INVALID_VALUE = 1,
	CUDA_RC_OUT_OF_MEMORY = 2,
	CUDA_RC_NOT_INITIALIZED = 3,
	CUDA_RC_DEINITIALIZED = 4,
	CUDA_RC_DEVICE_UNAVAILABLE = 46,	/* exclusive mode, somebody has it */
	CUDA_RC_NO_DEVICE = 100,
	CUDA_RC_INVALID_DEVICE = 101,
	CUDA_RC_INVALID_IMAGE = 200,
	CUDA_RC_NO_BINARY_FOR_GPU = 209,
	CUDA_RC_ECC_UNCORRECTABLE = 214,
	CUDA_RC_PEER_ACCESS_UNSUPPORTED = 217,
	CUDA_RC_NVLINK_UNCORRECTABLE = 220,
	CUDA_RC_JIT_COMPILER_NOT_FOUND = 221,
	CUDA_RC_UNSUPPORTED_PTX_VERSION = 222,
	CUDA_RC_JIT_COMPILATION_DISABLED = 223,
	CUDA_RC_CONTAINED = 226,
	CUDA_RC_NOT_FOUND = 500,
	CUDA_RC_NOT_READY = 600,
	CUDA_RC_ILLEGAL_ADDRESS = 700,
	CUDA_RC_LAUNCH_OUT_OF_RESOURCES = 701,
	CUDA_RC_LAUNCH_TIMEOUT = 702,
	CUDA_RC_PEER_ACCESS_ALREADY_ENABLED = 704,
	CUDA_RC_HARDWARE_STACK_ERROR = 714,
	CUDA_RC_ILLEGAL_INSTRUCTION = 715,
	CUDA_RC_LAUNCH_FAILED = 719,
	CUDA_RC_NOT_PERMITTED = 800,
	CUDA_RC_NOT_SUPPORTED = 801,
	CUDA_RC_SYSTEM_NOT_READY = 802,	/* fabric manager not there yet */
	CUDA_RC_SYSTEM_DRIVER_MISMATCH = 803,
	CUDA_RC_MPS_CONNECTION_FAILED = 805,
	CUDA_RC_UNKNOWN = 999
};

/* Device attributes (CUdevice_attribute). */
enum cuda_attribute {
	CUDA_ATTR_CLOCK_RATE = 13,		/* kHz */
	CUDA_ATTR_MULTIPROCESSOR_COUNT = 16,
	CUDA_ATTR_COMPUTE_MODE = 20,
	CUDA_ATTR_MEMORY_CLOCK_RATE = 36,	/* kHz */
	CUDA_ATTR_MEMORY_BUS_WIDTH = 37,	/* bits */
	CUDA_ATTR_L2_CACHE_SIZE = 38,		/* bytes */
	CUDA_ATTR_MAX_THREADS_PER_SM = 39,
	CUDA_ATTR_CC_MAJOR = 75,
	CUDA_ATTR_CC_MINOR = 76,
	CUDA_ATTR_SHARED_PER_BLOCK_OPTIN = 97,	/* bytes */
	CUDA_ATTR_DMA_BUF_SUPPORTED = 124
};

/* Function attributes (CUfunction_attribute). */
enum cuda_function_attribute {
	CUDA_FUNC_LOCAL_SIZE_BYTES = 3,
	CUDA_FUNC_NUM_REGS = 4,
	CUDA_FUNC_PTX_VERSION = 5,
	CUDA_FUNC_BINARY_VERSION = 6,		/* 90 for sm_90 */
	CUDA_FUNC_MAX_DYNAMIC_SHARED = 8
};

#define CUDA_STREAM_NON_BLOCKING 1u
#define CUDA_EVENT_DEFAULT 0u
#define CUDA_HOST_REGISTER_PORTABLE 1u
#define CUDA_RANGE_DMA_BUF_FD 1	/* CUmemRangeHandleType */

struct cuda_uuid {
	unsigned char bytes[16];
};

/* X(need, member, symbol, arguments); every one returns a CUresult. */
#define DEVLIBS_CUDA(X) \
	X(REQUIRED, init, "cuInit", (unsigned int)) \
	X(REQUIRED, device_count, "cuDeviceGetCount", (int *)) \
	X(REQUIRED, device, "cuDeviceGet", (cuda_device *, int)) \
	X(REQUIRED, attribute, "cuDeviceGetAttribute", \
	  (int *, int, cuda_device)) \
	X(REQUIRED, retain, "cuDevicePrimaryCtxRetain", \
	  (struct cuda_context **, cuda_device)) \
	X(REQUIRED, release, "cuDevicePrimaryCtxRelease_v2", (cuda_device)) \
	X(REQUIRED, set_current, "cuCtxSetCurrent", (struct cuda_context *)) \
	X(REQUIRED, mem_info, "cuMemGetInfo_v2", (size_t *, size_t *)) \
	X(REQUIRED, mem_alloc, "cuMemAlloc_v2", (cuda_ptr *, size_t)) \
	X(REQUIRED, mem_free, "cuMemFree_v2", (cuda_ptr)) \
	X(REQUIRED, host_register, "cuMemHostRegister_v2", \
	  (void *, size_t, unsigned int)) \
	X(REQUIRED, host_unregister, "cuMemHostUnregister", (void *)) \
	X(REQUIRED, copy_h2d, "cuMemcpyHtoDAsync_v2", \
	  (cuda_ptr, const void *, size_t, struct cuda_stream *)) \
	X(REQUIRED, copy_d2h, "cuMemcpyDtoHAsync_v2", \
	  (void *, cuda_ptr, size_t, struct cuda_stream *)) \
	X(REQUIRED, memset_d32, "cuMemsetD32Async", \
	  (cuda_ptr, unsigned int, size_t, struct cuda_stream *)) \
	X(REQUIRED, stream_create, "cuStreamCreate", \
	  (struct cuda_stream **, unsigned int)) \
	X(REQUIRED, stream_destroy, "cuStreamDestroy_v2", \
	  (struct cuda_stream *)) \
	X(OPTIONAL, stream_query, "cuStreamQuery", (struct cuda_stream *)) \
	X(OPTIONAL, stream_wait, "cuStreamSynchronize", \
	  (struct cuda_stream *)) \
	X(REQUIRED, event_create, "cuEventCreate", \
	  (struct cuda_event **, unsigned int)) \
	X(REQUIRED, event_destroy, "cuEventDestroy_v2", \
	  (struct cuda_event *)) \
	X(REQUIRED, event_record, "cuEventRecord", \
	  (struct cuda_event *, struct cuda_stream *)) \
	X(REQUIRED, event_query, "cuEventQuery", (struct cuda_event *)) \
	X(REQUIRED, event_elapsed, "cuEventElapsedTime", \
	  (float *, struct cuda_event *, struct cuda_event *)) \
	X(REQUIRED, module_load, "cuModuleLoadData", \
	  (struct cuda_module **, const void *)) \
	X(REQUIRED, module_unload, "cuModuleUnload", (struct cuda_module *)) \
	X(REQUIRED, module_function, "cuModuleGetFunction", \
	  (struct cuda_function **, struct cuda_module *, const char *)) \
	X(OPTIONAL, function_get, "cuFuncGetAttribute", \
	  (int *, int, struct cuda_function *)) \
	X(REQUIRED, function_set, "cuFuncSetAttribute", \
	  (struct cuda_function *, int, int)) \
	X(REQUIRED, launch, "cuLaunchKernel", \
	  (struct cuda_function *, unsigned int, unsigned int, unsigned int, \
	   unsigned int, unsigned int, unsigned int, unsigned int, \
	   struct cuda_stream *, void **, void **)) \
	X(OPTIONAL, driver_version, "cuDriverGetVersion", (int *)) \
	X(OPTIONAL, bus_id, "cuDeviceGetPCIBusId", \
	  (char *, int, cuda_device)) \
	X(OPTIONAL, uuid, "cuDeviceGetUuid_v2", \
	  (struct cuda_uuid *, cuda_device)) \
	X(OPTIONAL, can_access_peer, "cuDeviceCanAccessPeer", \
	  (int *, cuda_device, cuda_device)) \
	X(OPTIONAL, enable_peer, "cuCtxEnablePeerAccess", \
	  (struct cuda_context *, unsigned int)) \
	X(OPTIONAL, copy_peer, "cuMemcpyPeerAsync", \
	  (cuda_ptr, struct cuda_context *, cuda_ptr, struct cuda_context *, \
	   size_t, struct cuda_stream *)) \
	X(OPTIONAL, range_handle, "cuMemGetHandleForAddressRange", \
	  (void *, cuda_ptr, size_t, int, unsigned long long)) \
	X(OPTIONAL, error_name, "cuGetErrorName", (int, const char **))

struct devlibs_cuda {
	void *so;		/* NULL: not loaded */
	int missing_required;
	int missing_optional;
#define X(need, member, symbol, args) int (*member) args;
	DEVLIBS_CUDA(X)
#undef X
};

#endif
