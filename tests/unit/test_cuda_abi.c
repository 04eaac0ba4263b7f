/* SPDX-License-Identifier: Apache-2.0
 * The binary interfaces of CUDA and NCCL as literal numbers, read off cuda.h of
 * CUDA 13.0 and nccl.h of NCCL 2.28, and against these headers where they are.
 */
#include "config.h"

/* Our names for handles become theirs, so that argument lists compare. */
#ifdef HAVE_CUDA_H
#include <cuda.h>
#define cuda_context CUctx_st
#define cuda_module CUmod_st
#define cuda_function CUfunc_st
#define cuda_stream CUstream_st
#define cuda_event CUevent_st
#endif
#ifdef HAVE_NCCL_H
#include <nccl.h>
#define nccl_comm ncclComm
#endif

#include "lib/cuda.h"
#include "lib/nccl.h"
#include "tests/unit/unit.h"

#include <string.h>

/* X(ours, number, theirs) */
#define RETURN_CODES(X) \
	X(CUDA_RC_OK, 0, CUDA_SUCCESS) \
	X(CUDA_RC_INVALID_VALUE, 1, CUDA_ERROR_INVALID_VALUE) \
	X(CUDA_RC_OUT_OF_MEMORY, 2, CUDA_ERROR_OUT_OF_MEMORY) \
	X(CUDA_RC_NOT_INITIALIZED, 3, CUDA_ERROR_NOT_INITIALIZED) \
	X(CUDA_RC_DEINITIALIZED, 4, CUDA_ERROR_DEINITIALIZED) \
	X(CUDA_RC_DEVICE_UNAVAILABLE, 46, CUDA_ERROR_DEVICE_UNAVAILABLE) \
	X(CUDA_RC_NO_DEVICE, 100, CUDA_ERROR_NO_DEVICE) \
	X(CUDA_RC_INVALID_DEVICE, 101, CUDA_ERROR_INVALID_DEVICE) \
	X(CUDA_RC_INVALID_IMAGE, 200, CUDA_ERROR_INVALID_IMAGE) \
	X(CUDA_RC_NO_BINARY_FOR_GPU, 209, CUDA_ERROR_NO_BINARY_FOR_GPU) \
	X(CUDA_RC_ECC_UNCORRECTABLE, 214, CUDA_ERROR_ECC_UNCORRECTABLE) \
	X(CUDA_RC_PEER_ACCESS_UNSUPPORTED, 217, \
	  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) \
	X(CUDA_RC_NVLINK_UNCORRECTABLE, 220, CUDA_ERROR_NVLINK_UNCORRECTABLE) \
	X(CUDA_RC_JIT_COMPILER_NOT_FOUND, 221, \
	  CUDA_ERROR_JIT_COMPILER_NOT_FOUND) \
	X(CUDA_RC_UNSUPPORTED_PTX_VERSION, 222, \
	  CUDA_ERROR_UNSUPPORTED_PTX_VERSION) \
	X(CUDA_RC_JIT_COMPILATION_DISABLED, 223, \
	  CUDA_ERROR_JIT_COMPILATION_DISABLED) \
	X(CUDA_RC_NOT_FOUND, 500, CUDA_ERROR_NOT_FOUND) \
	X(CUDA_RC_NOT_READY, 600, CUDA_ERROR_NOT_READY) \
	X(CUDA_RC_ILLEGAL_ADDRESS, 700, CUDA_ERROR_ILLEGAL_ADDRESS) \
	X(CUDA_RC_LAUNCH_OUT_OF_RESOURCES, 701, \
	  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) \
	X(CUDA_RC_LAUNCH_TIMEOUT, 702, CUDA_ERROR_LAUNCH_TIMEOUT) \
	X(CUDA_RC_PEER_ACCESS_ALREADY_ENABLED, 704, \
	  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) \
	X(CUDA_RC_HARDWARE_STACK_ERROR, 714, CUDA_ERROR_HARDWARE_STACK_ERROR) \
	X(CUDA_RC_ILLEGAL_INSTRUCTION, 715, CUDA_ERROR_ILLEGAL_INSTRUCTION) \
	X(CUDA_RC_LAUNCH_FAILED, 719, CUDA_ERROR_LAUNCH_FAILED) \
	X(CUDA_RC_NOT_PERMITTED, 800, CUDA_ERROR_NOT_PERMITTED) \
	X(CUDA_RC_NOT_SUPPORTED, 801, CUDA_ERROR_NOT_SUPPORTED) \
	X(CUDA_RC_SYSTEM_NOT_READY, 802, CUDA_ERROR_SYSTEM_NOT_READY) \
	X(CUDA_RC_SYSTEM_DRIVER_MISMATCH, 803, \
	  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) \
	X(CUDA_RC_MPS_CONNECTION_FAILED, 805, \
	  CUDA_ERROR_MPS_CONNECTION_FAILED) \
	X(CUDA_RC_UNKNOWN, 999, CUDA_ERROR_UNKNOWN)

#define ATTRIBUTES(X) \
	X(CUDA_ATTR_CLOCK_RATE, 13, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) \
	X(CUDA_ATTR_MULTIPROCESSOR_COUNT, 16, \
	  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) \
	X(CUDA_ATTR_COMPUTE_MODE, 20, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) \
	X(CUDA_ATTR_MEMORY_CLOCK_RATE, 36, \
	  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) \
	X(CUDA_ATTR_MEMORY_BUS_WIDTH, 37, \
	  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) \
	X(CUDA_ATTR_L2_CACHE_SIZE, 38, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) \
	X(CUDA_ATTR_MAX_THREADS_PER_SM, 39, \
	  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) \
	X(CUDA_ATTR_CC_MAJOR, 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) \
	X(CUDA_ATTR_CC_MINOR, 76, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) \
	X(CUDA_ATTR_SHARED_PER_BLOCK_OPTIN, 97, \
	  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)

/* From CUDA 11.7 on. */
#define RANGES(X) \
	X(CUDA_ATTR_DMA_BUF_SUPPORTED, 124, \
	  CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED) \
	X(CUDA_RANGE_DMA_BUF_FD, 1, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD)

#define FUNCTION_ATTRIBUTES(X) \
	X(CUDA_FUNC_LOCAL_SIZE_BYTES, 3, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) \
	X(CUDA_FUNC_NUM_REGS, 4, CU_FUNC_ATTRIBUTE_NUM_REGS) \
	X(CUDA_FUNC_PTX_VERSION, 5, CU_FUNC_ATTRIBUTE_PTX_VERSION) \
	X(CUDA_FUNC_BINARY_VERSION, 6, CU_FUNC_ATTRIBUTE_BINARY_VERSION) \
	X(CUDA_FUNC_MAX_DYNAMIC_SHARED, 8, \
	  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)

#define FLAGS(X) \
	X(CUDA_STREAM_NON_BLOCKING, 1, CU_STREAM_NON_BLOCKING) \
	X(CUDA_EVENT_DEFAULT, 0, CU_EVENT_DEFAULT) \
	X(CUDA_HOST_REGISTER_PORTABLE, 1, CU_MEMHOSTREGISTER_PORTABLE)

#define NCCL_NUMBERS(X) \
	X(NCCL_RC_OK, 0, ncclSuccess) \
	X(NCCL_RC_UNHANDLED_CUDA, 1, ncclUnhandledCudaError) \
	X(NCCL_RC_SYSTEM, 2, ncclSystemError) \
	X(NCCL_RC_INTERNAL, 3, ncclInternalError) \
	X(NCCL_RC_INVALID_ARGUMENT, 4, ncclInvalidArgument) \
	X(NCCL_RC_INVALID_USAGE, 5, ncclInvalidUsage) \
	X(NCCL_RC_REMOTE, 6, ncclRemoteError) \
	X(NCCL_RC_IN_PROGRESS, 7, ncclInProgress) \
	X(NCCL_INT32, 2, ncclInt32) \
	X(NCCL_FLOAT32, 7, ncclFloat32) \
	X(NCCL_SUM, 0, ncclSum)

#define LITERAL(ours, number, theirs) assert_int_equal(ours, number);
#define THEIRS(ours, number, theirs) assert_int_equal(ours, theirs);

static void numbers(void **state)
{
	(void)state;
	RETURN_CODES(LITERAL)
	ATTRIBUTES(LITERAL)
	RANGES(LITERAL)
	FUNCTION_ATTRIBUTES(LITERAL)
	FLAGS(LITERAL)
	NCCL_NUMBERS(LITERAL)
	assert_int_equal(CUDA_RC_CONTAINED, 226);
	assert_int_equal(sizeof(cuda_device), 4);
	assert_int_equal(sizeof(cuda_ptr), 8);
	assert_int_equal(sizeof(struct cuda_uuid), 16);
}

#ifdef HAVE_CUDA_H
static void numbers_of_the_header(void **state)
{
	(void)state;
	RETURN_CODES(THEIRS)
	ATTRIBUTES(THEIRS)
	FUNCTION_ATTRIBUTES(THEIRS)
	FLAGS(THEIRS)
#if CUDA_VERSION >= 11070
	RANGES(THEIRS)
#endif
#if CUDA_VERSION >= 12080
	assert_int_equal(CUDA_RC_CONTAINED, CUDA_ERROR_CONTAINED);
#endif
	assert_int_equal(sizeof(cuda_device), sizeof(CUdevice));
	assert_int_equal(sizeof(cuda_ptr), sizeof(CUdeviceptr));
	assert_int_equal(sizeof(struct cuda_uuid), sizeof(CUuuid));
	assert_int_equal(sizeof(enum cuda_rc), sizeof(CUresult));
}

/* X(member, call): all that we call. */
#define CALLS(X) \
	X(init, cuInit) X(device_count, cuDeviceGetCount) \
	X(device, cuDeviceGet) X(attribute, cuDeviceGetAttribute) \
	X(retain, cuDevicePrimaryCtxRetain) \
	X(release, cuDevicePrimaryCtxRelease) \
	X(set_current, cuCtxSetCurrent) X(mem_info, cuMemGetInfo) \
	X(mem_alloc, cuMemAlloc) X(mem_free, cuMemFree) \
	X(host_register, cuMemHostRegister) \
	X(host_unregister, cuMemHostUnregister) \
	X(copy_h2d, cuMemcpyHtoDAsync) X(copy_d2h, cuMemcpyDtoHAsync) \
	X(memset_d32, cuMemsetD32Async) X(stream_create, cuStreamCreate) \
	X(stream_destroy, cuStreamDestroy) X(stream_query, cuStreamQuery) \
	X(stream_wait, cuStreamSynchronize) X(event_create, cuEventCreate) \
	X(event_destroy, cuEventDestroy) X(event_record, cuEventRecord) \
	X(event_query, cuEventQuery) \
	X(module_load, cuModuleLoadData) X(module_unload, cuModuleUnload) \
	X(module_function, cuModuleGetFunction) \
	X(function_get, cuFuncGetAttribute) \
	X(function_set, cuFuncSetAttribute) X(launch, cuLaunchKernel) \
	X(driver_version, cuDriverGetVersion) \
	X(bus_id, cuDeviceGetPCIBusId) \
	X(can_access_peer, cuDeviceCanAccessPeer) \
	X(enable_peer, cuCtxEnablePeerAccess) \
	X(copy_peer, cuMemcpyPeerAsync) X(error_name, cuGetErrorName)

/* The header renames a call whose interface has changed: to the one we load. */
#define TEXT(name) #name
#define NAME(call) TEXT(call)

static void symbols_of_the_header(void **state)
{
	static const struct {
#define X(need, member, symbol, args) const char *member;
		DEVLIBS_CUDA(X)
#undef X
	} ours = {
#define X(need, member, symbol, args) symbol,
		DEVLIBS_CUDA(X)
#undef X
	};

	(void)state;
#define X(member, call) assert_string_equal(ours.member, NAME(call));
	CALLS(X)
#undef X
	assert_string_equal(ours.uuid, "cuDeviceGetUuid_v2");
	/* CUDA 12.8 has a second version; all have the first one. */
	assert_string_equal(ours.event_elapsed, "cuEventElapsedTime");
}

/* 64 bits, by another name. */
#define cuda_ptr CUdeviceptr
#define X(need, member, symbol, args) typedef CUresult (*member##_f) args;
DEVLIBS_CUDA(X)
#undef X
#undef cuda_ptr

/* Where they have an enum, we have an int of the same size: their list then. */
#define attribute_f CUresult (*)(int *, CUdevice_attribute, CUdevice)
#define function_get_f CUresult (*)(int *, CUfunction_attribute, CUfunction)
#define function_set_f CUresult (*)(CUfunction, CUfunction_attribute, int)
#if CUDA_VERSION >= 11070
#define range_handle_f \
	CUresult (*)(void *, CUdeviceptr, size_t, CUmemRangeHandleType, \
		     unsigned long long)
#endif
#define error_name_f CUresult (*)(CUresult, const char **)

static void arguments_of_the_header(void **state)
{
	(void)state;
	assert_int_equal(sizeof(CUdevice_attribute), sizeof(int));
	assert_int_equal(sizeof(CUfunction_attribute), sizeof(int));
#if CUDA_VERSION >= 11070
	assert_int_equal(sizeof(CUmemRangeHandleType), sizeof(int));
#endif
#define X(member, call) \
	assert_true(__builtin_types_compatible_p(member##_f, \
						 __typeof__(&call)));
	CALLS(X)
	X(event_elapsed, cuEventElapsedTime)
#if CUDA_VERSION >= 11070
	X(range_handle, cuMemGetHandleForAddressRange)
#endif
#undef X
}
#endif

#ifdef HAVE_NCCL_H
static void numbers_of_nccl(void **state)
{
	(void)state;
	NCCL_NUMBERS(THEIRS)
	assert_int_equal(sizeof(ncclResult_t), sizeof(int));
	assert_int_equal(sizeof(ncclDataType_t), sizeof(int));
	assert_int_equal(sizeof(ncclRedOp_t), sizeof(int));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
#ifdef HAVE_CUDA_H
		cmocka_unit_test(numbers_of_the_header),
		cmocka_unit_test(symbols_of_the_header),
		cmocka_unit_test(arguments_of_the_header),
#endif
#ifdef HAVE_NCCL_H
		cmocka_unit_test(numbers_of_nccl),
#endif
	};

	return cmocka_run_group_tests_name("cuda_abi", tests, NULL, NULL);
}
