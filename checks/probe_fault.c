/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probe_fault.h"

#include <stddef.h>

#include "lib/cuda.h"

/* Codes that the probes do not tell apart themselves. */
enum {
	RC_NEWER_DRIVER = 36,		/* CALL_REQUIRES_NEWER_DRIVER */
	RC_MISALIGNED = 716,
	RC_ADDRESS_SPACE = 717,
	RC_INVALID_PC = 718,
	RC_COMPAT = 804,		/* COMPAT_NOT_SUPPORTED_ON_DEVICE */
	RC_MPS_SERVER_NOT_READY = 807,
	RC_MPS_MAX_CLIENTS = 808,
	RC_MPS_MAX_CONNECTIONS = 809
};

/* By the return codes of the driver API's reference. What a kernel may run
 * into by a fault of its own is no proof against the hardware: the kernel log
 * has the XID that tells more. */
static const struct probe_fault table[] = {
	{ CUDA_RC_ECC_UNCORRECTABLE, STATUS_FAIL, REMEDY_RESET_GPU,
	  "uncorrectable ECC error" },
	{ CUDA_RC_NVLINK_UNCORRECTABLE, STATUS_FAIL, REMEDY_RESET_GPU,
	  "uncorrectable NVLink error" },
	{ CUDA_RC_HARDWARE_STACK_ERROR, STATUS_FAIL, REMEDY_RESET_GPU,
	  "hardware stack error" },
	{ CUDA_RC_CONTAINED, STATUS_WARN, REMEDY_NONE,
	  "error, contained by the device" },
	{ CUDA_RC_ILLEGAL_ADDRESS, STATUS_WARN, REMEDY_NONE,
	  "illegal address" },
	{ CUDA_RC_LAUNCH_TIMEOUT, STATUS_WARN, REMEDY_NONE,
	  "kernel ended by the driver's time limit" },
	{ CUDA_RC_ILLEGAL_INSTRUCTION, STATUS_WARN, REMEDY_NONE,
	  "illegal instruction" },
	{ RC_MISALIGNED, STATUS_WARN, REMEDY_NONE, "misaligned address" },
	{ RC_ADDRESS_SPACE, STATUS_WARN, REMEDY_NONE,
	  "invalid address space" },
	{ RC_INVALID_PC, STATUS_WARN, REMEDY_NONE, "invalid program counter" },
	{ CUDA_RC_LAUNCH_FAILED, STATUS_WARN, REMEDY_NONE, "kernel failed" },
	{ CUDA_RC_UNKNOWN, STATUS_WARN, REMEDY_NONE, "unknown error" },
	{ CUDA_RC_NO_DEVICE, STATUS_WARN, REMEDY_NONE,
	  "CUDA does not see the device" },
	{ CUDA_RC_INVALID_DEVICE, STATUS_WARN, REMEDY_NONE,
	  "CUDA does not see the device" },
	{ CUDA_RC_SYSTEM_NOT_READY, STATUS_WARN, REMEDY_NONE,
	  "system not ready (fabric manager)" },
	{ CUDA_RC_SYSTEM_DRIVER_MISMATCH, STATUS_WARN, REMEDY_REBOOT,
	  "driver and library differ" },
	{ CUDA_RC_OUT_OF_MEMORY, STATUS_SKIP, REMEDY_NONE,
	  "no memory left on it" },
	{ CUDA_RC_DEVICE_UNAVAILABLE, STATUS_SKIP, REMEDY_NONE,
	  "another process has it for itself" },
	{ CUDA_RC_NOT_PERMITTED, STATUS_SKIP, REMEDY_NONE, "not permitted" },
	{ CUDA_RC_NOT_SUPPORTED, STATUS_SKIP, REMEDY_NONE, "not supported" },
	{ CUDA_RC_PEER_ACCESS_UNSUPPORTED, STATUS_SKIP, REMEDY_NONE,
	  "no peer access" },
	{ CUDA_RC_INVALID_IMAGE, STATUS_SKIP, REMEDY_NONE,
	  "the driver does not take the kernels" },
	{ CUDA_RC_NO_BINARY_FOR_GPU, STATUS_SKIP, REMEDY_NONE,
	  "no kernels for this GPU in this build" },
	{ CUDA_RC_JIT_COMPILER_NOT_FOUND, STATUS_SKIP, REMEDY_NONE,
	  "no kernels for this GPU, no compiler in the driver" },
	{ CUDA_RC_UNSUPPORTED_PTX_VERSION, STATUS_SKIP, REMEDY_NONE,
	  "the driver is too old for the kernels" },
	{ CUDA_RC_JIT_COMPILATION_DISABLED, STATUS_SKIP, REMEDY_NONE,
	  "no kernels for this GPU, compiler switched off" },
	{ RC_NEWER_DRIVER, STATUS_SKIP, REMEDY_NONE,
	  "the driver is too old" },
	{ RC_COMPAT, STATUS_SKIP, REMEDY_NONE,
	  "the library does not fit the driver" },
	{ CUDA_RC_MPS_CONNECTION_FAILED, STATUS_SKIP, REMEDY_NONE,
	  "no connection to the MPS server" },
	{ RC_MPS_SERVER_NOT_READY, STATUS_SKIP, REMEDY_NONE,
	  "the MPS server is not ready" },
	{ RC_MPS_MAX_CLIENTS, STATUS_SKIP, REMEDY_NONE,
	  "the MPS server is full" },
	{ RC_MPS_MAX_CONNECTIONS, STATUS_SKIP, REMEDY_NONE,
	  "the MPS server is full" },
	{ CUDA_RC_INVALID_VALUE, STATUS_ERROR, REMEDY_NONE,
	  "invalid argument" },
	{ CUDA_RC_NOT_INITIALIZED, STATUS_ERROR, REMEDY_NONE,
	  "not initialized" },
	{ CUDA_RC_DEINITIALIZED, STATUS_ERROR, REMEDY_NONE, "ended already" },
	{ CUDA_RC_NOT_FOUND, STATUS_ERROR, REMEDY_NONE,
	  "no such kernel in this build" },
};

const struct probe_fault *probe_fault(int rc)
{
	static const struct probe_fault other = { -1, STATUS_WARN, REMEDY_NONE,
						  "CUDA error" };
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].rc == rc)
			return &table[i];
	return &other;
}
