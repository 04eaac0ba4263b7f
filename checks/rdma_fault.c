/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/rdma_fault.h"

#include <stddef.h>

#include "lib/facts_rdma.h"

/* As <infiniband/verbs.h> numbers them; a node without that header judges
 * them, too. */
enum {
	WC_LOC_LEN_ERR = 1,
	WC_LOC_QP_OP_ERR = 2,
	WC_LOC_PROT_ERR = 4,
	WC_WR_FLUSH_ERR = 5,
	WC_BAD_RESP_ERR = 7,
	WC_LOC_ACCESS_ERR = 8,
	WC_REM_INV_REQ_ERR = 9,
	WC_REM_ACCESS_ERR = 10,
	WC_REM_OP_ERR = 11,
	WC_RETRY_EXC_ERR = 12,
	WC_RNR_RETRY_EXC_ERR = 13,
	WC_REM_ABORT_ERR = 16,
	WC_FATAL_ERR = 19,
	WC_RESP_TIMEOUT_ERR = 20,
	WC_GENERAL_ERR = 21
};

/* Both ends are ours, so what a peer could do wrong would be our own mistake.
 * A port whose link went away meanwhile does not answer either, nor one that
 * the set-up does not let reach itself: that alone is no broken hardware. */
static const struct probe_fault table[] = {
	{ RDMA_RC_GONE, STATUS_FAIL, REMEDY_SERVICE, "the device has gone" },
	{ RDMA_RC_FATAL, STATUS_FAIL, REMEDY_SERVICE, "fatal device error" },
	{ RDMA_RC_CALL, STATUS_WARN, REMEDY_NONE, "the device fails" },
	{ RDMA_RC_PORT_DOWN, STATUS_WARN, REMEDY_CHECK_CABLE,
	  "the port went down" },
	{ RDMA_RC_QUEUE, STATUS_WARN, REMEDY_NONE, "a queue failed" },
	{ WC_FATAL_ERR, STATUS_FAIL, REMEDY_SERVICE,
	  "unrecoverable transport error" },
	{ WC_LOC_QP_OP_ERR, STATUS_WARN, REMEDY_NONE,
	  "the device's queue broke" },
	{ WC_BAD_RESP_ERR, STATUS_WARN, REMEDY_NONE,
	  "an answer that does not fit" },
	{ WC_REM_OP_ERR, STATUS_WARN, REMEDY_NONE,
	  "the receiving end broke" },
	{ WC_REM_ABORT_ERR, STATUS_WARN, REMEDY_NONE,
	  "the receiving end gave up" },
	{ WC_RETRY_EXC_ERR, STATUS_WARN, REMEDY_CHECK_CABLE,
	  "what was sent is not answered" },
	{ WC_RESP_TIMEOUT_ERR, STATUS_WARN, REMEDY_CHECK_CABLE,
	  "no answer in time" },
	{ WC_WR_FLUSH_ERR, STATUS_WARN, REMEDY_NONE,
	  "the device threw its work away" },
	{ WC_GENERAL_ERR, STATUS_WARN, REMEDY_NONE, "transport error" },
	{ WC_LOC_LEN_ERR, STATUS_ERROR, REMEDY_NONE, "wrong length" },
	{ WC_LOC_PROT_ERR, STATUS_ERROR, REMEDY_NONE, "wrong local key" },
	{ WC_LOC_ACCESS_ERR, STATUS_ERROR, REMEDY_NONE, "no local access" },
	{ WC_REM_INV_REQ_ERR, STATUS_ERROR, REMEDY_NONE, "invalid request" },
	{ WC_REM_ACCESS_ERR, STATUS_ERROR, REMEDY_NONE, "wrong remote key" },
	{ WC_RNR_RETRY_EXC_ERR, STATUS_ERROR, REMEDY_NONE,
	  "the receiving end was not ready" },
};

const struct probe_fault *rdma_fault_of(int rc)
{
	static const struct probe_fault other = { -1, STATUS_WARN, REMEDY_NONE,
						  "RDMA error" };
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].rc == rc)
			return &table[i];
	return &other;
}
